-- Who serves. A process says every few seconds that it is there; one that has been silent for long is gone, and what it
-- had leased is freed by the others.
CREATE TABLE processes (
  id TEXT PRIMARY KEY NOT NULL,
  role TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);

ALTER TABLE mails ADD COLUMN lease_owner TEXT;

-- The same spreading as that of the totals: each process adds to a row of its own, and readers add up.
CREATE TABLE form_days_by_slot (
  form_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  kind TEXT NOT NULL,
  slot INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (form_id, day, kind, slot)
) WITHOUT ROWID;
INSERT INTO form_days_by_slot (form_id, day, kind, slot, count) SELECT form_id, day, kind, 0, count FROM form_days;
DROP TABLE form_days;
ALTER TABLE form_days_by_slot RENAME TO form_days;
CREATE INDEX form_days_by_day ON form_days (day);
