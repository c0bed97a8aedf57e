/** Exports the selected submissions as a file. */
import { apiUrl, refusalOf, withSession } from '../../api.js';
import { saveFile } from '../../ui/save-file.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import * as words from '../../words/submissions.js';

export const exportKinds = [
  { format: 'csv', title: words.csvForSpreadsheets },
  { format: 'jsonl', title: words.jsonLinesForPrograms },
] as const;
export type ExportFormat = (typeof exportKinds)[number]['format'];

export const maxExported = 1_000;

export async function exportSelection(ids: readonly string[], format: ExportFormat): Promise<void> {
  const send = () =>
    fetch(apiUrl('/submissions/export'), {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids, format }),
    });
  try {
    const response = await withSession(send);
    if (!response.ok) throw await refusalOf(response);
    saveFile(await response.blob(), `submissions-${new Date().toISOString().slice(0, 10)}.${format}`);
    tellDone(words.exported(ids.length));
  } catch (error) {
    tellFailure(words.nothingExported, error);
  }
}
