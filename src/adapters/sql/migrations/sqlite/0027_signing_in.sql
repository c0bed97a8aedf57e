-- What the list of sessions shows, so that people recognise theirs.
ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';

-- Open invitations, one for each address of an account. Only a hash of the link's token is kept.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX invitations_by_email ON invitations (account_id, email);
CREATE UNIQUE INDEX invitations_by_token ON invitations (token_hash);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);

-- Links that were mailed: to set a password (`reset`), to confirm an address (`email`).
CREATE TABLE login_links (
  token_hash TEXT PRIMARY KEY NOT NULL,
  login_id TEXT NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  email TEXT NOT NULL,
  password_hash TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX login_links_by_login ON login_links (login_id, purpose);
CREATE INDEX login_links_by_expiry ON login_links (expires_at);

-- The secret is sealed. Codes of steps up to `last_step` count no more.
CREATE TABLE authenticators (
  login_id TEXT PRIMARY KEY NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  is_confirmed INTEGER NOT NULL DEFAULT 0,
  last_step INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE TABLE recovery_codes (
  login_id TEXT NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (login_id, code_hash)
);

-- Passkeys, by the id that the device gave them. The counter of most of them stays 0.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY NOT NULL,
  login_id TEXT NOT NULL REFERENCES logins (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
CREATE INDEX passkeys_by_login ON passkeys (login_id, created_at);
