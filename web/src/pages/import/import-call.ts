/** The requests of an import: a dry run with the start of the file, and the upload with its progress. */
import { ApiError, apiUrl, refusalOf, withSession } from '../../api.js';
import type { ImportReport } from '../../wire.js';
import * as words from '../../words/import.js';

export interface ImportChoices {
  /** Empty: any other service. */
  readonly source: string;
  /** The user's corrections by column name: a field, or `@date` and so on. */
  readonly map: Readonly<Record<string, string>>;
  /** Empty: detected from the dates themselves. */
  readonly dateOrder: string;
  readonly files: boolean;
  readonly includeSpam: boolean;
}

/** The preview is read from this much of the file. */
const sampleBytes = 64 * 1024;

const addressOf = (formId: string, choices: ImportChoices, isDryRun: boolean): string =>
  apiUrl(`/forms/${formId}/import`, {
    source: choices.source,
    map: Object.keys(choices.map).length === 0 ? null : JSON.stringify(choices.map),
    date_order: choices.dateOrder,
    files: choices.files ? '1' : null,
    include_spam: choices.includeSpam ? '1' : null,
    dry_run: isDryRun ? '1' : null,
  });

/** Cut at the last line break: half a row would look like a broken one. */
async function beginningOf(file: File): Promise<Blob> {
  if (file.size <= sampleBytes) return file;
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer());
  const end = bytes.lastIndexOf(10) + 1;
  return file.slice(0, end === 0 ? sampleBytes : end);
}

/** Generic, because browsers name the types differently; the server detects the type from the content. */
const type = 'application/octet-stream';

export async function previewImport(
  formId: string,
  file: File,
  choices: ImportChoices,
  signal: AbortSignal,
): Promise<ImportReport> {
  const body = await beginningOf(file);
  const answer = await withSession(() =>
    fetch(addressOf(formId, choices, true), {
      method: 'POST',
      credentials: 'same-origin',
      headers: { accept: 'application/json', 'content-type': type },
      body,
      signal,
    }),
  );
  if (!answer.ok) throw await refusalOf(answer);
  const report: ImportReport = await answer.json();
  return report;
}

/** `onProgress` receives the uploaded fraction, 0 to 1. Uses XMLHttpRequest because fetch reports no upload progress. */
export function sendImport(
  formId: string,
  file: File,
  choices: ImportChoices,
  onProgress: (part: number) => void,
): { readonly done: Promise<ImportReport>; readonly stop: () => void } {
  let isStopped = false;
  let request = new XMLHttpRequest();
  const sending = () =>
    new Promise<Response>((resolve, reject) => {
      // It may have been stopped while it waited for a new session.
      if (isStopped) return reject(new ApiError(0, words.stopped));
      request = new XMLHttpRequest();
      request.open('POST', addressOf(formId, choices, false));
      request.setRequestHeader('accept', 'application/json');
      request.setRequestHeader('content-type', type);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      request.onerror = () => reject(new ApiError(0, words.connectionBroke));
      request.onabort = () => reject(new ApiError(0, words.stopped));
      request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
      request.send(file);
    });
  const run = async (): Promise<ImportReport> => {
    const answer = await withSession(sending);
    if (answer.status !== 200) throw await refusalOf(answer);
    const report: ImportReport = await answer.json();
    return report;
  };
  const stop = () => {
    isStopped = true;
    request.abort();
  };
  return { done: run(), stop };
}
