-- When a form accepts submissions, and how many; null: at any time, and any number.
ALTER TABLE forms ADD COLUMN opens_at INTEGER;
ALTER TABLE forms ADD COLUMN closes_at INTEGER;
ALTER TABLE forms ADD COLUMN max_submissions INTEGER;

-- The form's row is held by each commit of a form with a maximum until it ends, so that they come one after the other. Each counts
-- what is stored with its own, and the check ends those that are too many.
CREATE TABLE form_caps (
  form_id TEXT PRIMARY KEY NOT NULL,
  most INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  CHECK (stored <= most)
) WITHOUT ROWID;
