/** Copies the bytes of every file that the copied database knows. */
import type { Foundation } from '../compose/foundation.js';
import type { StoredFile } from '../model/file.js';

export interface CopiedFiles {
  readonly files: number;
  readonly bytes: number;
  /** In the copied rows, but deleted before their bytes were reached. */
  readonly deletedMeanwhile: number;
  /** Ids of files that should have bytes and have none, or too few. */
  readonly missing: readonly string[];
}

const pageLength = 200;
/** Each copy waits for a sync of its own; eight at once keep the disk busy. */
const copiesAtOnce = 8;

export async function copyFiles(
  source: Foundation,
  copy: Foundation,
  onProgress: (done: { readonly files: number; readonly bytes: number }) => void,
): Promise<CopiedFiles> {
  const done = { files: 0, bytes: 0, deletedMeanwhile: 0, missing: [] as string[] };

  const copyOne = async (file: StoredFile): Promise<void> => {
    const content = await source.blobs.open(file.blobKey);
    const sizeBytes = content ? (await copy.blobs.put(file.blobKey, content)).sizeBytes : null;
    if (sizeBytes === file.sizeBytes) {
      done.files += 1;
      done.bytes += sizeBytes;
      onProgress(done);
      return;
    }
    if (sizeBytes !== null) await copy.blobs.remove(file.blobKey);
    const current = await source.store.files.find(file.id);
    if (current === null || current.deletedAt !== null) done.deletedMeanwhile += 1;
    else done.missing.push(file.id);
  };

  for (let after: string | null = null; ; ) {
    const page: readonly StoredFile[] = await copy.store.files.list({ limit: pageLength, after });
    const waiting = [...page];
    const lane = async (): Promise<void> => {
      for (let file = waiting.pop(); file; file = waiting.pop()) await copyOne(file);
    };
    await Promise.all(Array.from({ length: copiesAtOnce }, lane));
    if (page.length < pageLength) return done;
    after = page.at(-1)?.id ?? null;
  }
}
