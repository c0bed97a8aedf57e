-- Who is signed in to the dashboard. Only a hash of the cookie is kept: a stolen copy of the database signs nobody in.
-- `expires_at` is the nearer of two ends: too long unused, or simply too old.
CREATE TABLE sessions (
  token_hash TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE INDEX users_by_account ON users (account_id, id);
