/**
 * Looks up submissions in the id column. After an outage, many attempts are repeated at once: those that arrive while one
 * search reads the sheet share the next one, which saves memory and request quota.
 */
import type { SendResult } from '../../../ports/destination-kind.js';
import type { ColumnPage, SheetCalls } from './calls.js';

export interface IdSearches {
  /** Resolves with the attempt's result if the row is already there, else with null. `key` identifies the column. */
  find(key: string, id: string, calls: SheetCalls, column: string): Promise<SendResult | null>;
}

interface Search {
  readonly wanted: Set<string>;
  readonly found: Promise<ReadonlyMap<string, SendResult>>;
}

/** In a larger sheet, the search skips to the last rows: a row that may have arrived is among them. */
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
  /** Searches that have not started yet, so that more ids can join. */
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
