-- Who submits to a form with double opt-in confirms an address first. null: the form has none.
ALTER TABLE forms ADD COLUMN double_opt_in TEXT;

-- What is known of a confirmation; for as long as its submission is stored, the evidence.
CREATE TABLE opt_ins (
  submission_id TEXT PRIMARY KEY NOT NULL,
  form_id TEXT NOT NULL,
  address TEXT NOT NULL,
  language TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  sent_at INTEGER,
  confirmed_at INTEGER,
  ip TEXT,
  user_agent TEXT
) WITHOUT ROWID;
CREATE INDEX opt_ins_waiting ON opt_ins (expires_at) WHERE confirmed_at IS NULL;
