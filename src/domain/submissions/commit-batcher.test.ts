import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aSubmission } from '../../../test/support/nouns.js';
import { type NewEntry, StoreConflict, StoreFull, StoreUnavailable } from '../../ports/store.js';
import { BatcherFull, type CommitBatcherOptions, createCommitBatcher } from './commit-batcher.js';

const anEntry = (): NewEntry => ({
  submission: aSubmission(),
  files: [],
  deliveries: [],
  skipped: [],
  fields: [],
  maxSubmissions: null,
  optIn: null,
  idempotency: null,
});

/** A store whose commits end when the test says so. */
class HeldStore {
  readonly batches: (readonly NewEntry[])[] = [];
  #settle: { resolve: () => void; reject: (error: unknown) => void } | null = null;

  readonly commit = (entries: readonly NewEntry[]): Promise<void> => {
    expect(this.#settle, 'one commit at a time').toBeNull();
    this.batches.push(entries);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  };

  get isCommitting(): boolean {
    return this.#settle !== null;
  }

  /** Ends the commit in progress and lets its callers run. */
  async end(error?: unknown): Promise<void> {
    const settle = this.#settle;
    if (!settle) throw new Error('No commit in progress');
    this.#settle = null;
    if (error === undefined) settle.resolve();
    else settle.reject(error);
    await nextTurn();
  }
}

function batcherWith(more: Partial<CommitBatcherOptions> = {}) {
  const store = new HeldStore();
  const batcher = createCommitBatcher({ commit: store.commit, maxBatch: 100, maxWaiting: 1_000, ...more });
  const settled: string[] = [];
  /** Commits an entry and notes the outcome under its name. */
  const send = (name: string): NewEntry => {
    const entry = anEntry();
    batcher.commit(entry).then(
      () => settled.push(`${name} stored`),
      (error: Error) =>
        settled.push(`${name} ${error.name === 'Error' ? error.constructor.name : error.name}`),
    );
    return entry;
  };
  return { store, batcher, settled, send };
}

describe('commit batcher', () => {
  it('commits an entry that comes alone at once, and releases its caller only after the commit', async () => {
    const { store, settled, send } = batcherWith();
    const entry = send('a');
    await nextTurn();
    expect(store.batches).toEqual([[entry]]);
    await nextTurn();
    expect(settled).toEqual([]);
    await store.end();
    expect(settled).toEqual(['a stored']);
  });

  it('takes what arrives in one turn of the event loop together', async () => {
    const { store, send } = batcherWith();
    const entries = [send('a'), send('b'), send('c')];
    await nextTurn();
    expect(store.batches).toEqual([entries]);
  });

  it('lets entries that arrive during a commit share the next one', async () => {
    const { store, batcher, settled, send } = batcherWith();
    const first = send('a');
    await nextTurn();
    const second = send('b');
    await nextTurn();
    const third = send('c');
    expect(store.batches).toEqual([[first]]);
    expect(batcher.waiting).toBe(2);
    await store.end();
    expect(store.batches).toEqual([[first], [second, third]]);
    expect(batcher.waiting).toBe(0);
    expect(settled).toEqual(['a stored']);
    await store.end();
    expect(settled).toEqual(['a stored', 'b stored', 'c stored']);
  });

  it('starts the next commit without waiting for another turn', async () => {
    const { store, send } = batcherWith();
    send('a');
    await nextTurn();
    send('b');
    await store.end();
    expect(store.isCommitting).toBe(true);
  });

  it('never commits more than maxBatch at once and leaves nobody behind', async () => {
    const { store, settled, send } = batcherWith({ maxBatch: 2 });
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(send);
    await nextTurn();
    for (let commits = 0; commits < 3; commits += 1) await store.end();
    expect(store.batches).toEqual([[a, b], [c, d], [e]]);
    expect(settled).toHaveLength(5);
    expect(store.isCommitting).toBe(false);
  });

  it('refuses when too many wait, and only those', async () => {
    const { store, settled, send } = batcherWith({ maxWaiting: 2 });
    send('a');
    await nextTurn();
    for (const name of ['b', 'c', 'd']) send(name);
    await nextTurn();
    expect(settled).toEqual(['d BatcherFull']);
    await store.end();
    send('e');
    await store.end();
    await store.end();
    expect(settled).toEqual(['d BatcherFull', 'a stored', 'b stored', 'c stored', 'e stored']);
  });

  it('tries each entry alone after a conflict, so that one rejects only its own caller', async () => {
    const { store, settled, send } = batcherWith();
    const [a, bad, c] = ['a', 'bad', 'c'].map(send);
    await nextTurn();
    const late = send('late');
    await store.end(new StoreConflict('unique'));
    expect(settled).toEqual([]);
    await store.end();
    await store.end(new StoreConflict('unique'));
    await store.end();
    expect(settled).toEqual(['a stored', 'bad StoreConflict', 'c stored']);
    await store.end();
    expect(store.batches).toEqual([[a, bad, c], [a], [bad], [c], [late]]);
    expect(settled.at(-1)).toBe('late stored');
  });

  it('does not try an entry again that had a conflict alone', async () => {
    const { store, settled, send } = batcherWith();
    send('bad');
    await nextTurn();
    await store.end(new StoreConflict('reference'));
    expect(settled).toEqual(['bad StoreConflict']);
    expect(store.batches).toHaveLength(1);
  });

  it.each([new StoreFull('full'), new StoreUnavailable('gone'), new Error('surprise')])(
    'rejects the whole batch with %s and tries nothing twice: it may have been written',
    async (fault) => {
      const { store, batcher } = batcherWith();
      const outcomes = Promise.allSettled([batcher.commit(anEntry()), batcher.commit(anEntry())]);
      await nextTurn();
      await store.end(fault);
      expect(await outcomes).toEqual([
        { status: 'rejected', reason: fault },
        { status: 'rejected', reason: fault },
      ]);
      expect(store.batches).toHaveLength(1);
    },
  );

  it('works on after a fault', async () => {
    const { store, settled, send } = batcherWith();
    send('a');
    await nextTurn();
    send('b');
    await store.end(new StoreUnavailable('gone'));
    await store.end();
    send('c');
    await nextTurn();
    await store.end();
    expect(settled).toEqual(['a StoreUnavailable', 'b stored', 'c stored']);
  });

  it('tells the size of each stored batch', async () => {
    const sizes: number[] = [];
    const { store, send } = batcherWith({ onBatch: (entries) => sizes.push(entries) });
    send('a');
    send('b');
    await nextTurn();
    send('c');
    await store.end();
    await store.end();
    expect(sizes).toEqual([2, 1]);
  });
});

type Step =
  | { readonly kind: 'arrive'; readonly isBad: boolean }
  | { readonly kind: 'turn' }
  | { readonly kind: 'end'; readonly isBroken: boolean };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('arrive'),
      isBad: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end'),
      isBroken: fc.integer({ max: 4, min: 0 }).map((n) => n === 0),
    }),
  },
);

