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
  -- Characters of data: pages and bounds are found without reading the data itself, which may be a mebibyte each.
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX quarantined_by_form ON quarantined (form_id, id, size);

-- What happened at a form on a day (UTC days since 1970), by kind. The index is touched only by the first of a day.
CREATE TABLE form_days (
  form_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (form_id, day, kind)
) WITHOUT ROWID;
CREATE INDEX form_days_by_day ON form_days (day);

-- The last few requests that were refused, for each form and reason.
CREATE TABLE turned_away_examples (
  form_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  seen TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  PRIMARY KEY (form_id, reason, id)
) WITHOUT ROWID;
CREATE INDEX turned_away_examples_by_age ON turned_away_examples (at);
