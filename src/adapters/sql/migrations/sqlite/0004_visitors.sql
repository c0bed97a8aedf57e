-- Challenges whose solution was taken. A solution passes once; the row is needed until the challenge expires.
CREATE TABLE spent_challenges (
  id TEXT PRIMARY KEY NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX spent_challenges_expired ON spent_challenges (expires_at);

-- What robots sent, for thirty days: no submission, counted nowhere, delivered to nobody, until its owner releases it.
CREATE TABLE quarantined (
  id TEXT PRIMARY KEY NOT NULL,
  form_id TEXT NOT NULL REFERENCES forms (id),
  project_id TEXT NOT NULL,
  data TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  submitted_from TEXT NOT NULL,
  field TEXT NOT NULL,
  files_dropped INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX quarantined_by_form ON quarantined (form_id, id);
