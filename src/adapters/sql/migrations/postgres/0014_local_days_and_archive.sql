-- What happened at a form in a quarter of an hour (since 1970, UTC), by kind: every time zone's days begin at one. The previous
-- release adds to `form_days`, and readers add up both. After two months the rows are folded into those of their days.
CREATE TABLE form_quarter_hours (
  form_id TEXT COLLATE "C" NOT NULL,
  quarter_hour BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  slot BIGINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (form_id, quarter_hour, kind, slot)
);
CREATE INDEX form_quarter_hours_by_time ON form_quarter_hours (quarter_hour);

-- Closed for visitors, and left out of lists unless they are asked for archived forms.
ALTER TABLE forms ADD COLUMN is_archived BIGINT NOT NULL DEFAULT 0;
