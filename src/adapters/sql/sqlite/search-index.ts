/** How the search index sees a submission. Defined once, for the index itself and for the sieve that judges single rows. */
import type { SubmissionScope } from '../../../ports/store.js';

/** As in the migration that created the index. */
export const tokenizer = 'unicode61 remove_diacritics 2';

/** The columns of the index, from a row with `form_id`, `project_id` and `data`. The words are the leaves of the data. */
export const scopeColumn = `'f' || replace(form_id, '-', '') || ' p' || replace(project_id, '-', '')`;
export const wordsColumn = `CASE WHEN json_valid(data) THEN
    (SELECT group_concat(atom, ' ') FROM json_tree(data) WHERE type IN ('text', 'integer', 'real'))
  ELSE data END`;
export const indexedColumns = `${scopeColumn}, ${wordsColumn}`;

/** Adds all rows up to that number to the index. */
export const indexingText = (lastSeq: number): string => `
  BEGIN IMMEDIATE;
  INSERT INTO submission_search (rowid, scope, words)
    SELECT seq, ${indexedColumns} FROM submissions
    WHERE seq > (SELECT indexed_seq FROM search_progress) AND seq <= ${lastSeq};
  UPDATE search_progress SET indexed_seq = max(indexed_seq, ${lastSeq});
  COMMIT;`;

/** Pages of 4 kB, about 12 ms. What a step adds is merged four or five times as it ages. */
const mergedPages = 128;

export const mergeText = (table: 'submission_search' | 'submission_search_pieces'): string =>
  `INSERT INTO ${table} (${table}, rank) VALUES ('merge', ${mergedPages})`;

const token = (kind: 'f' | 'p', id: string): string => kind + id.replaceAll('-', '');

const scopeTokens = (scope: SubmissionScope): string => {
  if (scope.kind === 'form') return token('f', scope.formId);
  if (scope.kind === 'project') return token('p', scope.projectId);
  return `(${scope.projectIds.map((id) => token('p', id)).join(' OR ')})`;
};

/**
 * One word as a prefix. The index splits it the same way as the text, so it is passed on as written: if that gives several
 * words, they must be adjacent. The text may use other characters for the same letters: composed or decomposed ones, or
 * common ones instead of wide characters and ligatures.
 */
const beginning = (word: string): string => {
  const forms = new Set([word, word.normalize('NFC'), word.normalize('NFD'), word.normalize('NFKC')]);
  const asked = Array.from(forms, (form) => `"${form.replaceAll('"', ' ')}"*`);
  return asked.length === 1 ? asked.join('') : `(${asked.join(' OR ')})`;
};

/** Each word as a prefix; without words, the whole scope. */
export const matchText = (scope: SubmissionScope, words: readonly string[]): string => {
  const begins = words.map(beginning).join(' AND ');
  return `scope:${scopeTokens(scope)}${words.length > 0 ? ` AND words:(${begins})` : ''}`;
};
