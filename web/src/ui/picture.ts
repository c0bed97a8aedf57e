/** Which files are pictures. */
import type { SubmissionFile } from '../wire.js';

/** What the service can read; an SVG is not drawn. */
export const isPicture = ({ type }: Pick<SubmissionFile, 'type'>): boolean =>
  /^image\/(?:jpeg|png|webp|gif|avif|heic|heif|tiff)$/.test(type);
