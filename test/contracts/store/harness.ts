/** What a database must provide to run the store's contract against it. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Store } from '../../../src/ports/store.js';

export interface StoreHarness {
  readonly store: Store;
  /** Another store over the same data with its own connections, as in another process. */
  another(options?: { sealedWith?: string; slot?: number; epoch?: number }): Promise<Store>;
  /** Null when the database has its own tools for that. `backup` then says so. */
  readonly backup: {
    /** The store inside a copy that `backup` made. */
    open(path: string): Promise<Store>;
    /** A path for a backup that does not exist yet. */
    path(): string;
  } | null;
  /** Every text value in the database, as read from a stolen copy. */
  storedTexts(): Promise<readonly string[]>;
  /** Runs a statement directly in the database, for what no method of the store can do. */
  run(statement: string): Promise<readonly unknown[]>;
  /** Leaves no room for anything more. Resolves with a function that frees it again. */
  fillUp(): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

export type MakeHarness = () => Promise<StoreHarness>;

/** One harness for all tests of a group. Each test creates its own account, which isolates it. */
export function shared(make: MakeHarness): () => StoreHarness {
  let harness: StoreHarness | undefined;
  beforeAll(async () => {
    harness = await make();
  });
  afterAll(() => harness?.dispose());
  return () => current(harness);
}

/** A new harness for each test, for what affects the whole store. */
export function fresh(make: MakeHarness): () => StoreHarness {
  let harness: StoreHarness | undefined;
  beforeEach(async () => {
    harness = await make();
  });
  afterEach(() => harness?.dispose());
  return () => current(harness);
}

function current(harness: StoreHarness | undefined): StoreHarness {
  if (!harness) throw new Error('The harness is there only while a test runs');
  return harness;
}
