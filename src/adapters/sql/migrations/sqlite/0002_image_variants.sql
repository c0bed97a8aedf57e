-- Transformed images that are kept until others are used more recently. A row stays, marked as removed, until its
-- bytes are gone from the blob store, so that a crash in between leaves no bytes that nobody knows of.
CREATE TABLE image_variants (
  blob_key TEXT PRIMARY KEY NOT NULL,
  file_id TEXT NOT NULL,
  recipe TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  removed_at INTEGER
);
CREATE UNIQUE INDEX image_variants_by_recipe ON image_variants (file_id, recipe) WHERE removed_at IS NULL;
CREATE INDEX image_variants_by_use ON image_variants (used_at, blob_key, size_bytes) WHERE removed_at IS NULL;
CREATE INDEX image_variants_removed ON image_variants (removed_at) WHERE removed_at IS NOT NULL;
