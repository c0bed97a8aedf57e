-- Who serves. A process says every few seconds that it is there; one that has been silent for long is gone, and what it
-- had leased is freed by the others.
CREATE TABLE processes (
  id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  host TEXT COLLATE "C" NOT NULL,
  pid BIGINT NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);

ALTER TABLE mails ADD COLUMN lease_owner TEXT COLLATE "C";

-- The same spreading as that of the totals: each process adds to a row of its own, and readers add up.
CREATE TABLE form_days_by_slot (
  form_id TEXT COLLATE "C" NOT NULL,
  day BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  slot BIGINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (form_id, day, kind, slot)
);
INSERT INTO form_days_by_slot (form_id, day, kind, slot, count) SELECT form_id, day, kind, 0, count FROM form_days;
DROP TABLE form_days;
ALTER TABLE form_days_by_slot RENAME TO form_days;
ALTER INDEX form_days_by_slot_pkey RENAME TO form_days_pkey;
CREATE INDEX form_days_by_day ON form_days (day);
