/** The lists of submissions that this window holds, as they look once a change is made, and once it is taken back. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Folder, Label, Submission, SubmissionPage, SubmissionsChange } from '../wire.js';

export type Pages = InfiniteData<SubmissionPage, string | null>;

const isSet = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** Whether a list that asks for `asked` shows what is in the folder: without a wish it leaves out spam and trash. */
export const isShown = (folder: Folder, asked: string | undefined): boolean =>
  asked === undefined ? folder === 'inbox' || folder === 'archive' : asked === 'all' || asked === folder;

function labelsAfter(
  labels: Submission['labels'],
  { add_labels = [], remove_labels = [] }: SubmissionsChange,
  known: readonly Label[],
): Submission['labels'] {
  const kept = (labels ?? []).filter(({ id }) => !remove_labels.includes(id) && !add_labels.includes(id));
  const added = known.filter(({ id }) => add_labels.includes(id));
  return [...kept, ...added].sort((a, b) => a.name.localeCompare(b.name));
}

/** A submission as it is after the change. `known`: the labels of the account, for the names of those that are added. */
export function afterChange(
  submission: Submission,
  change: SubmissionsChange,
  known: readonly Label[],
): Submission {
  const { add_labels, remove_labels, ...fields } = change;
  const labels =
    isSet(add_labels) || isSet(remove_labels)
      ? labelsAfter(submission.labels, change, known)
      : submission.labels;
  return { ...submission, ...fields, ...(labels && { labels }) };
}

const eachPage = (
  pages: Pages,
  rowsOf: (rows: readonly Submission[], place: number) => Submission[],
): Pages => ({
  ...pages,
  pages: pages.pages.map((page, place) => ({ ...page, data: rowsOf(page.data, place) })),
});

/** Rows stay where they are; only what has left the folder of the list goes. */
export function withChange(
  pages: Pages,
  ids: ReadonlySet<string>,
  change: SubmissionsChange,
  { askedFolder, known }: { readonly askedFolder: string | undefined; readonly known: readonly Label[] },
): Pages {
  const { folder } = change;
  const goes = folder !== undefined && !isShown(folder, askedFolder);
  return eachPage(pages, (rows) =>
    goes
      ? rows.filter(({ id }) => !ids.has(id))
      : rows.map((row) => (ids.has(row.id) ? afterChange(row, change, known) : row)),
  );
}

/** The given rows are as they were before, in their old places; all else is as it is now. Null: the list has begun anew since. */
export function withFormer(now: Pages, before: Pages, ids: ReadonlySet<string>): Pages | null {
  if (now.pages.length < before.pages.length) return null;
  if (before.pageParams.some((cursor, place) => now.pageParams[place] !== cursor)) return null;
  return eachPage(now, (rows, place) => {
    const former = before.pages[place]?.data ?? [];
    const formerIds = new Set(former.map(({ id }) => id));
    const current = new Map(rows.map((row) => [row.id, row]));
    return [
      ...rows.filter(({ id }) => !formerIds.has(id)),
      ...former.map((row) => (ids.has(row.id) ? row : current.get(row.id))).filter(isSet),
    ];
  });
}

/** Takes submissions out that are deleted. */
export const without = (pages: Pages, ids: ReadonlySet<string>): Pages =>
  eachPage(pages, (rows) => rows.filter(({ id }) => !ids.has(id)));
