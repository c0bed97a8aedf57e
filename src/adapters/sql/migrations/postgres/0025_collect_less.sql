-- What of a visitor a form keeps, and for how long it keeps files.
ALTER TABLE forms ADD COLUMN store_ip INTEGER NOT NULL DEFAULT 1;
ALTER TABLE forms ADD COLUMN store_user_agent INTEGER NOT NULL DEFAULT 1;
ALTER TABLE forms ADD COLUMN file_retention_days INTEGER;
CREATE INDEX files_of_form ON files (form_id, submission_id) WHERE deleted_at IS NULL;
