/** What a database must offer so that the store's contract can be run against it. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Store } from '../../../src/ports/store.js';

export interface StoreHarness {
  readonly store: Store;
  /** One more store over the same data, with connections of its own, as another process has it. */
  another(options?: { sealedWith?: string; slot?: number; epoch?: number }): Promise<Store>;
  /** Null: the database has tools of its own for that, and `backup` says so. */
  readonly backup: {
    /** The store inside a copy that `backup` made. */
    open(path: string): Promise<Store>;
    /** A path for a backup that does not exist yet. */
    path(): string;
  } | null;
  /** Every text value that lies in the database, as somebody with a stolen copy reads it. */
  storedTexts(): Promise<readonly string[]>;
  /** A statement straight to the database, for what no method of the store can bring about. */
  run(statement: string): Promise<readonly unknown[]>;
  /** From now on there is room for nothing more; resolves with what gives the room back. */
  fillUp(): Promise<() => Promise<void>>;
  dispose(): Promise<void>;
}

export type MakeHarness = () => Promise<StoreHarness>;

/** One harness for all tests of a group: each test makes an account of its own, which keeps them apart. */
export function shared(make: MakeHarness): () => StoreHarness {
  let harness: StoreHarness | undefined;
  beforeAll(async () => {
    harness = await make();
  });
  afterAll(() => harness?.dispose());
  return () => current(harness);
}

/** A fresh harness for each test, for what works on the whole store. */
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
