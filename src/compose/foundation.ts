/** The composition root of every command: configuration → adapters → store. The service builds on it too. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { openDiskBlobs } from '../adapters/blobs/disk.js';
import { keepInThread } from '../adapters/blobs/file-thread-end.js';
import {
  type DataDir,
  DataDirInUse,
  findDataDir,
  generatedSecret,
  lockDataDir,
  makeDataDir,
  refuseLostDatabase,
  refuseUnwritable,
} from '../adapters/data-dir/data-dir.js';
import { openSpaceReserve, type SpaceReserve } from '../adapters/data-dir/space-reserve.js';
import { instanceIdentity, refuseUnfinishedCopy } from '../adapters/sql/copy/mark.js';
import type { SqlEngine } from '../adapters/sql/engine.js';
import { openSqlite } from '../adapters/sql/sqlite/sqlite.js';
import { createSqlStore, isUnsealed } from '../adapters/sql/store.js';
import type { Config } from '../config/options.js';
import { bucketOf, maskUrl } from '../config/urls.js';
import { createPasswords } from '../domain/accounts/passwords.js';
import { type AccountService, createAccountService } from '../domain/accounts/service.js';
import { createUserService, type UserService } from '../domain/accounts/users.js';
import { type Binding, bindFiles } from '../domain/files/binding.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import { type Closer, createCloser } from '../kernel/lifecycle.js';
import { createLogger, type Logger } from '../kernel/log.js';
import { createSealer, deriveKey } from '../kernel/secrets.js';
import type { BlobStore } from '../ports/blobs.js';
import { type Store, StoreFull, StoreUnavailable } from '../ports/store.js';

/** What every command builds on. */
export interface Foundation {
  readonly dataDir: DataDir;
  /** The database's clock, because several processes must agree on the time. */
  readonly clock: Clock;
  /** Other processes may be working on the same data. */
  readonly isShared: boolean;
  readonly store: Store;
  /** Writes nothing before it is known that the files belong to this database. */
  readonly blobs: BlobStore;
  readonly binding: Binding;
  /** Identifies the instance; stays the same when it is copied, backed up or restored. */
  readonly identity: string;
  readonly accounts: AccountService;
  readonly users: UserService;
  readonly secret: string;
  /** The migrations that this start applied. */
  readonly migrated: readonly string[];
  /** For the disk with the embedded database; a shared database has a disk of its own. */
  readonly reserve: SpaceReserve | null;
  /** Reports how long each turn of the embedded database's only writer took; a shared database has no such thread. */
  watchWriter(listener: (tookMs: number) => void): void;
  close(): Promise<void>;
}

/**
 * `migrate` creates the database or updates it. `create` creates it, but leaves an older one unchanged: another version of
 * the service may be running on it. `existing` reports a mistyped folder instead of filling it.
 */
export type DatabaseUse = 'migrate' | 'create' | 'existing';

export interface FoundationOptions {
  /** Refuses to share the data folder with another process that serves it. */
  readonly exclusive: boolean;
  readonly database: DatabaseUse;
  readonly onFatal: (error: Error) => void;
}

const readers = 2;
const openingBytes = 1024 * 1024;
/** Processes that share a database add to their own counters; two that get the same slot only wait for each other. */
const slots = 64;

interface Opened {
  readonly engine: SqlEngine;
  readonly clock: Clock;
  /** Other processes may be working on the same data. */
  readonly isShared: boolean;
  readonly reserve: SpaceReserve | null;
  watchWriter(listener: (tookMs: number) => void): void;
}

async function openPostgresEngine(config: Config, url: string, use: DatabaseUse): Promise<Opened> {
  const { openPostgres } = await import('../adapters/sql/postgres/postgres.js');
  const migrate = use === 'migrate' ? 'always' : use === 'create' ? 'if-empty' : 'never';
  const engine = await openPostgres({ url, poolSize: config.databasePoolSize, migrate });
  return { engine, clock: engine.clock, isShared: true, reserve: null, watchWriter: () => {} };
}

/** Locking writes a journal, and opening writes an index of the log. On a full disk both fail, and the error may not say why. */
async function despiteFullDisk<T>(reserve: SpaceReserve, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DataDirInUse || (await reserve.freeBytes()) >= openingBytes) throw error;
    if (!(await reserve.release())) throw new StoreFull('No space is left to open the database');
    return work();
  }
}

async function openEmbeddedEngine(
  dataDir: DataDir,
  hasDatabase: boolean,
  options: FoundationOptions,
  log: Logger,
  closer: Closer,
): Promise<Opened> {
  let onWriterTurn: (tookMs: number) => void = () => {};
  const reserve = await openReserve(dataDir, log);
  if (options.exclusive) {
    await refuseUnwritable(dataDir);
    closer.add('lock', await despiteFullDisk(reserve, async () => lockDataDir(dataDir)));
  }
  const open = () =>
    openSqlite({
      path: dataDir.database,
      readers: options.exclusive ? readers : 1,
      now: systemClock.now,
      mayMigrate: options.database === 'migrate' || !hasDatabase,
      onFatal: options.onFatal,
      onWriterTurn: (tookMs) => onWriterTurn(tookMs),
      reserve,
    });
  const engine = await despiteFullDisk(reserve, open);
  const watchWriter: Opened['watchWriter'] = (listener) => {
    onWriterTurn = listener;
  };
  return { engine, clock: systemClock, isShared: false, reserve, watchWriter };
}

