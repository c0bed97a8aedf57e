/** Which files are images. */
import type { SubmissionFile } from '../wire.js';

/** The formats the server can decode. SVG is not rendered. */
export const isPicture = ({ type }: Pick<SubmissionFile, 'type'>): boolean =>
  /^image\/(?:jpeg|png|webp|gif|avif|heic|heif|tiff)$/.test(type);
