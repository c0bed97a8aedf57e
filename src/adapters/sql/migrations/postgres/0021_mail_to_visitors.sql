-- Addresses that get no more mails: of one destination, or (destination_id is empty) of the whole account.
CREATE TABLE suppressed_addresses (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
  destination_id TEXT COLLATE "C" NOT NULL,
  address TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  detail TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX suppressed_addresses_once ON suppressed_addresses (account_id, address, destination_id);
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, id);

-- How many mails to visitors count against a name on a UTC day (days since 1970), and which deliveries are counted.
CREATE TABLE mail_counts (
  name TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  mails BIGINT NOT NULL,
  PRIMARY KEY (name, day)
);
CREATE INDEX mail_counts_by_day ON mail_counts (day);
CREATE TABLE mail_permits (
  delivery_id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  day BIGINT NOT NULL
);
CREATE INDEX mail_permits_by_day ON mail_permits (day);

-- Deliveries that were not sent on purpose are few, and are looked for by submission.
CREATE INDEX deliveries_suppressed ON deliveries (submission_id) WHERE state = 'suppressed';

-- What a form replies to its visitors, as JSON; null: nothing.
ALTER TABLE forms ADD COLUMN autoresponder TEXT COLLATE "C";
