-- The audit log: a chain of entries by account. `hash` covers the entry, the hash before it, and digests of the values that can
-- be erased; it is keyed with the secret of the instance, which is not in the database.
CREATE TABLE audit_entries (
  account_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  at BIGINT NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  actor_kind TEXT COLLATE "C" NOT NULL,
  actor_id TEXT COLLATE "C",
  object_kind TEXT COLLATE "C" NOT NULL,
  object_id TEXT COLLATE "C",
  actor_name TEXT COLLATE "C",
  address TEXT COLLATE "C",
  user_agent TEXT COLLATE "C",
  object_name TEXT COLLATE "C",
  before_values TEXT COLLATE "C",
  after_values TEXT COLLATE "C",
  salts TEXT COLLATE "C" NOT NULL,
  digests TEXT COLLATE "C" NOT NULL,
  previous_hash TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, seq)
);
CREATE INDEX audit_entries_at ON audit_entries (account_id, at);
CREATE INDEX audit_entries_of_object ON audit_entries (account_id, object_id, seq) WHERE object_id IS NOT NULL;
CREATE INDEX audit_entries_of_actor ON audit_entries (account_id, actor_id, seq) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_entries_of_action ON audit_entries (account_id, action, seq);

-- Where each chain ends, and after which entry it begins since its oldest ones were removed; signed with the same key.
CREATE TABLE audit_chains (
  account_id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  anchor_seq BIGINT NOT NULL,
  anchor_hash TEXT COLLATE "C" NOT NULL,
  mac TEXT COLLATE "C" NOT NULL
);

-- Append-only: an entry stays as it is, but for values that are blanked, and goes only with all entries before it.
CREATE OR REPLACE FUNCTION keep_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.account_id, NEW.seq, NEW.at, NEW.action, NEW.actor_kind, NEW.actor_id, NEW.object_kind, NEW.object_id, NEW.digests,
      NEW.previous_hash, NEW.hash, COALESCE(NEW.actor_name, OLD.actor_name), COALESCE(NEW.address, OLD.address),
      COALESCE(NEW.user_agent, OLD.user_agent), COALESCE(NEW.object_name, OLD.object_name),
      COALESCE(NEW.before_values, OLD.before_values), COALESCE(NEW.after_values, OLD.after_values))
    IS DISTINCT FROM
     (OLD.account_id, OLD.seq, OLD.at, OLD.action, OLD.actor_kind, OLD.actor_id, OLD.object_kind, OLD.object_id, OLD.digests,
      OLD.previous_hash, OLD.hash, OLD.actor_name, OLD.address, OLD.user_agent, OLD.object_name, OLD.before_values,
      OLD.after_values)
  THEN
    RAISE EXCEPTION 'The audit log is append-only';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION keep_audit_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.seq > COALESCE((SELECT anchor_seq FROM audit_chains WHERE account_id = OLD.account_id), 0) THEN
    RAISE EXCEPTION 'The audit log is append-only';
  END IF;
  RETURN OLD;
END $$;
CREATE OR REPLACE FUNCTION refuse_audit_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only';
END $$;
CREATE TRIGGER audit_entries_stay BEFORE UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION keep_audit_entry();
CREATE TRIGGER audit_entries_go_in_order BEFORE DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION keep_audit_order();
CREATE TRIGGER audit_entries_whole BEFORE TRUNCATE ON audit_entries EXECUTE FUNCTION refuse_audit_removal();
CREATE TRIGGER audit_chains_stay BEFORE DELETE ON audit_chains FOR EACH ROW EXECUTE FUNCTION refuse_audit_removal();
CREATE TRIGGER audit_chains_whole BEFORE TRUNCATE ON audit_chains EXECUTE FUNCTION refuse_audit_removal();
