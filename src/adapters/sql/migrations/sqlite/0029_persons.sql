-- Erasing a person, a durable job. `q` is sealed, and gone once it has ended; otherwise there are only keyed hashes.
CREATE TABLE erasures (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  "key" TEXT NOT NULL,
  person_hash TEXT NOT NULL,
  q TEXT,
  stage TEXT NOT NULL,
  place TEXT NOT NULL,
  "after" TEXT NOT NULL,
  counts TEXT NOT NULL,
  files_removed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE INDEX erasures_by_account ON erasures (account_id, id);
CREATE INDEX erasures_running ON erasures (id) WHERE finished_at IS NULL;

-- What an erasure has still to remove (`blob`), and what it has deleted (`submission`).
CREATE TABLE erasure_items (
  erasure_id TEXT NOT NULL REFERENCES erasures (id),
  kind TEXT NOT NULL,
  ref TEXT NOT NULL,
  PRIMARY KEY (erasure_id, kind, ref)
) WITHOUT ROWID;

-- Fields whose values go once everything is delivered. Up to `redacted_up_to` the submissions of the form are redacted, or wait
-- in `redactions`.
ALTER TABLE forms ADD COLUMN redact_fields TEXT NOT NULL DEFAULT '[]';
ALTER TABLE forms ADD COLUMN redacted_up_to TEXT NOT NULL DEFAULT '';
CREATE TABLE redactions (
  submission_id TEXT PRIMARY KEY NOT NULL,
  form_id TEXT NOT NULL
) WITHOUT ROWID;
