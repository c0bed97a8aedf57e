-- Challenges whose solution was taken. A solution passes once; the row is needed until the challenge expires.
CREATE TABLE spent_challenges (
  id TEXT PRIMARY KEY NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX spent_challenges_expired ON spent_challenges (expires_at);
