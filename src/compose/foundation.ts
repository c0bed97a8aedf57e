/** The composition root of every command: configuration → adapters → store. The service stands on it too. */
import { openDiskBlobs } from '../adapters/blobs/disk.js';
import {
  type DataDir,
  findDataDir,
  generatedSecret,
  lockDataDir,
  makeDataDir,
} from '../adapters/data-dir/data-dir.js';
import { openSqlite } from '../adapters/sql/sqlite.js';
import { createSqlStore } from '../adapters/sql/store.js';
import type { Config } from '../config/options.js';
import { createPasswords } from '../domain/accounts/passwords.js';
import { type AccountService, createAccountService } from '../domain/accounts/service.js';
import { createUserService, type UserService } from '../domain/accounts/users.js';
import { systemClock } from '../kernel/clock.js';
import { createCloser } from '../kernel/lifecycle.js';
import type { Logger } from '../kernel/log.js';
import { createSealer, deriveKey } from '../kernel/secrets.js';
import type { BlobStore } from '../ports/blobs.js';
import { type Store, StoreUnavailable } from '../ports/store.js';

/** What every command stands on. */
export interface Foundation {
  readonly dataDir: DataDir;
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly accounts: AccountService;
  readonly users: UserService;
  readonly secret: string;
  /** The migrations that were applied now. */
  readonly migrated: readonly string[];
  close(): Promise<void>;
}

/**
 * `migrate`: makes the database or brings it up to date. `create`: makes it, but leaves an older one alone: another
 * version of the service may be running on it. `existing`: a mistyped folder is said, not filled.
 */
export type DatabaseUse = 'migrate' | 'create' | 'existing';

export interface FoundationOptions {
  /** Refuses to share the data folder with another process that serves it. */
  readonly exclusive: boolean;
  readonly database: DatabaseUse;
  readonly onFatal: (error: Error) => void;
}

export class UnsupportedSettings extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

function refuseUnsupported(config: Config): void {
  const faults: string[] = [];
  if (config.databaseUrl !== null) faults.push('DATABASE_URL: this version stores in SQLite only; unset it');
  if (config.storageUrl !== null) faults.push('STORAGE_URL: this version keeps files on disk only; unset it');
  if (config.redisUrl !== null) faults.push('REDIS_URL: this version counts in-process only; unset it');
  if (faults.length > 0) throw new UnsupportedSettings(faults);
}

const readers = 2;

export async function openFoundation(
  config: Config,
  log: Logger,
  options: FoundationOptions,
): Promise<Foundation> {
  refuseUnsupported(config);
  const clock = systemClock;
  const closer = createCloser();
  const onCloseError = (name: string, error: unknown): void =>
    log.error({ err: error, part: name }, 'close failed');
  try {
    const { dataDir, hasDatabase } = await findDataDir(config.dataDir);
    if (options.database === 'existing' && !hasDatabase) {
      throw new StoreUnavailable(
        `There is no Inlet database in ${dataDir.path}. Set DATA_DIR to its folder, or make one: inlet migrate`,
      );
    }
    if (!hasDatabase) await makeDataDir(dataDir);
    if (options.exclusive) closer.add('lock', lockDataDir(dataDir));
    const secret = config.secret ?? (await generatedSecret(dataDir, { mayMake: !hasDatabase }));
    const engine = await openSqlite({
      path: dataDir.database,
      readers: options.exclusive ? readers : 1,
      now: clock.now,
      mayMigrate: options.database === 'migrate' || !hasDatabase,
      onFatal: options.onFatal,
    });
    const store = createSqlStore(engine, createSealer(deriveKey(secret, 'seal')));
    closer.add('store', () => store.close());
    if (!(await store.secretOpens())) {
      throw new StoreUnavailable(
        'The secret does not open what is stored. Restore the secret of this data folder, or set INLET_SECRET as before.',
      );
    }
    const blobs = await openDiskBlobs({ directory: dataDir.files, now: clock.now });
    return {
      dataDir,
      store,
      blobs,
      accounts: createAccountService({
        store,
        clock,
        onLateFault: (error) => log.warn({ err: error }, 'the last use of a key was not noted'),
      }),
      // For commands; the service makes its own, whose sessions it knows.
      users: createUserService({ store, clock, passwords: createPasswords(), onSessionsEnded: () => {} }),
      secret,
      migrated: engine.migrated,
      close: () => closer.close(onCloseError),
    };
  } catch (error) {
    await closer.close(onCloseError);
    throw error;
  }
}
