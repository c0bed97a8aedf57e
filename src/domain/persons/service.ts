/** Finds, exports and erases everything stored about a person whose data was submitted. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { type Erasure, type PersonPlace, type PlaceCounts, personPlaces } from '../../model/erasure.js';
import { refuse } from '../../model/errors.js';
import { keyText, type PersonKey, personKey, type Spelling } from '../../model/person.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { PersonRow } from '../../ports/persons.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import { begunErasure } from './erasing.js';
import { findPerson, wantedBy } from './finding.js';
import { exportPerson } from './person-export.js';
import { isGenuine, receiptOf, type SignedReceipt } from './receipt.js';

export interface PersonExample extends Omit<PersonRow, 'texts' | 'ref'> {
  readonly place: PersonPlace;
}

export interface PersonFindings {
  readonly counts: PlaceCounts;
  readonly total: number;
  /** The first ones. */
  readonly examples: readonly PersonExample[];
}

export interface ErasureReport extends Erasure {
  readonly receipt: SignedReceipt | null;
}

export interface PersonService {
  search(who: Principal, q: string): Promise<PersonFindings>;
  /** The bytes of a ZIP. Resolves once it is certain that there will be some. */
  export(who: Principal, q: string): Promise<AsyncIterable<Buffer>>;
  /** The erasure is durable when this resolves, and runs in the background. */
  erase(who: Principal, q: string): Promise<ErasureReport>;
  getErasure(who: Principal, id: string): Promise<ErasureReport>;
  listErasures(who: Principal): Promise<readonly ErasureReport[]>;
  /** Whether this instance has signed it for this account. */
  isGenuine(who: Principal, receipt: SignedReceipt): boolean;
}

export interface PersonServiceDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  /** Runs reads that may take long, one at a time per account. */
  readonly longReads: <T>(accountId: string, read: () => Promise<T>) => Promise<T>;
  readonly hash: Spelling;
  readonly receiptKey: Buffer;
}

const maxExamples = 100;
/** Per account: each erasure scans everything. */
const maxRunning = 5;

/** Throws when the search text is too vague. */
const keyOf = (q: string): PersonKey => {
  const key = personKey(q);
  if (!key) throw refuse.personTooVague();
  return key;
};

export function createPersonService(deps: PersonServiceDeps): PersonService {
  const { store, clock, hash, receiptKey } = deps;
  /** Accounts with a search or export in progress. */
  const searching = new Set<string>();

  const begin = (accountId: string): (() => void) => {
    if (searching.has(accountId)) throw refuse.personSearchRunning();
    searching.add(accountId);
    return () => searching.delete(accountId);
  };

  const report = (erasure: Erasure): ErasureReport => ({
    ...erasure,
    receipt: receiptOf(erasure, receiptKey),
  });

  /** Without the person: the log outlives what is erased. */
  const recordLook = (who: Principal, action: 'person.searched' | 'person.exported'): Promise<void> =>
    store.tx(async (tx) => record(tx, who, { action, object: { kind: 'person', id: null } }));

  async function search({ accountId }: Principal, q: string): Promise<PersonFindings> {
    const wanted = wantedBy(keyOf(q));
    const end = begin(accountId);
    try {
      const counts = new Map<PersonPlace, number>(personPlaces.map((place) => [place, 0]));
      const examples: PersonExample[] = [];
      const page = <T>(read: () => Promise<T>): Promise<T> => deps.longReads(accountId, read);
      for await (const { place, rows } of findPerson(store, accountId, wanted, page)) {
        counts.set(place, (counts.get(place) ?? 0) + rows.length);
        for (const { formId, submissionId, createdAt } of rows)
          if (examples.length < maxExamples) examples.push({ place, formId, submissionId, createdAt });
      }
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      return { counts: Object.fromEntries(counts), total, examples };
    } finally {
      end();
    }
  }

  async function* parts({ accountId }: Principal, q: string): AsyncGenerator<Buffer> {
    const wanted = wantedBy(keyOf(q));
    const end = begin(accountId);
    const page = <T>(read: () => Promise<T>): Promise<T> => deps.longReads(accountId, read);
    try {
      yield* exportPerson({ ...deps, accountId, wanted, page });
    } finally {
      end();
    }
  }

  return {
    async search(who, q) {
      await recordLook(who, 'person.searched');
      return search(who, q);
    },

    async export(who, q) {
      await recordLook(who, 'person.exported');
      return started(parts(who, q));
    },

    async erase(who, q) {
      const { accountId } = who;
      const key = keyOf(q);
      const createdAt = clock.now();
      const hashed = { kind: key.kind, tokens: key.tokens.map(hash) };
      const personHash = hash(keyText(key));
      const erasure = begunErasure(
        { id: newId(createdAt), accountId, key: hashed, personHash, createdAt },
        q,
      );
      await store.tx(async (tx) => {
        if ((await tx.erasures.countRunning(accountId)) >= maxRunning)
          throw refuse.tooManyErasures(maxRunning);
        await tx.erasures.create(erasure);
        record(tx, who, { action: 'person.erased', object: { kind: 'erasure', id: erasure.id } });
      });
      return report(erasure);
    },

    async getErasure({ accountId }, id) {
      const erasure = isUuid(id) ? await store.erasures.find(accountId, id) : null;
      if (!erasure) throw refuse.erasureNotFound();
      return report(erasure);
    },

    listErasures: async ({ accountId }) => (await store.erasures.list(accountId)).map(report),

    isGenuine: ({ accountId }, receipt) => receipt.account_id === accountId && isGenuine(receipt, receiptKey),
  };
}

/** Runs up to the first item, so that a rejection is still an error response. A client that leaves before reading also ends it. */
async function started<T>(items: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  let first: IteratorResult<T> | null = await items.next();
  const next = async (): Promise<IteratorResult<T>> => {
    const item = first ?? (await items.next());
    first = null;
    return item;
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: () => items.return(undefined) }) };
}
