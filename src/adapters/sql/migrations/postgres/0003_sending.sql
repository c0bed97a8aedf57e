-- Sending. The deliveries table is the queue: a claimed row carries the lease of the process that sends it, and until
-- the lease ends `next_attempt_at` lies at its end, so that a row of a dead process comes up again by itself.
ALTER TABLE deliveries ADD COLUMN attempt BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN "trigger" TEXT COLLATE "C" NOT NULL DEFAULT 'auto';
-- 0 sent by hand, 1 first attempts, 2 later attempts, 3 replays.
ALTER TABLE deliveries ADD COLUMN queue BIGINT NOT NULL DEFAULT 1;
ALTER TABLE deliveries ADD COLUMN lease_token TEXT COLLATE "C";
ALTER TABLE deliveries ADD COLUMN lease_owner TEXT COLLATE "C";
ALTER TABLE deliveries ADD COLUMN reclaims BIGINT NOT NULL DEFAULT 0;

-- By receiver first: work for a healthy one is found without walking past what is parked on a dead one.
DROP INDEX deliveries_due;
CREATE INDEX deliveries_queue ON deliveries (url, queue, next_attempt_at, id) WHERE state = 'pending';

-- One tree instead of three: an attempt is written for every send, and old ones are found by the age of their delivery.
DROP TABLE delivery_attempts;
CREATE TABLE delivery_attempts (
  delivery_id TEXT COLLATE "C" NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  "trigger" TEXT COLLATE "C" NOT NULL,
  status BIGINT,
  duration_ms BIGINT NOT NULL,
  error TEXT COLLATE "C",
  response TEXT COLLATE "C",
  dns_ms BIGINT,
  connect_ms BIGINT,
  first_byte_ms BIGINT,
  remote_address TEXT COLLATE "C",
  PRIMARY KEY (delivery_id, number)
);

-- One mail to one person. The text is made when it is sent; the row is only the promise.
CREATE TABLE mails (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  submission_id TEXT COLLATE "C" NOT NULL,
  form_id TEXT COLLATE "C" NOT NULL,
  recipient TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  attempt BIGINT NOT NULL,
  next_attempt_at BIGINT,
  lease_token TEXT COLLATE "C",
  error TEXT COLLATE "C",
  created_at BIGINT NOT NULL
);
CREATE INDEX mails_by_submission ON mails (submission_id, id);
CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'pending';

-- A replay goes through the submissions of its scope, oldest first; `after_id` is how far it has come.
CREATE TABLE replays (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  form_id TEXT COLLATE "C",
  project_id TEXT COLLATE "C",
  since BIGINT,
  until BIGINT NOT NULL,
  delivery_state TEXT COLLATE "C" NOT NULL,
  per_minute BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  total BIGINT NOT NULL,
  sent BIGINT NOT NULL,
  after_id TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX replays_by_account ON replays (account_id, id);
CREATE INDEX replays_running ON replays (id) WHERE state = 'running';
