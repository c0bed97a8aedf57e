-- Sending. The deliveries table is the queue: a claimed row carries the lease of the process that sends it, and until
-- the lease ends `next_attempt_at` lies at its end, so that a row of a dead process comes up again by itself.
ALTER TABLE deliveries ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN "trigger" TEXT NOT NULL DEFAULT 'auto';
-- 0 sent by hand, 1 first attempts, 2 later attempts, 3 replays.
ALTER TABLE deliveries ADD COLUMN queue INTEGER NOT NULL DEFAULT 1;
ALTER TABLE deliveries ADD COLUMN lease_token TEXT;
ALTER TABLE deliveries ADD COLUMN lease_owner TEXT;
ALTER TABLE deliveries ADD COLUMN reclaims INTEGER NOT NULL DEFAULT 0;

-- By receiver first: work for a healthy one is found without walking past what is parked on a dead one.
DROP INDEX deliveries_due;
CREATE INDEX deliveries_queue ON deliveries (url, queue, next_attempt_at, id) WHERE state = 'pending';

-- One tree instead of three: an attempt is written for every send, and old ones are found by the age of their delivery.
DROP TABLE delivery_attempts;
CREATE TABLE delivery_attempts (
  delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  "trigger" TEXT NOT NULL,
  status INTEGER,
  duration_ms INTEGER NOT NULL,
  error TEXT,
  response TEXT,
  dns_ms INTEGER,
  connect_ms INTEGER,
  first_byte_ms INTEGER,
  remote_address TEXT,
  PRIMARY KEY (delivery_id, number)
) WITHOUT ROWID;

-- One mail to one person. The text is made when it is sent; the row is only the promise.
CREATE TABLE mails (
  id TEXT PRIMARY KEY NOT NULL,
  submission_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  recipient TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  next_attempt_at INTEGER,
  lease_token TEXT,
  error TEXT,
  created_at INTEGER NOT NULL
);
CREATE INDEX mails_by_submission ON mails (submission_id, id);
CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending';

-- A replay goes through the submissions of its scope, oldest first; `after_id` is how far it has come.
CREATE TABLE replays (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  form_id TEXT,
  project_id TEXT,
  since INTEGER,
  until INTEGER NOT NULL,
  delivery_state TEXT NOT NULL,
  per_minute INTEGER NOT NULL,
  state TEXT NOT NULL,
  total INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  after_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE INDEX replays_by_account ON replays (account_id, id);
CREATE INDEX replays_running ON replays (id) WHERE state = 'running';
