-- How a person signs in. One login may have a user in several accounts; without a password, they sign in another way.
CREATE TABLE logins (
  id TEXT PRIMARY KEY NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL
);
INSERT INTO logins (id, password_hash, created_at) SELECT id, password_hash, created_at FROM users;
-- Never null after an insert, see below: SQLite adds no column that refers to a row and must have a value.
ALTER TABLE users ADD COLUMN login_id TEXT REFERENCES logins (id);
UPDATE users SET login_id = id;
CREATE INDEX users_by_login ON users (login_id, id);

-- In the whole account, or null: only in some projects, as JSON of their ids and roles.
ALTER TABLE users ADD COLUMN role TEXT DEFAULT 'owner';
ALTER TABLE users ADD COLUMN projects TEXT NOT NULL DEFAULT '[]';
-- JSON of the ids of projects; null: the whole account.
ALTER TABLE api_keys ADD COLUMN project_ids TEXT;

-- Processes of the release before know passwords in users only: what they write there counts for the login.
CREATE TRIGGER users_made_before AFTER INSERT ON users WHEN NEW.login_id IS NULL
BEGIN
  INSERT INTO logins (id, password_hash, created_at) VALUES (NEW.id, NEW.password_hash, NEW.created_at);
  UPDATE users SET login_id = NEW.id WHERE id = NEW.id;
END;
CREATE TRIGGER passwords_changed_before AFTER UPDATE OF password_hash ON users
BEGIN
  UPDATE logins SET password_hash = NEW.password_hash WHERE id = NEW.login_id;
END;
