/** Which columns a CSV export has: the fields of the submissions that it covers. */
import { membersOf } from '../../kernel/json-outline.js';
import { createPace } from '../../kernel/pace.js';
import { isFileOnly, maxObservedNames } from '../../model/observed-field.js';
import type { Store } from '../../ports/store.js';
import { newestSubmissions } from './newest.js';

/** More columns than that make no table; the other fields go into one of their own, as JSON. */
const maxColumns = 200;
/** How many names are counted to find the common ones. */
const maxNames = 20_000;

/** Shorter than usual: the next page may arrive in the same turn, and a large one takes some milliseconds to take in. */
const pieceMs = 2;
/** A text from here on begins a turn of its own: it is read in one go, as when it was submitted. */
const largeLength = 64 * 1024;

export interface Columns {
  readonly names: readonly string[];
  /** False: there are fields without a column. */
  readonly isComplete: boolean;
}

/**
 * The fields of a form as they were learned; null: some may be missing, so that its submissions must be read. If there are too many
 * for columns, those that are most common in its newest submissions have one.
 */
export async function columnsIn(store: Store, formId: string): Promise<Columns | null> {
  // Before: a process of another release may begin at any time.
  if (!(await store.fields.isComplete())) return null;
  const fields = await store.fields.list(formId);
  const names = fields.filter((field) => !isFileOnly(field)).map(({ name }) => name);
  if (names.length <= maxColumns) return { names, isComplete: fields.length < maxObservedNames };
  const tally = createTally();
  for (const { data } of await newestSubmissions(store, formId)) {
    tally.begin();
    for (const { name } of membersOf(data)) tally.note(name);
  }
  tally.begin();
  for (const name of names) tally.note(name);
  return tally.columns();
}

/**
 * Those that most submissions have come first in line. Visitors choose the names of fields: a single submission with a
 * thousand of them must not push out the ones that the owner looks for.
 */
export async function columnsOf(pages: AsyncIterable<readonly string[]>): Promise<Columns> {
  const tally = createTally();
  const pace = createPace(pieceMs);
  for await (const texts of pages) {
    for (const text of texts) {
      if (text.length >= largeLength || pace.isOver()) await pace.rest();
      tally.begin();
      for (const { name } of membersOf(text)) tally.note(name);
    }
  }
  return tally.columns();
}

/** In how many submissions each name occurs, in the order in which they were first seen. */
function createTally() {
  const tally = new Map<string, { count: number; lastIn: number }>();
  let submission = 0;
  let isComplete = true;
  return {
    /** A name that a submission has twice is counted once. */
    begin: (): void => {
      submission += 1;
    },
    note: (name: string): void => {
      const noted = tally.get(name);
      if (noted === undefined) {
        if (tally.size >= maxNames) isComplete = false;
        else tally.set(ownCopy(name), { count: 1, lastIn: submission });
      } else if (noted.lastIn !== submission) {
        noted.count += 1;
        noted.lastIn = submission;
      }
    },
    columns(): Columns {
      if (tally.size <= maxColumns) return { names: [...tally.keys()], isComplete };
      // Numbers alone are sorted in 1 ms; the names with them took 20.
      const counts = Uint32Array.from(tally.values(), ({ count }) => count).sort();
      const least = counts[counts.length - maxColumns] ?? 0;
      let room = maxColumns - counts.filter((count) => count > least).length;
      const names: string[] = [];
      for (const [name, { count }] of tally) {
        // Of those that are as common as the least common that has a column, the first that were seen.
        if (count === least) room -= 1;
        if (count > least || (count === least && room >= 0)) names.push(name);
      }
      return { names, isComplete: false };
    },
  };
}

/** A part of a text keeps all of it in memory: twenty thousand names would keep as many pages. */
const ownCopy = (name: string): string => JSON.parse(JSON.stringify(name)) as string;
