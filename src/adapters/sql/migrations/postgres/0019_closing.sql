-- When a form accepts submissions, and how many; null: at any time, and any number.
ALTER TABLE forms ADD COLUMN opens_at BIGINT;
ALTER TABLE forms ADD COLUMN closes_at BIGINT;
ALTER TABLE forms ADD COLUMN max_submissions BIGINT;

-- The form's row is held by each commit of a form with a maximum until it ends, so that they come one after the other. Each counts
-- what is stored with its own, and the check ends those that are too many.
CREATE TABLE form_caps (
  form_id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  most BIGINT NOT NULL,
  stored BIGINT NOT NULL,
  CHECK (stored <= most)
);
