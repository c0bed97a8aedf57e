/** Opens the two ends of a copy: a source that no process serves, and a target without data of its own. */
import { openDiskBlobs } from '../adapters/blobs/disk.js';
import { adoptSecret, findDataDir, generatedSecret, lockDataDir } from '../adapters/data-dir/data-dir.js';
import { unknownKeys } from '../adapters/sql/copy/blobs.js';
import { firstFilledTable, newMark } from '../adapters/sql/copy/carrying.js';
import {
  beginCopy,
  type CopyMark,
  findMark,
  instanceIdentity,
  refuseUnfinishedCopy,
} from '../adapters/sql/copy/mark.js';
import type { SqlEngine } from '../adapters/sql/engine.js';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '../adapters/sql/store.js';
import { openBucket } from '../compose/bucket.js';
import { silentMs } from '../domain/processes/membership.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import type { Closer } from '../kernel/lifecycle.js';
import { createSealer, deriveKey } from '../kernel/secrets.js';
import { type BlobStore, BlobsUnavailable } from '../ports/blobs.js';
import { StoreUnavailable } from '../ports/store.js';
import { requireEmpty } from './folders.js';
import { type DatabasePlace, type FilesPlace, type InstancePlace, type Place, placeName } from './places.js';

/** A place cannot be copied from or to, for a reason that the operator can act on. */
export class CopyRefused extends StoreUnavailable {}

export interface End {
  readonly engine: SqlEngine;
  readonly blobs: BlobStore;
}

export interface Source extends End {
  readonly identity: string;
  readonly secret: string;
  /** Where the secret was read; null when INLET_SECRET was set. */
  readonly secretFile: string | null;
}

/** Why a place is unavailable. Returns null when the error means something else, or is already worded for the operator. */
export function sentenceOf(error: unknown): string | null {
  const isUnavailable = error instanceof StoreUnavailable || error instanceof BlobsUnavailable;
  return isUnavailable && !(error instanceof CopyRefused) ? (error.message.split('\n', 1)[0] ?? '') : null;
}

/** Adds the name of the place to its faults. */
async function at<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === null) throw error;
    const name = placeName(place);
    throw new CopyRefused(sentence.includes(name) ? sentence : `${name}: ${sentence}`);
  }
}

/** One reads ahead while another writes; the others keep everything else from waiting. */
const connections = 4;

async function openDatabase(
  place: DatabasePlace,
  mayMigrate: boolean,
  closer: Closer,
): Promise<{ engine: SqlEngine; clock: Clock }> {
  const opened = place.kind === 'postgres' ? await openShared(place.url) : await openEmbedded(place.path);
  closer.add(placeName(place), () => opened.engine.close());
  return opened;

  async function openShared(url: string) {
    const { openPostgres } = await import('../adapters/sql/postgres/postgres.js');
    const migrate = mayMigrate ? 'always' : 'never';
    const engine = await openPostgres({ url, poolSize: connections, migrate });
    return { engine, clock: engine.clock };
  }

  async function openEmbedded(path: string) {
    const { dataDir } = await findDataDir(path);
    const engine = await openSqlite({
      path: dataDir.database,
      readers: 1,
      now: systemClock.now,
      mayMigrate,
      // Calls in progress are rejected too, and that ends the copy.
      onFatal: () => {},
    });
    return { engine, clock: systemClock };
  }
}

async function refuseServed(place: DatabasePlace, engine: SqlEngine, clock: Clock): Promise<void> {
  const serving = await engine.read
    .selectFrom('processes')
    .select(['host', 'pid'])
    .where('seen_at', '>', clock.now() - silentMs)
    .execute();
  const [first] = serving;
  if (!first) return;
  const which = `process ${first.pid} on ${first.host}${serving.length > 1 ? `, and ${serving.length - 1} more` : ''}`;
  throw new CopyRefused(
    `${placeName(place)} is being served (${which}). Stop it first; one that was killed counts for ${silentMs / 1000} seconds more.`,
  );
}

/** `isTarget`: bytes will be written there. An unavailable store is reported before hours are spent on copying rows. */
function openFiles(place: FilesPlace, isTarget: boolean): Promise<BlobStore> {
  return at(place, async () => {
    const blobs = place.kind === 's3' ? await openBucket(place.url) : await openFolder(place.path, isTarget);
    await (isTarget ? blobs.check() : blobs.size(absentKey));
    return blobs;
  });
}

const absentKey = '00000000-0000-0000-0000-000000000000';

async function openFolder(path: string, mayCreate: boolean): Promise<BlobStore> {
  const { dataDir } = await findDataDir(path);
  return openDiskBlobs({ directory: dataDir.files, now: systemClock.now, mayCreate });
}

