/** The submission lists cached in this window, as they look after a change and after its undo. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Folder, Label, Submission, SubmissionPage, SubmissionsChange } from '../wire.js';

/** Light pages have their rows, but without submitted data. */
export interface HeldPage extends SubmissionPage {
  readonly isLight?: boolean;
}
export type Pages = InfiniteData<HeldPage, string | null>;

const isSet = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** Whether a list requested with folder `asked` shows this folder. Without a folder it leaves out spam and trash. */
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

/** A submission after the change. `known`: the account's labels, for the names of added ones. */
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

/** Pages without any of these rows keep their object identity. */
const eachPage = (
  pages: Pages,
  ids: ReadonlySet<string>,
  rowsOf: (rows: readonly Submission[]) => Submission[],
): Pages => ({
  ...pages,
  pages: pages.pages.map((page) =>
    page.data.some(({ id }) => ids.has(id)) ? { ...page, data: rowsOf(page.data) } : page,
  ),
});

export const without = (pages: Pages, ids: ReadonlySet<string>): Pages =>
  eachPage(pages, ids, (rows) => rows.filter(({ id }) => !ids.has(id)));

/** Rows keep their places. Only those that left the list's folder are removed. */
export function withChange(
  pages: Pages,
  ids: ReadonlySet<string>,
  change: SubmissionsChange,
  { askedFolder, known }: { readonly askedFolder: string | undefined; readonly known: readonly Label[] },
): Pages {
  const { folder } = change;
  if (folder !== undefined && !isShown(folder, askedFolder)) return without(pages, ids);
  return eachPage(pages, ids, (rows) =>
    rows.map((row) => (ids.has(row.id) ? afterChange(row, change, known) : row)),
  );
}

/** Restores these rows to their former state and place; the rest stays as it is. Returns null when the list has since been reloaded. */
export function withFormer(now: Pages, before: Pages, ids: ReadonlySet<string>): Pages | null {
  if (now.pages.length < before.pages.length) return null;
  if (before.pageParams.some((cursor, place) => now.pageParams[place] !== cursor)) return null;
  const rowsOf = (page: HeldPage, place: number): Submission[] => {
    const former = before.pages[place]?.data ?? [];
    const formerIds = new Set(former.map(({ id }) => id));
    const current = new Map(page.data.map((row) => [row.id, row]));
    return [
      ...page.data.filter(({ id }) => !formerIds.has(id)),
      ...former.map((row) => (ids.has(row.id) ? row : current.get(row.id))).filter(isSet),
    ];
  };
  return {
    ...now,
    pages: now.pages.map((page, place) =>
      before.pages[place]?.data.some(({ id }) => ids.has(id)) ? { ...page, data: rowsOf(page, place) } : page,
    ),
  };
}

/**
 * Merges a page that was read again: its rows take the server's state and keep their places. Missing rows are removed from lists sorted
 * newest first; in any other order a missing row may only have moved.
 */
export function withReread(pages: Pages, place: number, read: SubmissionPage, isByTime: boolean): Pages {
  const found = new Map(read.data.map((row) => [row.id, row]));
  const oldest = read.data.at(-1)?.id;
  // Ids start with their timestamp. Rows below the last one read may still exist.
  const isGone = ({ id }: Submission): boolean =>
    isByTime && !found.has(id) && (read.next_cursor === null || (oldest !== undefined && id > oldest));
  return {
    ...pages,
    pages: pages.pages.map((page, at) =>
      at === place
        ? {
            ...page,
            isLight: false,
            data: page.data.filter((row) => !isGone(row)).map((row) => found.get(row.id) ?? row),
          }
        : page,
    ),
  };
}

const lightened = (page: HeldPage): HeldPage => ({
  ...page,
  isLight: true,
  data: page.data.map((row) => ({ ...row, data: {}, files: row.files.slice(0, 1) })),
});

/** Makes pages further away than `reach` light, so that a list of 100,000 rows fits into memory. The first page stays complete. */
export function withLightPages(pages: Pages, near: number, reach: number): Pages {
  const isFar = (page: HeldPage, place: number): boolean =>
    place > 0 && page.isLight !== true && Math.abs(place - near) > reach;
  if (!pages.pages.some(isFar)) return pages;
  return { ...pages, pages: pages.pages.map((page, place) => (isFar(page, place) ? lightened(page) : page)) };
}

/** The index of the page that contains a row. */
export function pageOfRow(pages: Pages, row: number): number {
  let first = 0;
  const place = pages.pages.findIndex(({ data }) => {
    first += data.length;
    return row < first;
  });
  return place < 0 ? pages.pages.length - 1 : place;
}
