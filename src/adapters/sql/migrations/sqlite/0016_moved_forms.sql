-- Up to which submission those of a moved form have followed it to its project, by id; null: all have, or it was never moved.
ALTER TABLE forms ADD COLUMN moved_up_to TEXT;
CREATE INDEX forms_moving ON forms (id) WHERE moved_up_to IS NOT NULL;
