-- An e-mail address is unique within its account, not in the whole instance: nobody learns who has an account elsewhere,
-- and nobody can take an address away. SQLite cannot drop the rule of a column, so the table is made anew, and with it the
-- one that refers to it: dropping a table deletes its rows first, and with a user go the user's sessions.
CREATE TABLE users_of_accounts (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
INSERT INTO users_of_accounts (id, account_id, email, password_hash, created_at)
  SELECT id, account_id, email, password_hash, created_at FROM users;
CREATE TABLE sessions_of_users (
  token_hash TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL REFERENCES users_of_accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
INSERT INTO sessions_of_users (token_hash, user_id, created_at, last_seen_at, expires_at)
  SELECT token_hash, user_id, created_at, last_seen_at, expires_at FROM sessions;
DROP TABLE sessions;
DROP TABLE users;
-- Renaming takes the reference along.
ALTER TABLE users_of_accounts RENAME TO users;
ALTER TABLE sessions_of_users RENAME TO sessions;
CREATE UNIQUE INDEX users_by_email ON users (email, account_id);
CREATE INDEX users_by_account ON users (account_id, id);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
