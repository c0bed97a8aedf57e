/**
 * Binds a blob store to its database. Invariant: nothing is written to or removed from a store before it is known to belong
 * to this instance. An empty database, or that of another instance, would treat every file as an orphan.
 */
import type { Clock } from '../../kernel/clock.js';
import { type BlobEntry, type BlobStore, BlobsUnavailable } from '../../ports/blobs.js';
import type { Store } from '../../ports/store.js';

/** The files belong, or seem to belong, to another instance. Retrying does not help; the operator must decide. */
export class ForeignFiles extends BlobsUnavailable {}

export interface Binding {
  /** Where the files are, for messages. */
  readonly place: string;
  /** Reads need no verification; the first write verifies the binding. */
  readonly blobs: BlobStore;
  /** Resolves when the files belong to this database. Claims a store without an owner if they do. */
  verify(): Promise<void>;
  /** Makes this database the owner of the files. Resolves with the previous owner, or null when there was none. */
  adopt(): Promise<string | null>;
}

export interface BindingOptions {
  readonly blobs: BlobStore;
  readonly store: Pick<Store, 'accounts' | 'files'>;
  readonly clock: Clock;
  /** The instance id of the database. */
  readonly identity: string;
  /** Where the files are, for messages. */
  readonly place: string;
  /** Database and files share their own folder: a few unknown files can only be uploads that a crash interrupted. */
  readonly isOneFolder: boolean;
}

/** Files to check in a store that predates claims: one page of a bucket listing. */
const sampleLength = 1_000;
const keysPerQuery = 200;

export function bindFiles(options: BindingOptions): Binding {
  const { blobs, identity, place } = options;
  let isBound = false;
  let verifying: Promise<void> | null = null;

  const decide = async (): Promise<void> => {
    const owner = (await blobs.owner()) ?? (await claim());
    if (owner !== identity) throw new ForeignFiles(refusal(`${place} holds the files of another instance`));
  };

  const claim = async (): Promise<string> => {
    if (await belongsToUs(options)) return blobs.claim(identity);
    throw new ForeignFiles(await reasonOf(options));
  };

  const verify = async (): Promise<void> => {
    if (isBound) return;
    verifying ??= decide()
      .then(() => {
        isBound = true;
      })
      .finally(() => {
        verifying = null;
      });
    await verifying;
  };

  const putVerified: BlobStore['put'] = async (key, source) => {
    // A stream error without a listener would end the process.
    source.on('error', () => {});
    try {
      await verify();
    } catch (error) {
      source.destroy();
      throw error;
    }
    return blobs.put(key, source);
  };

  /** Reads the owner's mark again: the folder may be empty now, such as when a volume is no longer mounted. */
  const check = async (): Promise<void> => {
    if (isBound && (await blobs.owner()) !== identity) isBound = false;
    await verify();
    await blobs.check();
  };

  /** Once bound, the check costs one variable read per call. */
  const guarded =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      isBound ? work(...given) : verify().then(() => work(...given));

  return {
    place,
    blobs: {
      ...blobs,
      put: (key, source) => (isBound ? blobs.put(key, source) : putVerified(key, source)),
      putBytes: guarded(blobs.putBytes),
      remove: guarded(blobs.remove),
      erase: guarded(blobs.erase),
      keepNote: guarded(blobs.keepNote),
      discard: guarded(blobs.discard),
      recover: guarded(blobs.recover),
      sweepUnfinished: guarded(blobs.sweepUnfinished),
      sweepDiscarded: guarded(blobs.sweepDiscarded),
      check,
    },
    verify,
    async adopt() {
      const before = await blobs.owner();
      await blobs.claim(identity, { replace: true });
      return before;
    },
  };
}

async function reasonOf({ blobs, place }: BindingOptions): Promise<string> {
  for await (const _ of blobs.list()) {
    return refusal(`${place} holds files that this database knows nothing about`);
  }
  return (
    `${place} is empty, but the database knows stored files. Check DATA_DIR and STORAGE_URL, and that the disk is mounted. ` +
    'If the files are lost, go on without them: inlet adopt'
  );
}

const refusal = (found: string): string =>
  `${found}. Inlet would delete them as orphans, so it does not touch them. Check DATABASE_URL, DATA_DIR and STORAGE_URL. ` +
  'If these files belong to this database now, run: inlet adopt';

/** For a store without an owner: both are empty, the database knows a file, or all are unfinished uploads (`isOneFolder`). */
async function belongsToUs({ blobs, store, clock, isOneFolder }: BindingOptions): Promise<boolean> {
  const sample: BlobEntry[] = [];
  for await (const entry of blobs.list()) {
    if (sample.push(entry) === sampleLength) break;
  }
  if (sample.length === 0) return (await store.files.list({ limit: 1, after: null })).length === 0;
  for (let from = 0; from < sample.length; from += keysPerQuery) {
    const keys = sample.slice(from, from + keysPerQuery).map(({ key }) => key);
    if ((await store.files.referenced(keys)).size > 0) return true;
  }
  if (!isOneFolder || sample.length === sampleLength) return false;
  const createdAt = (await store.accounts.findOldest())?.createdAt ?? clock.now();
  // On one machine, both times come from the same clock.
  return !sample.some(({ modifiedAt }) => modifiedAt < createdAt);
}
