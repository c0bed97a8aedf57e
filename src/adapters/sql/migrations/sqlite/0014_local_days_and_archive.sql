-- What happened at a form in a quarter of an hour (since 1970, UTC), by kind: every time zone's days begin at one. The previous
-- release adds to `form_days`, and readers add up both. After two months the rows are folded into those of their days.
CREATE TABLE form_quarter_hours (
  form_id TEXT NOT NULL,
  quarter_hour INTEGER NOT NULL,
  kind TEXT NOT NULL,
  slot INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (form_id, quarter_hour, kind, slot)
) WITHOUT ROWID;
CREATE INDEX form_quarter_hours_by_time ON form_quarter_hours (quarter_hour);

-- Closed for visitors, and left out of lists unless they are asked for archived forms.
ALTER TABLE forms ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
