-- Providers whose users may sign in to an account.
CREATE TABLE identity_providers (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- JSON of all settings, sealed. What the sign-in page asks for is beside it.
  config TEXT NOT NULL,
  domains TEXT NOT NULL,
  is_listed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX identity_providers_by_account ON identity_providers (account_id, id);
-- Whom a provider vouches for.
CREATE TABLE identities (
  provider_id TEXT NOT NULL REFERENCES identity_providers (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (provider_id, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);
-- Who signed in with a provider; null: with a password.
ALTER TABLE sessions ADD COLUMN provider_id TEXT REFERENCES identity_providers (id) ON DELETE CASCADE;
CREATE INDEX sessions_by_provider ON sessions (provider_id) WHERE provider_id IS NOT NULL;
