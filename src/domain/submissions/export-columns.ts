/** Determines the columns of a CSV export: the fields of the submissions that it covers. */
import { membersOf } from '../../kernel/json-outline.js';
import { createPace } from '../../kernel/pace.js';
import { isFileOnly, maxObservedNames } from '../../model/observed-field.js';
import type { Store } from '../../ports/store.js';
import { newestSubmissions } from './newest.js';

/** A table with more columns is of no use. The other fields go into one extra column, as JSON. */
const maxColumns = 200;
/** How many different names are counted to find the common ones. */
const maxNames = 20_000;

/** Shorter than usual: the next page may arrive in the same event loop turn, and receiving a large one takes some milliseconds. */
const pieceMs = 2;
/** A text this long gets its own event loop turn: it is read in one go, as when it was submitted. */
const largeLength = 64 * 1024;

export interface Columns {
  readonly names: readonly string[];
  /** False when there are fields without a column. */
  readonly isComplete: boolean;
}

/**
 * Returns the fields learned for a form, or null when some may be missing and its submissions must be read. If there are too many
 * for columns, the ones most common in its newest submissions get one.
 */
export async function columnsIn(store: Store, formId: string): Promise<Columns | null> {
  // Checked before reading: a process of another release may start at any time.
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
 * Fields that most submissions have take precedence. Visitors choose the names of fields: a single submission with a
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

/** Counts in how many submissions each name occurs, in order of first occurrence. */
function createTally() {
  const tally = new Map<string, { count: number; lastIn: number }>();
  let submission = 0;
  let isComplete = true;
  return {
    /** Begins a submission: a name that occurs in it twice is counted once. */
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
      // Sorting only the numbers takes 1 ms; sorting the names with them took 20 ms.
      const counts = Uint32Array.from(tally.values(), ({ count }) => count).sort();
      const least = counts[counts.length - maxColumns] ?? 0;
      let room = maxColumns - counts.filter((count) => count > least).length;
      const names: string[] = [];
      for (const [name, { count }] of tally) {
        // Of the names tied with the least common one that gets a column, the first seen win.
        if (count === least) room -= 1;
        if (count > least || (count === least && room >= 0)) names.push(name);
      }
      return { names, isComplete: false };
    },
  };
}

/** A substring retains its whole text in memory: twenty thousand names would retain as many pages. */
const ownCopy = (name: string): string => JSON.parse(JSON.stringify(name)) as string;
