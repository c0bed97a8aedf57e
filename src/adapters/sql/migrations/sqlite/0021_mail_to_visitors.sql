-- Addresses that get no more mails: of one destination, or (destination_id is empty) of the whole account.
CREATE TABLE suppressed_addresses (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  destination_id TEXT NOT NULL,
  address TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX suppressed_addresses_once ON suppressed_addresses (account_id, address, destination_id);
CREATE INDEX suppressed_addresses_newest ON suppressed_addresses (account_id, id);

-- How many mails to visitors count against a name on a UTC day (days since 1970), and which deliveries are counted.
CREATE TABLE mail_counts (
  name TEXT NOT NULL,
  day INTEGER NOT NULL,
  mails INTEGER NOT NULL,
  PRIMARY KEY (name, day)
) WITHOUT ROWID;
CREATE INDEX mail_counts_by_day ON mail_counts (day);
CREATE TABLE mail_permits (
  delivery_id TEXT PRIMARY KEY NOT NULL,
  day INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX mail_permits_by_day ON mail_permits (day);

-- Deliveries that were not sent on purpose are few, and are looked for by submission.
CREATE INDEX deliveries_suppressed ON deliveries (submission_id) WHERE state = 'suppressed';

-- What a form replies to its visitors, as JSON; null: nothing.
ALTER TABLE forms ADD COLUMN autoresponder TEXT;
