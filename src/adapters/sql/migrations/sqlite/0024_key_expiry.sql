-- From then on the key opens nothing; null: it does not expire.
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
