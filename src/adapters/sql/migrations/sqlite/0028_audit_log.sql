-- The audit log: a chain of entries by account. `hash` covers the entry, the hash before it, and digests of the values that can
-- be erased; it is keyed with the secret of the instance, which is not in the database.
CREATE TABLE audit_entries (
  account_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  object_kind TEXT NOT NULL,
  object_id TEXT,
  actor_name TEXT,
  address TEXT,
  user_agent TEXT,
  object_name TEXT,
  before_values TEXT,
  after_values TEXT,
  salts TEXT NOT NULL,
  digests TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (account_id, seq)
) WITHOUT ROWID;
CREATE INDEX audit_entries_at ON audit_entries (account_id, at);
CREATE INDEX audit_entries_of_object ON audit_entries (account_id, object_id, seq) WHERE object_id IS NOT NULL;
CREATE INDEX audit_entries_of_actor ON audit_entries (account_id, actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entries_of_action ON audit_entries (account_id, action, seq);

-- Where each chain ends, and after which entry it begins since its oldest ones were removed; signed with the same key.
CREATE TABLE audit_chains (
  account_id TEXT PRIMARY KEY NOT NULL,
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL,
  anchor_seq INTEGER NOT NULL,
  anchor_hash TEXT NOT NULL,
  mac TEXT NOT NULL
) WITHOUT ROWID;

-- Append-only: an entry stays as it is, but for values that are blanked, and goes only with all entries before it.
CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries
WHEN NEW.account_id IS NOT OLD.account_id OR NEW.seq IS NOT OLD.seq OR NEW.at IS NOT OLD.at OR NEW.action IS NOT OLD.action
  OR NEW.actor_kind IS NOT OLD.actor_kind OR NEW.actor_id IS NOT OLD.actor_id OR NEW.object_kind IS NOT OLD.object_kind
  OR NEW.object_id IS NOT OLD.object_id OR NEW.digests IS NOT OLD.digests OR NEW.previous_hash IS NOT OLD.previous_hash
  OR NEW.hash IS NOT OLD.hash
  OR COALESCE(NEW.actor_name, OLD.actor_name) IS NOT OLD.actor_name OR COALESCE(NEW.address, OLD.address) IS NOT OLD.address
  OR COALESCE(NEW.user_agent, OLD.user_agent) IS NOT OLD.user_agent
  OR COALESCE(NEW.object_name, OLD.object_name) IS NOT OLD.object_name
  OR COALESCE(NEW.before_values, OLD.before_values) IS NOT OLD.before_values
  OR COALESCE(NEW.after_values, OLD.after_values) IS NOT OLD.after_values
BEGIN
  SELECT RAISE(ABORT, 'The audit log is append-only');
END;
CREATE TRIGGER audit_entries_go_in_order BEFORE DELETE ON audit_entries
WHEN OLD.seq > COALESCE((SELECT anchor_seq FROM audit_chains WHERE account_id = OLD.account_id), 0)
BEGIN
  SELECT RAISE(ABORT, 'The audit log is append-only');
END;
CREATE TRIGGER audit_chains_stay BEFORE DELETE ON audit_chains
BEGIN
  SELECT RAISE(ABORT, 'The audit log is append-only');
END;
