-- Challenges whose solution was taken. A solution passes once; the row is needed until the challenge expires.
CREATE TABLE spent_challenges (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX spent_challenges_expired ON spent_challenges (expires_at);

-- What robots sent, for thirty days: no submission, counted nowhere, delivered to nobody, until its owner releases it.
CREATE TABLE quarantined (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (id),
  project_id TEXT COLLATE "C" NOT NULL,
  data TEXT COLLATE "C" NOT NULL,
  ip TEXT COLLATE "C" NOT NULL,
  user_agent TEXT COLLATE "C" NOT NULL,
  submitted_from TEXT COLLATE "C" NOT NULL,
  field TEXT COLLATE "C" NOT NULL,
  files_dropped BIGINT NOT NULL,
  -- Characters of data: pages and bounds are found without reading the data itself, which may be a mebibyte each.
  size BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX quarantined_by_form ON quarantined (form_id, id, size);

-- What happened at a form on a day (UTC days since 1970), by kind. The index is touched only by the first of a day.
CREATE TABLE form_days (
  form_id TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (form_id, day, kind)
);
CREATE INDEX form_days_by_day ON form_days (day);

-- The last few requests that were refused, for each form and reason.
CREATE TABLE turned_away_examples (
  form_id TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  seen TEXT COLLATE "C" NOT NULL,
  ip TEXT COLLATE "C" NOT NULL,
  user_agent TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (form_id, reason, id)
);
CREATE INDEX turned_away_examples_by_age ON turned_away_examples (at);