async function openBlobs(
  config: Config,
  { files }: DataDir,
  { now }: Clock,
  log: Logger,
  { reserve, mayCreate }: { readonly reserve: SpaceReserve | null; readonly mayCreate: boolean },
): Promise<BlobStore> {
  if (config.storageUrl === null) {
    return openDiskBlobs({
      directory: files,
      mayCreate,
      now,
      keepSmall: keepInThread({ directory: files }),
      onDetour: (error) => log.warn({ err: error }, 'a small file was written without the thread for them'),
      isReserveInUse: () => reserve?.isInUse ?? false,
    });
  }
  const { openS3Blobs } = await import('../adapters/blobs/s3.js');
  return openS3Blobs({ ...bucketOf(config.storageUrl), lendingFolder: join(files, 'lent'), now });
}

const openReserve = ({ path, reserve }: DataDir, log: Logger): Promise<SpaceReserve> =>
  openSpaceReserve({
    path: reserve,
    folder: path,
    onReleased: () =>
      log.warn('the disk is full: the space reserve is in use, and submissions get 507. Free some space'),
    onRestored: () => log.info('the disk has room again: the space reserve is restored'),
  });

export async function openFoundation(
  config: Config,
  log: Logger,
  options: FoundationOptions,
): Promise<Foundation> {
  const closer = createCloser();
  const onCloseError = (name: string, error: unknown): void =>
    log.error({ err: error, part: name }, 'close failed');
  try {
    const { dataDir, hasDatabase } = await findDataDir(config.dataDir);
    const isEmbedded = config.databaseUrl === null;
    if (isEmbedded && !hasDatabase) await refuseLostDatabase(dataDir);
    if (isEmbedded && options.database === 'existing' && !hasDatabase) {
      throw new StoreUnavailable(
        `There is no Inlet database in ${dataDir.path}. Set DATA_DIR to its folder, or make one: inlet migrate`,
      );
    }
    // A command that only reads must not create a folder that then belongs to the wrong user.
    if (!hasDatabase && options.database !== 'existing') await makeDataDir(dataDir);
    const { engine, clock, isShared, reserve, watchWriter } =
      config.databaseUrl === null
        ? await openEmbeddedEngine(dataDir, hasDatabase, options, log, closer)
        : await openPostgresEngine(config, config.databaseUrl, options.database);
    closer.add('engine', () => engine.close());
    await refuseUnfinishedCopy(engine);
    const secret = config.secret ?? (await generatedSecret(dataDir, { mayMake: await isUnsealed(engine) }));
    const store = createSqlStore(engine, createSealer(deriveKey(secret, 'seal')), {
      slot: isShared ? randomInt(slots) : 0,
      epoch: config.deliveryEpoch,
      now: clock.now,
    });
    if (!(await store.secretOpens())) {
      throw new StoreUnavailable(
        isShared
          ? 'The secret does not open what is stored. Set INLET_SECRET to the same value for every process of this database.'
          : 'The secret does not open what is stored. Restore the secret of this data folder, or set INLET_SECRET as before.',
      );
    }
    const identity = await instanceIdentity(engine);
    if (identity === null) throw new StoreUnavailable('The database has lost what tells it from others.');
    const binding = bindFiles({
      blobs: await openBlobs(config, dataDir, clock, log, {
        reserve,
        mayCreate: options.database !== 'existing',
      }),
      ...{ store, clock, identity },
      place: config.storageUrl === null ? dataDir.files : maskUrl(config.storageUrl),
      isOneFolder: isEmbedded && config.storageUrl === null,
    });
    return {
      dataDir,
      reserve,
      clock,
      isShared,
      store,
      blobs: binding.blobs,
      binding,
      identity,
      accounts: createAccountService({
        store,
        clock,
        onLateFault: (error) => log.warn({ err: error }, 'the last use of a key was not recorded'),
      }),
      // For commands; the service creates its own, which is connected to its sessions.
      users: createUserService({ store, clock, passwords: createPasswords(), onSessionsEnded: () => {} }),
      secret,
      migrated: engine.migrated,
      watchWriter,
      close: () => closer.close(onCloseError),
    };
  } catch (error) {
    await closer.close(onCloseError);
    throw error;
  }
}

/** Opens the data alongside a process that may be serving it. */
export function openForCommand(config: Config, database: DatabaseUse): Promise<Foundation> {
  const log = createLogger('warn', 'stderr');
  return openFoundation(config, log, {
    exclusive: false,
    database,
    onFatal: (error) => log.fatal({ err: error }, 'the database file can no longer be written'),
  });
}

export async function withFoundation<T>(
  config: Config,
  database: DatabaseUse,
  work: (foundation: Foundation) => Promise<T>,
): Promise<T> {
  const foundation = await openForCommand(config, database);
  try {
    return await work(foundation);
  } finally {
    await foundation.close();
  }
}