interface Caller {
  readonly entry: NewEntry;
  readonly isBad: boolean;
  readonly outcomes: ('stored' | Error)[];
}

/** Checks what must be true for every order of arrivals, commits and failures. */
async function runModel(script: readonly Step[], maxBatch: number, maxWaiting: number): Promise<void> {
  const store = new HeldStore();
  const batcher = createCommitBatcher({ commit: store.commit, maxBatch, maxWaiting });
  const callers: Caller[] = [];
  const stored: NewEntry[] = [];
  const inBrokenCommit = new Set<NewEntry>();

  const arrive = (isBad: boolean): void => {
    const caller: Caller = { entry: anEntry(), isBad, outcomes: [] };
    callers.push(caller);
    batcher.commit(caller.entry).then(
      () => {
        expect(stored, 'released only after its commit').toContain(caller.entry);
        caller.outcomes.push('stored');
      },
      (error: Error) => caller.outcomes.push(error),
    );
  };
  const isBad = (entry: NewEntry) => callers.some((caller) => caller.entry === entry && caller.isBad);
  const end = async (isBroken: boolean): Promise<void> => {
    const batch = store.batches.at(-1) ?? [];
    if (isBroken) {
      for (const entry of batch) inBrokenCommit.add(entry);
      return store.end(new StoreUnavailable('gone'));
    }
    if (batch.some(isBad)) return store.end(new StoreConflict('unique'));
    stored.push(...batch);
    return store.end();
  };

  for (const step of script) {
    if (step.kind === 'arrive') arrive(step.isBad);
    else if (step.kind === 'turn') await nextTurn();
    else if (store.isCommitting) await end(step.isBroken);
  }
  await nextTurn();
  while (store.isCommitting) await end(false);

  const taken = callers.filter(({ outcomes }) => !(outcomes[0] instanceof BatcherFull));
  for (const { entry, isBad: bad, outcomes } of callers) {
    expect(outcomes, 'each caller settles exactly once').toHaveLength(1);
    const [outcome] = outcomes;
    if (outcome === 'stored') expect(stored.filter((other) => other === entry)).toHaveLength(1);
    else expect(stored).not.toContain(entry);
    if (outcome instanceof StoreConflict) expect(bad).toBe(true);
    if (outcome instanceof StoreUnavailable) expect(inBrokenCommit).toContain(entry);
  }
  for (const batch of store.batches) expect(batch.length).toBeLessThanOrEqual(maxBatch);
  expect(stored, 'in the order of arrival').toEqual(
    taken.filter(({ outcomes }) => outcomes[0] === 'stored').map(({ entry }) => entry),
  );
  expect([...new Set(store.batches.flat())]).toEqual(taken.map(({ entry }) => entry));
  expect(batcher.waiting).toBe(0);
}

describe('commit batcher, for random arrivals and faults', () => {
  it('settles each caller once, stores nothing twice, keeps the order, and blames nobody for another', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { maxLength: 60 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 12 }),
        runModel,
      ),
      { numRuns: 300 },
    );
  });
});
