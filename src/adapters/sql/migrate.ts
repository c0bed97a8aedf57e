/**
 * Brings a database to the schema of this program. Migrations are numbered SQL files with the same numbers and names for
 * each database. Each is applied in a transaction and recorded with its checksum. A database that is newer than the
 * program, or whose history differs from ours, is refused: guessing would damage it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { sha256Hex } from '../../kernel/secrets.js';
import { StoreUnavailable } from '../../ports/store.js';

export type DatabaseKind = 'sqlite' | 'postgres';

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly text: string;
}

interface AppliedRow {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

export interface MigrationTarget {
  exec(text: string): Promise<void>;
  rollback(): Promise<void>;
  query(text: string): Promise<readonly unknown[]>;
  insertApplied(row: AppliedRow & { appliedAt: number }): Promise<void>;
  /** SQL that begins a transaction which excludes other migrators. */
  readonly begin: string;
  /** Runs one whole transaction, and retries it after a lock conflict. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

export async function readMigrations(database: DatabaseKind): Promise<readonly Migration[]> {
  const folder = new URL(`./migrations/${database}/`, import.meta.url);
  const names = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      return { number: Number(file.slice(0, 4)), name: file.slice(5, -4), checksum: sha256Hex(text), text };
    }),
  );
}

function refuseForeignHistory(applied: readonly AppliedRow[], ours: readonly Migration[]): void {
  for (const row of applied) {
    const known = ours.find((migration) => migration.number === row.number);
    if (!known) {
      throw new StoreUnavailable(
        `The database was written by a newer Inlet (migration ${row.number} "${row.name}"): update Inlet to that version or a later one.`,
      );
    }
    if (known.checksum !== row.checksum) {
      throw new StoreUnavailable(
        `Migration ${row.number} "${row.name}" of the database differs from this program's: run the Inlet that made it.`,
      );
    }
  }
}

const readApplied = async (target: MigrationTarget): Promise<readonly AppliedRow[]> =>
  (await target.query('SELECT number, name, checksum FROM schema_migrations')) as AppliedRow[];

/** Refuses a database whose schema is not exactly this program's. Changes nothing. */
export async function requireCurrent(target: MigrationTarget, database: DatabaseKind): Promise<void> {
  const ours = await readMigrations(database);
  // Without the table this is not a database of ours, or its first start was interrupted.
  const applied = await readApplied(target).catch(() => []);
  const missing = missingFrom(ours, applied);
  if (applied.length === 0) {
    throw new StoreUnavailable(
      'There is no Inlet database there yet. Make it with `inlet migrate`, or start the service.',
    );
  }
  if (missing.length > 0) {
    throw new StoreUnavailable(
      'The database is of an older version. Run `inlet migrate`, or start the service.',
    );
  }
}

/** Returns the names of the migrations that it applied. */
export async function migrate(
  target: MigrationTarget,
  database: DatabaseKind,
  now: number,
): Promise<readonly string[]> {
  const ours = await readMigrations(database);
  // Without the table this is a new database, or its first start was interrupted.
  const before = await readApplied(target).catch(() => []);
  const missing = missingFrom(ours, before);
  if (missing.length === 0) return [];
  await inTransaction(target, () =>
    target.exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`),
  );
  // A new database is ready after one commit. One in use is locked for one migration at a time.
  const steps = before.length === 0 ? [missing] : missing.map((migration) => [migration]);
  const done: string[] = [];
  for (const step of steps) {
    const applied = await target.attempt(() => inTransaction(target, () => apply(target, step, ours, now)));
    done.push(...applied);
  }
  return done;
}

function missingFrom(ours: readonly Migration[], applied: readonly AppliedRow[]): readonly Migration[] {
  refuseForeignHistory(applied, ours);
  const numbers = new Set(applied.map((row) => row.number));
  return ours.filter(({ number }) => !numbers.has(number));
}

async function apply(
  target: MigrationTarget,
  step: readonly Migration[],
  ours: readonly Migration[],
  appliedAt: number,
): Promise<readonly string[]> {
  // Read inside the transaction: another process may have been first.
  const missing = missingFrom(ours, await readApplied(target)).filter((migration) =>
    step.includes(migration),
  );
  for (const migration of missing) {
    await target.exec(migration.text);
    await target.insertApplied({ ...migration, appliedAt });
  }
  return missing.map(({ name }) => name);
}

async function inTransaction<T>(target: MigrationTarget, work: () => Promise<T>): Promise<T> {
  await target.exec(target.begin);
  try {
    const result = await work();
    await target.exec('COMMIT');
    return result;
  } catch (error) {
    await target.rollback();
    throw error;
  }
}
