/** A database is migrated once, by one process, completely or not at all. A foreign one is left as it is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MigrationTarget, migrate, readMigrations } from '#inlet/adapters/sql/migrate.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { StoreUnavailable } from '#inlet/ports/store.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-upgrade-'));
  path = join(folder, 'inlet.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('both databases have the same migrations, by number and name', async () => {
  const names = async (database: 'sqlite' | 'postgres') =>
    (await readMigrations(database)).map(({ number, name }) => [number, name]);
  expect(await names('postgres')).toEqual(await names('sqlite'));
});

const start = (now = 1000, mayMigrate = true) =>
  openSqlite({ path, readers: 0, now: () => now, mayMigrate, onFatal: () => {} });

function look<T>(work: (db: DatabaseSyncInstance) => T): T {
  const db = new DatabaseSync(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const appliedIn = (db: DatabaseSyncInstance) =>
  db.prepare('SELECT * FROM schema_migrations ORDER BY number').all();
const tablesIn = (db: DatabaseSyncInstance) =>
  (
    db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as {
      name: string;
    }[]
  ).map(({ name }) => name);
const schemaIn = (db: DatabaseSyncInstance) => db.prepare('SELECT type, name, sql FROM sqlite_schema').all();

const ours = await readMigrations('sqlite');

describe('migrations', () => {
  it('are numbered without gap and named alike', () => {
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.map(({ number }) => number)).toEqual(ours.map((_, index) => index + 1));
    expect(new Set(ours.map(({ name }) => name)).size).toBe(ours.length);
  });

  it('bring an empty file to the schema and remember what was applied', async () => {
    await (await start(1234)).close();
    const wanted = ours.map(({ number, name, checksum }) => ({ number, name, checksum, applied_at: 1234 }));
    expect(look(appliedIn)).toEqual(wanted);
    expect(look(tablesIn)).toEqual(expect.arrayContaining(['accounts', 'forms', 'submissions', 'files']));
  });

  it('apply nothing on the second start', async () => {
    await (await start(1234)).close();
    const before = look((db) => [appliedIn(db), schemaIn(db)]);
    await (await start(5678)).close();
    expect(look((db) => [appliedIn(db), schemaIn(db)])).toEqual(before);
  });

  it('refuse a database that a newer program has written, and leave it alone', async () => {
    await (await start()).close();
    look((db) =>
      db.prepare('INSERT INTO schema_migrations VALUES (9999, ?, ?, 0)').run('from_the_future', 'x'),
    );
    const before = look((db) => [appliedIn(db), schemaIn(db)]);
    const refused = start();
    await expect(refused).rejects.toThrow(/newer Inlet.*9999.*from_the_future.*update Inlet/);
    await expect(refused).rejects.toBeInstanceOf(StoreUnavailable);
    expect(look((db) => [appliedIn(db), schemaIn(db)])).toEqual(before);
  });

  it('refuse a database whose history differs from ours', async () => {
    await (await start()).close();
    look((db) => db.exec("UPDATE schema_migrations SET checksum = 'changed' WHERE number = 1"));
    await expect(start()).rejects.toThrow(/Migration 1 "foundation" of the database differs/);
    const restore = 'UPDATE schema_migrations SET checksum = ? WHERE number = 1';
    look((db) => db.prepare(restore).run(ours[0]?.checksum ?? ''));
    await (await start()).close();
  });

  it('are not applied by a command that may not: it takes a current database and changes no other', async () => {
    await expect(start(1, false)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(look(tablesIn)).toEqual([]);
    await (await start(1234)).close();
    await (await start(5678, false)).close();
    look((db) => db.exec('DELETE FROM schema_migrations'));
    await expect(start(5678, false)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(look(appliedIn)).toEqual([]);
  });

  it('refuse a file that is no database', async () => {
    await writeFile(path, 'A letter to my grandmother. '.repeat(500));
    await expect(start()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(statSync(path).size).toBe(28 * 500);
  });

  it('are applied once when several processes start at the same moment', async () => {
    const program = fileURLToPath(new URL('./start-store.mjs', import.meta.url));
    for (let round = 0; round < 3; round += 1) {
      await rm(folder, { recursive: true });
      const processes = Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, [program, path], {
          stdio: ['pipe', 'pipe', 'pipe'],
        });
        let said = '';
        child.stderr.on('data', (chunk) => {
          said += chunk;
        });
        return { child, ended: once(child, 'exit').then(([code]) => ({ code, said })) };
      });
      await Promise.all(processes.map(({ child }) => once(child.stdout, 'data')));
      for (const { child } of processes) child.stdin.end('go');
      const ends = await Promise.all(processes.map(({ ended }) => ended));
      expect(ends).toEqual(processes.map(() => ({ code: 0, said: '' })));
      expect(look(appliedIn)).toHaveLength(ours.length);
    }
  });

  const targetOf = (db: DatabaseSyncInstance): MigrationTarget => ({
    exec: async (text) => db.exec(text),
    query: async (text) => db.prepare(text).all(),
    insertApplied: async ({ number, name, checksum, appliedAt }) =>
      void db
        .prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)')
        .run(number, name, checksum, appliedAt),
    rollback: async () => {
      if (db.isTransaction) db.exec('ROLLBACK');
    },
    begin: 'BEGIN IMMEDIATE',
    attempt: (work) => work(),
  });

  const faults: Record<string, (db: DatabaseSyncInstance) => MigrationTarget> = {
    'its last statement fails': (db) => ({
      ...targetOf(db),
      exec: async (text) =>
        db.exec(text.includes('CREATE TABLE accounts') ? `${text}; SELECT nonsense;` : text),
    }),
    'it cannot be remembered': (db) => ({
      ...targetOf(db),
      insertApplied: () => Promise.reject(new Error('nonsense')),
    }),
  };
  for (const [name, targetWith] of Object.entries(faults)) {
    it(`leave nothing of one that fails because ${name}`, async () => {
      const db = new DatabaseSync(path);
      try {
        await expect(migrate(targetWith(db), 'sqlite', 1)).rejects.toThrow(/nonsense/);
        expect(db.isTransaction).toBe(false);
        expect(tablesIn(db)).toEqual(['schema_migrations']);
        expect(appliedIn(db)).toEqual([]);
        expect(await migrate(targetOf(db), 'sqlite', 2)).toEqual(ours.map((migration) => migration.name));
      } finally {
        db.close();
      }
    });
  }

  it('keep what was counted by day', async () => {
    const db = new DatabaseSync(path);
    try {
      for (const { number, text } of ours) {
        if (number === 6) db.exec("INSERT INTO form_days VALUES ('a', 19000, 'received', 7)");
        db.exec(text);
      }
      expect(db.prepare('SELECT form_id, day, kind, slot, count FROM form_days').all()).toEqual([
        { form_id: 'a', day: 19000, kind: 'received', slot: 0, count: 7 },
      ]);
    } finally {
      db.close();
    }
  });

  it('give every user a login, also those that the release before adds and changes afterwards', async () => {
    const db = new DatabaseSync(path);
    try {
      db.exec('PRAGMA foreign_keys = ON');
      const user = (id: string) =>
        `INSERT INTO users (id, account_id, email, password_hash, created_at) VALUES ('${id}', 'one', '${id}', 'hash of ${id}', 1)`;
      for (const { name, text } of ours) {
        if (name === 'logins_and_roles')
          db.exec(`INSERT INTO accounts VALUES ('one', 'One', 'pro', 1); ${user('u1')}`);
        db.exec(`BEGIN; ${text}; COMMIT`);
      }
      db.exec(user('u2'));
      db.exec("UPDATE users SET password_hash = 'another' WHERE id = 'u1'");
      const logins = `SELECT login_id, role, projects, logins.password_hash
        FROM users JOIN logins ON logins.id = login_id ORDER BY login_id`;
      expect(db.prepare(logins).all()).toEqual([
        { login_id: 'u1', role: 'owner', projects: '[]', password_hash: 'another' },
        { login_id: 'u2', role: 'owner', projects: '[]', password_hash: 'hash of u2' },
      ]);
    } finally {
      db.close();
    }
  });

  it('keep users and who is signed in when an address becomes unique per account only', async () => {
    const db = new DatabaseSync(path);
    try {
      db.exec('PRAGMA foreign_keys = ON');
      const user = (id: string, account: string) =>
        `INSERT INTO users (id, account_id, email, password_hash, created_at) VALUES ('${id}', '${account}', 'a@example.com', 'hash', 1)`;
      for (const { name, text } of ours) {
        if (name === 'emails_per_account') {
          db.exec(`INSERT INTO accounts VALUES ('one', 'One', 'pro', 1), ('two', 'Two', 'pro', 2); ${user('u1', 'one')};
            INSERT INTO sessions VALUES ('token', 'u1', 1, 2, 3)`);
          expect(() => db.exec(user('u2', 'two'))).toThrow(/UNIQUE/);
        }
        db.exec(`BEGIN; ${text}; COMMIT`);
      }
      db.exec(user('u2', 'two'));
      expect(() => db.exec(user('u3', 'two'))).toThrow(/UNIQUE/);
      expect(db.prepare('SELECT id FROM users ORDER BY id').all()).toEqual([{ id: 'u1' }, { id: 'u2' }]);
      expect(db.prepare('SELECT token_hash, user_id FROM sessions').all()).toEqual([
        { token_hash: 'token', user_id: 'u1' },
      ]);
      expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
      db.exec("DELETE FROM users WHERE id = 'u1'");
      expect(db.prepare('SELECT token_hash FROM sessions').all()).toEqual([]);
    } finally {
      db.close();
    }
  });

  it('leave no connection and no lock behind after a refusal', async () => {
    await (await start()).close();
    const text = "INSERT INTO schema_migrations VALUES (9999, 'from_the_future', 'x', 0)";
    look((db) => db.exec(text));
    await expect(start()).rejects.toThrow();
    look((db) => db.exec('BEGIN EXCLUSIVE; DELETE FROM schema_migrations WHERE number = 9999; COMMIT'));
    // The last connection removes the log.
    expect(readdirSync(folder)).toEqual(['inlet.db']);
  });
});
