/** Fetches the files that rows link to, and stages them as uploads. A file that cannot be fetched fails only itself. */
import type { Readable } from 'node:stream';
import { forEachConcurrently } from '../../kernel/concurrency.js';
import { safeFilename } from '../../kernel/file-name.js';
import type { Downloads } from '../../ports/downloads.js';
import type { StagedFile, Staging } from '../files/staging.js';
import type { PlannedRow } from './plan-row.js';

const atOnce = 4;

export interface FileFetcher {
  readonly downloads: Downloads;
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
}

export async function fetchFiles(options: {
  readonly files: FileFetcher;
  readonly staging: Staging;
  readonly rows: readonly { readonly id: string; readonly row: Pick<PlannedRow, 'line' | 'links'> }[];
  onStored(): void;
  onFailed(line: number, reason: string): void;
  onStep(): void;
}): Promise<ReadonlyMap<string, readonly StagedFile[]>> {
  const { files, staging, rows, onStored, onFailed, onStep } = options;
  const staged = new Map<string, StagedFile[]>();
  const wanted = rows.flatMap(({ id, row }) => row.links.map((link) => ({ id, line: row.line, link })));
  const fetchOne = async ({ id, line, link }: (typeof wanted)[number]): Promise<void> => {
    const got = await files.downloads.open(link.url, {
      maxBytes: files.maxFileBytes,
      timeoutMs: files.timeoutMs,
    });
    if ('fault' in got) return onFailed(line, `${link.url}: ${got.fault}`);
    const filename = safeFilename(link.filename ?? got.filename);
    const file = await stageOne(staging, {
      field: link.field,
      filename,
      declaredType: got.type,
      content: got.content,
    });
    if ('fault' in file) return onFailed(line, `${link.url}: ${file.fault}`);
    staged.set(id, [...(staged.get(id) ?? []), file]);
    onStored();
    onStep();
  };
  try {
    await forEachConcurrently(wanted, atOnce, fetchOne);
  } catch (error) {
    // What cannot be removed now either is swept by upkeep.
    await staging.discard([...staged.values()].flat()).catch(() => {});
    throw error;
  }
  return staged;
}

async function stageOne(
  staging: Staging,
  file: { field: string; filename: string; declaredType: string; content: Readable },
): Promise<StagedFile | { readonly fault: string }> {
  let fault: Error | null = null;
  file.content.once('error', (error) => {
    fault = error;
  });
  try {
    return await staging.stage(file);
  } catch (error) {
    // Errors of the remote side arrive through the stream; anything else is an internal error.
    if (fault !== null) return { fault: (fault as Error).message };
    throw error;
  } finally {
    // An internal error can end before the content was read.
    file.content.destroy();
  }
}
