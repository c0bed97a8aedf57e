/** How a file can be viewed without downloading it. */
import { isPicture } from '../../ui/picture.js';
import type { SubmissionFile } from '../../wire.js';

export type FileKind = 'picture' | 'pdf' | 'text';

/** As on the server, which serves all other types only as downloads. */
const textTypes = /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)$|\+(json|xml)$/;

export interface ViewingMeans {
  /** The plan includes image variants; an uploaded original is never shown. */
  readonly hasPictures: boolean;
  readonly hasPdfViewer: boolean;
}

/** Returns null when the file can only be downloaded. */
export function fileKind(file: Pick<SubmissionFile, 'type'>, means: ViewingMeans): FileKind | null {
  if (isPicture(file)) return means.hasPictures ? 'picture' : null;
  if (file.type === 'application/pdf') return means.hasPdfViewer ? 'pdf' : null;
  return textTypes.test(file.type) ? 'text' : null;
}
