-- A destination is disabled when its failures go on for days, which a single failure long ago does not show.
ALTER TABLE destinations ADD COLUMN last_failed_at BIGINT;
