/** The last lines of commands that copy an instance: how much it contains, and what is missing. */
import type { Contents } from '../../transfer/contents.js';

export const contentsText = (held: Contents): string =>
  [
    countText(held.accounts, 'account'),
    countText(held.projects, 'project'),
    countText(held.forms, 'form'),
    countText(held.submissions, 'submission'),
  ].join(', ');

export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Files that a command could not copy. */
export function missingLines(ids: readonly string[], what: string): readonly string[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, 20).map((id) => `  ${id}`);
  const rest = ids.length > 20 ? [`  and ${ids.length - 20} more (all of them with --json)`] : [];
  return [`Files that ${what} (${ids.length}):`, ...shown, ...rest];
}
