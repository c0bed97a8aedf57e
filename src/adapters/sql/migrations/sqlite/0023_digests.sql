-- A submission that waits for a digest is a delivery in queue 8, where only the digests look. The one that it went with
-- is noted, also in the mails of that digest, whose submission_id it is.
ALTER TABLE deliveries ADD COLUMN digest_id TEXT;
CREATE INDEX deliveries_of_digest ON deliveries (digest_id) WHERE digest_id IS NOT NULL;
CREATE INDEX deliveries_for_digest ON deliveries (next_attempt_at, lane) WHERE state = 'pending' AND queue = 8;
-- They belong to no submission that could be deleted with them.
CREATE INDEX deliveries_digest_mails ON deliveries (id) WHERE submission_id = digest_id;
