-- What an attempt sent and the headers that came back, as JSON; null: none, or an attempt of an earlier release.
ALTER TABLE delivery_attempts ADD COLUMN request TEXT;
ALTER TABLE delivery_attempts ADD COLUMN response_headers TEXT;
