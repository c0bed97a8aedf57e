/** Looks through all that is stored of an account for one person, a bounded page at a time. */
import { lowestIdAt } from '../../kernel/ids.js';
import { createPace } from '../../kernel/pace.js';
import { type Erasure, type PersonPlace, personPlaces } from '../../model/erasure.js';
import { isPersonIn, type PersonKey, personKey, type Spelling } from '../../model/person.js';
import type { PersonRow } from '../../ports/persons.js';
import type { Store } from '../../ports/store.js';

/** Whom to look for: by what was asked for, or by keyed hashes. */
export interface Wanted {
  /** What the database can leave rows out by; null: only hashes are known. */
  readonly key: PersonKey | null;
  isIn(row: PersonRow): boolean;
  /** Whenever it was written. */
  isInText(text: string): boolean;
}

export const wantedBy = (key: PersonKey): Wanted => ({
  key,
  isIn: ({ texts }) => isPersonIn(texts, key),
  isInText: (text) => isPersonIn([text], key),
});

/** What was submitted after the erasure began stays: the person has come back. */
const isLater = ({ createdAt }: Erasure, row: PersonRow): boolean =>
  row.submissionId !== null
    ? row.submissionId >= lowestIdAt(createdAt)
    : row.createdAt !== null && row.createdAt >= createdAt;

export function wantedOf(erasure: Erasure, hash: Spelling): Wanted {
  const plain = erasure.q === null ? null : personKey(erasure.q);
  const areIn = (texts: PersonRow['texts']): boolean =>
    plain ? isPersonIn(texts, plain) : isPersonIn(texts, erasure.key, hash);
  return {
    key: plain,
    isIn: (row) => !isLater(erasure, row) && areIn(row.texts),
    isInText: (text) => areIn([text]),
  };
}

export interface FoundPage {
  readonly place: PersonPlace;
  readonly rows: readonly PersonRow[];
}

/** Of these rows those that hold the person. In short pieces: rows of a page can have mebibytes. */
export async function holding(rows: readonly PersonRow[], wanted: Wanted): Promise<readonly PersonRow[]> {
  const found: PersonRow[] = [];
  const pace = createPace();
  for (const row of rows) {
    if (pace.isOver()) await pace.rest();
    if (wanted.isIn(row)) found.push(row);
  }
  return found;
}

/** `page` runs each look at the database. */
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
