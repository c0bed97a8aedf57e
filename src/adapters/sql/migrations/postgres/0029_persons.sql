-- Erasing a person, a durable job. `q` is sealed, and gone once it has ended; otherwise there are only keyed hashes.
CREATE TABLE erasures (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
  "key" TEXT COLLATE "C" NOT NULL,
  person_hash TEXT COLLATE "C" NOT NULL,
  q TEXT COLLATE "C",
  stage TEXT COLLATE "C" NOT NULL,
  place TEXT COLLATE "C" NOT NULL,
  "after" TEXT COLLATE "C" NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  files_removed BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX erasures_by_account ON erasures (account_id, id);
CREATE INDEX erasures_running ON erasures (id) WHERE finished_at IS NULL;

-- What an erasure has still to remove (`blob`), and what it has deleted (`submission`).
CREATE TABLE erasure_items (
  erasure_id TEXT COLLATE "C" NOT NULL REFERENCES erasures (id),
  kind TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (erasure_id, kind, ref)
);

-- Fields whose values go once everything is delivered. Up to `redacted_up_to` the submissions of the form are redacted, or wait
-- in `redactions`.
ALTER TABLE forms ADD COLUMN redact_fields TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE forms ADD COLUMN redacted_up_to TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE TABLE redactions (
  submission_id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  form_id TEXT COLLATE "C" NOT NULL
);
