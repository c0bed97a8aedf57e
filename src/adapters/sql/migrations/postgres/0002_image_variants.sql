-- Transformed images that are kept until others are used more recently. A row stays, marked as removed, until its
-- bytes are gone from the blob store, so that a crash in between leaves no bytes that nobody knows of.
CREATE TABLE image_variants (
  blob_key TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  file_id TEXT COLLATE "C" NOT NULL,
  recipe TEXT COLLATE "C" NOT NULL,
  mime_type TEXT COLLATE "C" NOT NULL,
  size_bytes BIGINT NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  removed_at BIGINT
);
CREATE UNIQUE INDEX image_variants_by_recipe ON image_variants (file_id, recipe) WHERE removed_at IS NULL;
CREATE INDEX image_variants_by_use ON image_variants (used_at, blob_key, size_bytes) WHERE removed_at IS NULL;
CREATE INDEX image_variants_removed ON image_variants (removed_at) WHERE removed_at IS NOT NULL;
