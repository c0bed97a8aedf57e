/** How a file can be looked at without downloading it. */
import { isPicture } from '../../ui/picture.js';
import type { SubmissionFile } from '../../wire.js';

export type FileKind = 'picture' | 'pdf' | 'text';

/** As the service has it: anything else it hands out as a download alone. */
const textTypes = /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)$|\+(json|xml)$/;

export interface ViewingMeans {
  /** The plan has pictures in any size; what a visitor uploaded is never shown as it came. */
  readonly hasPictures: boolean;
  readonly hasPdfViewer: boolean;
}

/** null: it can only be downloaded. */
export function fileKind(file: Pick<SubmissionFile, 'type'>, means: ViewingMeans): FileKind | null {
  if (isPicture(file)) return means.hasPictures ? 'picture' : null;
  if (file.type === 'application/pdf') return means.hasPdfViewer ? 'pdf' : null;
  return textTypes.test(file.type) ? 'text' : null;
}