/** `setSecret` is the value of INLET_SECRET; it overrides the file, as it does when serving. */
export function openSource(place: InstancePlace, setSecret: string | null, closer: Closer): Promise<Source> {
  const { database, files } = place;
  return at(database, async () => {
    if (database.kind === 'folder') {
      const { dataDir, hasDatabase } = await findDataDir(database.path);
      if (!hasDatabase) throw new CopyRefused(`There is no Inlet database in ${dataDir.path}.`);
      closer.add('lock of the source', lockDataDir(dataDir));
    }
    const secretHome = [database, files].find((part) => part.kind === 'folder');
    const { secret, secretFile } = await secretOf(secretHome?.path ?? null, setSecret);
    const { engine, clock } = await openDatabase(database, false, closer);
    // A folder has a lock, which also detects that a process was killed.
    if (database.kind === 'postgres') await refuseServed(database, engine, clock);
    await refuseUnfinishedCopy(engine);
    const identity = await instanceIdentity(engine);
    if (identity === null) throw new CopyRefused(`${placeName(database)} holds no instance.`);
    await requireRightSecret(engine, secret);
    return { engine, blobs: await openFiles(files, false), identity, secret, secretFile };
  });
}

async function secretOf(
  folder: string | null,
  setSecret: string | null,
): Promise<{ secret: string; secretFile: string | null }> {
  if (setSecret !== null) return { secret: setSecret, secretFile: null };
  if (folder === null) throw new CopyRefused('Set INLET_SECRET to the secret of the source.');
  const { dataDir } = await findDataDir(folder);
  return { secret: await generatedSecret(dataDir, { mayMake: false }), secretFile: dataDir.secret };
}

async function requireRightSecret(engine: SqlEngine, secret: string): Promise<void> {
  if (await createSqlStore(engine, createSealer(deriveKey(secret, 'seal'))).secretOpens()) return;
  throw new StoreUnavailable(
    'the secret does not open what is stored. Set INLET_SECRET as it was when serving.',
  );
}

/** Also returns the mark of how far the copy has come, which is stored in the target from now on. */
export function openTarget(
  place: InstancePlace,
  source: Source,
  closer: Closer,
): Promise<End & { mark: CopyMark; isResumed: boolean }> {
  const { database, files } = place;
  return at(database, async () => {
    if (database.kind === 'folder') await prepareFolder(database.path, source, closer);
    const { engine } = await openDatabase(database, true, closer);
    const known = await findMark(engine);
    if (known && known.instance !== source.identity) {
      throw new CopyRefused(`${placeName(database)} holds an unfinished copy of another instance.`);
    }
    const filled = known ? null : await firstFilledTable(engine);
    if (filled !== null) {
      throw new CopyRefused(
        `${placeName(database)} holds data already (table ${filled}). Name an empty place: a copy never overwrites.`,
      );
    }
    const blobs = await openFiles(files, true);
    const mark: CopyMark = known ?? newMark(source.identity);
    if (!known) await beginCopy(source.engine, engine, mark);
    return { engine, blobs, mark, isResumed: known !== null };
  });
}

/** What a killed copy may have left behind, including the journal of its lock. */
const ofAnInstance = /^(inlet\.(db|lock)(-\w+)?|secret(\.\w+)?|reserve|files)$/;

async function prepareFolder(path: string, source: Source, closer: Closer): Promise<void> {
  const { dataDir } = await findDataDir(path);
  await requireEmpty(dataDir.path, ofAnInstance, 'Name a new folder: a copy never overwrites.');
  closer.add('lock of the target', lockDataDir(dataDir));
  if (source.secretFile !== null && !(await adoptSecret(dataDir, source.secret))) {
    throw new CopyRefused(
      `${dataDir.path} has a secret of its own. Name a new folder: a copy never overwrites.`,
    );
  }
}

const keysLookedAt = 100;

/** Two instances in one store would sweep each other's files as orphans. */
export async function refuseForeignBlobs(place: FilesPlace, target: End, source: End): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of target.blobs.list()) {
    if (keys.push(key) === keysLookedAt) break;
  }
  const [foreign] = await unknownKeys(source.engine, keys);
  if (foreign === undefined) return;
  throw new CopyRefused(
    `${placeName(place)} holds files of something else (${foreign}). Name an empty place: instances cannot share one.`,
  );
}

/** The target's files belong to the copied instance, as at the source. */
export async function claimFiles(place: FilesPlace, target: End, source: Source): Promise<void> {
  if ((await target.blobs.claim(source.identity)) === source.identity) return;
  throw new CopyRefused(
    `${placeName(place)} holds the files of another instance. Name an empty place: instances cannot share one.`,
  );
}
