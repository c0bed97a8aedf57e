import type { JsonBounds } from '../../../kernel/json-outline.js';

/** The limits of one submission, the same for all three readers. */
export interface BodyLimits {
  /** Whole body of a JSON or URL-encoded submission; all text of a multipart one, because it is buffered in memory. */
  readonly maxTextBytes: number;
  /** Whole body of a multipart submission (MAX_BODY_BYTES). */
  readonly maxBodyBytes: number;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly json: JsonBounds;
  readonly maxFields: number;
  readonly maxNameBytes: number;
  /** One text value in a multipart body. */
  readonly maxValueBytes: number;
  readonly maxParts: number;
  readonly maxBoundaryBytes: number;
}

const maxFields = 1000;
/** Also for names that a body contains as values. */
export const maxNameBytes = 256;
const KiB = 1024;
const MiB = 1024 * KiB;

/** The fixed part of the limits; the three upload limits come from the configuration. */
export const bodyLimits = (upload: {
  maxFileBytes: number;
  maxFiles: number;
  maxBodyBytes: number;
}): BodyLimits => ({
  ...upload,
  maxTextBytes: Math.min(1 * MiB, upload.maxBodyBytes),
  // A mebibyte of `{},` would be 350,000 objects, and block the service for 130 ms.
  json: { maxDepth: 32, maxMembers: maxFields, maxContainers: 50_000, maxNameBytes },
  maxFields,
  maxNameBytes,
  maxValueBytes: 1 * MiB,
  maxParts: 200,
  // RFC 2046 allows 70. Longer ones have hung and crashed multipart libraries.
  maxBoundaryBytes: 70,
});
