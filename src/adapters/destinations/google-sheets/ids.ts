/**
 * Looks for submissions in the column of their ids. Many attempts are repeated at once after an outage: those that wait
 * while one search reads the sheet share the next one, so that memory and the quota of requests are spared.
 */
import type { SendResult } from '../../../ports/destination-kind.js';
import type { ColumnPage, SheetCalls } from './calls.js';

export interface IdSearches {
  /** The result of the attempt if the row is there already; null if not. `key` names the column. */
  find(key: string, id: string, calls: SheetCalls, column: string): Promise<SendResult | null>;
}

interface Search {
  readonly wanted: Set<string>;
  readonly found: Promise<ReadonlyMap<string, SendResult>>;
}

/** In a larger sheet only the last rows are read: what may have arrived is among them. */
const maxRowsRead = 100_000;
const maxPages = 20;

async function searchColumn(
  calls: SheetCalls,
  column: string,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SendResult>> {
  const found = new Map<string, SendResult>();
  const look = (page: ColumnPage): void => {
    for (const id of wanted) if (page.text.includes(`"${id}"`)) found.set(id, page.result);
  };
  let page = await calls.readColumn(column, 1);
  look(page);
  let next = 1 + page.rows;
  if (!page.isWhole) next = Math.max(next, (await calls.grid()).rows - maxRowsRead);
  for (let pages = 1; !page.isWhole; pages += 1) {
    if (page.rows === 0 || pages === maxPages)
      throw calls.stopped('The sheet is too large to look for the row, which may be there already');
    page = await calls.readColumn(column, next);
    look(page);
    next += page.rows;
  }
  return found;
}

export function createIdSearches(): IdSearches {
  /** Not begun yet, so that one more id can join. */
  const waiting = new Map<string, Search>();
  const last = new Map<string, Promise<unknown>>();

  const begin = (key: string, calls: SheetCalls, column: string): Search => {
    const wanted = new Set<string>();
    const found = (last.get(key) ?? Promise.resolve()).then(() => {
      waiting.delete(key);
      return searchColumn(calls, column, wanted);
    });
    const ended = found
      .catch(() => {})
      .then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    const search = { wanted, found };
    waiting.set(key, search);
    return search;
  };

  return {
    async find(key, id, calls, column) {
      const search = waiting.get(key) ?? begin(key, calls, column);
      search.wanted.add(id);
      return (await search.found).get(id) ?? null;
    },
  };
}
