/** Searches everything stored for an account for one person, a bounded page at a time. */
import { lowestIdAt } from '../../kernel/ids.js';
import { createPace, type Pace } from '../../kernel/pace.js';
import { type Erasure, type PersonPlace, personPlaces } from '../../model/erasure.js';
import {
  isPersonIn,
  type PersonKey,
  personKey,
  type Search,
  type Spelling,
  searchFor,
} from '../../model/person.js';
import type { PersonRow } from '../../ports/persons.js';
import type { Store } from '../../ports/store.js';

/** Whom to look for: by the search text, or by keyed hashes. */
export interface Wanted {
  /** Lets the database skip rows. null: only hashes are known. */
  readonly key: PersonKey | null;
  lookIn(row: PersonRow): Search;
  /** Applies to text of any date. Not for text from visitors: it is searched without yielding. */
  isInText(text: string): boolean;
}

export const wantedBy = (key: PersonKey): Wanted => ({
  key,
  lookIn: ({ texts }) => searchFor(texts, key),
  isInText: (text) => isPersonIn([text], key),
});

/** What was submitted after the erasure began stays: the person has come back. */
const isLater = ({ createdAt }: Erasure, row: PersonRow): boolean =>
  row.submissionId !== null
    ? row.submissionId >= lowestIdAt(createdAt)
    : row.createdAt !== null && row.createdAt >= createdAt;

export function wantedOf(erasure: Erasure, hash: Spelling): Wanted {
  const plain = erasure.q === null ? null : personKey(erasure.q);
  const [key, spell] = plain ? [plain] : [erasure.key, hash];
  return {
    key: plain,
    *lookIn(row) {
      return !isLater(erasure, row) && (yield* searchFor(row.texts, key, spell));
    },
    isInText: (text) => isPersonIn([text], key, spell),
  };
}

/** Steps of a search between two checks of the clock. */
const stepsAtOnce = 16;

async function found(search: Search, pace: Pace): Promise<boolean> {
  for (let steps = 1; ; steps += 1) {
    const step = search.next();
    if (step.done) return step.value;
    if (steps % stepsAtOnce === 0 && pace.isOver()) await pace.rest();
  }
}

export interface FoundPage {
  readonly place: PersonPlace;
  readonly rows: readonly PersonRow[];
}

/** Returns the rows that contain the person. Yields to the event loop: a row can have several MiB, crafted to take long. */
export async function holding(rows: readonly PersonRow[], wanted: Wanted): Promise<readonly PersonRow[]> {
  const holders: PersonRow[] = [];
  const pace = createPace();
  for (const row of rows) {
    if (pace.isOver()) await pace.rest();
    if (await found(wanted.lookIn(row), pace)) holders.push(row);
  }
  return holders;
}

/** `page` runs each read of the database. */
export async function* findPerson(
  store: Store,
  accountId: string,
  wanted: Wanted,
  page: <T>(read: () => Promise<T>) => Promise<T>,
  places: readonly PersonPlace[] = personPlaces,
): AsyncGenerator<FoundPage> {
  for (const place of places) {
    for (let after: string | null = ''; after !== null; ) {
      const from: string = after;
      const found = await page(() => store.persons.scan(accountId, place, wanted.key, from));
      yield { place, rows: await holding(found.rows, wanted) };
      after = found.next;
    }
  }
}
