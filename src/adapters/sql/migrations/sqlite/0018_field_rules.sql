-- What the fields of a form must hold, as JSON; empty: everything is accepted.
ALTER TABLE forms ADD COLUMN fields TEXT NOT NULL DEFAULT '[]';
-- What happens to fields without a rule: keep, drop or reject.
ALTER TABLE forms ADD COLUMN unknown_fields TEXT NOT NULL DEFAULT 'keep';
