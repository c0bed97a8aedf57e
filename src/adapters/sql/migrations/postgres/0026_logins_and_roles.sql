-- How a person signs in. One login may have a user in several accounts; without a password, they sign in another way.
CREATE TABLE logins (
  id TEXT COLLATE "C" PRIMARY KEY,
  password_hash TEXT COLLATE "C",
  created_at BIGINT NOT NULL
);
-- First, because it locks the table: processes of the release before may be adding users.
ALTER TABLE users ADD COLUMN login_id TEXT COLLATE "C" REFERENCES logins (id);
INSERT INTO logins (id, password_hash, created_at) SELECT id, password_hash, created_at FROM users;
UPDATE users SET login_id = id;
ALTER TABLE users ALTER COLUMN login_id SET NOT NULL;
CREATE INDEX users_by_login ON users (login_id, id);

-- In the whole account, or null: only in some projects, as JSON of their ids and roles.
ALTER TABLE users ADD COLUMN role TEXT COLLATE "C" DEFAULT 'owner';
ALTER TABLE users ADD COLUMN projects TEXT COLLATE "C" NOT NULL DEFAULT '[]';
-- JSON of the ids of projects; null: the whole account.
ALTER TABLE api_keys ADD COLUMN project_ids TEXT COLLATE "C";

-- Processes of the release before know passwords in users only: what they write there counts for the login.
CREATE FUNCTION users_of_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE logins SET password_hash = NEW.password_hash WHERE id = NEW.login_id;
  ELSIF NEW.login_id IS NULL THEN
    INSERT INTO logins (id, password_hash, created_at) VALUES (NEW.id, NEW.password_hash, NEW.created_at);
    NEW.login_id := NEW.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER users_of_before BEFORE INSERT OR UPDATE OF password_hash ON users
  FOR EACH ROW EXECUTE FUNCTION users_of_before();
