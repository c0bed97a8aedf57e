-- Who submits to a form with double opt-in confirms an address first. null: the form has none.
ALTER TABLE forms ADD COLUMN double_opt_in TEXT COLLATE "C";

-- What is known of a confirmation; for as long as its submission is stored, the evidence.
CREATE TABLE opt_ins (
  submission_id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  form_id TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C" NOT NULL,
  language TEXT COLLATE "C" NOT NULL,
  expires_at BIGINT NOT NULL,
  sent_at BIGINT,
  confirmed_at BIGINT,
  ip TEXT COLLATE "C",
  user_agent TEXT COLLATE "C"
);
CREATE INDEX opt_ins_waiting ON opt_ins (expires_at) WHERE confirmed_at IS NULL;
