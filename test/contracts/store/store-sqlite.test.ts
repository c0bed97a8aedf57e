import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { noFilter } from '../../../src/model/submission.js';
import type { Store } from '../../../src/ports/store.js';
import { storeContract } from './contract.js';
import { anEntry, aProject, epoch, made, madePlace } from './samples.js';

const sealer = (master: string) => createSealer(deriveKey(master, 'seal'));

async function open(path: string, master: string, slot = 0, epochNumber = 0) {
  const engine = await openSqlite({
    path,
    readers: 2,
    now: () => epoch,
    mayMigrate: true,
    onFatal(error) {
      throw error;
    },
  });
  return { engine, store: createSqlStore(engine, sealer(master), { slot, epoch: epochNumber }) as Store };
}

function textsIn(path: string): readonly string[] {
  const db = new DatabaseSync(path);
  try {
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
      name: string;
    }[];
    return tables.flatMap(({ name }) =>
      (db.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[])
        .flatMap((row) => Object.values(row))
        .filter((value) => typeof value === 'string'),
    );
  } finally {
    db.close();
  }
}

/** A database with all tables and no rows. With copies of it, this file took 43 s of processor time instead of 60. */
let migrated: Promise<Buffer> | null = null;
async function migrate(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-store-'));
  const path = join(folder, 'inlet.db');
  const { engine } = await open(path, 'master');
  await engine.close();
  const bytes = await readFile(path);
  await rm(folder, { recursive: true, force: true });
  return bytes;
}

storeContract('SQLite', async () => {
  migrated ??= migrate();
  const folder = await mkdtemp(join(tmpdir(), 'inlet-store-'));
  const path = join(folder, 'inlet.db');
  await writeFile(path, await migrated);
  const { engine, store } = await open(path, 'master');
  let backups = 0;
  const write = (text: string) => engine.write.executeQuery<Record<string, number>>(CompiledQuery.raw(text));
  return {
    store,
    another: async (options) =>
      (await open(path, options?.sealedWith ?? 'master', options?.slot, options?.epoch)).store,
    backup: {
      open: async (copy) => (await open(copy, 'master')).store,
      path() {
        backups += 1;
        return join(folder, `backup-${backups}.db`);
      },
    },
    storedTexts: async () => textsIn(path),
    run: async (statement) => (await write(statement)).rows,
    async fillUp() {
      const { rows } = await write('PRAGMA page_count');
      await write(`PRAGMA max_page_count = ${rows[0]?.page_count}`);
      return async () => void (await write('PRAGMA max_page_count = 1073741823'));
    },
    async dispose() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describe('the secret of a store', () => {
  it('opens with the one that came first, and is seen to be wrong with another', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-store-'));
    const path = join(folder, 'inlet.db');
    const opens = async (master: string): Promise<boolean> => {
      const { store } = await open(path, master);
      try {
        return await store.secretOpens();
      } finally {
        await store.close();
      }
    };
    expect([await opens('first'), await opens('first'), await opens('other')]).toEqual([true, true, false]);
    await rm(folder, { recursive: true, force: true });
  });
});

describe('store: SQLite alone', () => {
  const withStore = async (work: (store: Store, path: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-store-'));
    const path = join(folder, 'inlet.db');
    const { store } = await open(path, 'master');
    try {
      await work(store, path);
    } finally {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  };

  it('does not stop writing over a row that cannot be indexed', () =>
    withStore(async (store, path) => {
      const place = await madePlace(store);
      await made(store, place, { data: 'no JSON, by whatever damage' });
      const { submission } = await made(store, place, { data: '{"w":"sound"}' });
      await store.indexStep().catch(() => {});
      const project = aProject(place.accountId);
      await store.projects.create(project);
      await store.commit([anEntry(place)]);
      // Committed means that another connection sees it.
      const db = new DatabaseSync(path);
      const found = db.prepare('SELECT count(*) AS n FROM projects WHERE id = ?').get(project.id);
      db.close();
      expect(found).toEqual({ n: 1 });
      const words = { ...noFilter, words: ['sound'] };
      const page = { limit: 10, after: null };
      const { items } = await store.submissions.list({ kind: 'form', formId: place.form.id }, words, page);
      expect(items.map(({ id }) => id)).toEqual([submission.id]);
    }));

  it('syncs fully on every connection, with a write-ahead log and foreign keys', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inlet-store-'));
    const { engine, store } = await open(join(folder, 'inlet.db'), 'master');
    try {
      for (const db of [engine.write, engine.read]) {
        const pragma = async (name: string) =>
          Object.values(
            (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(`PRAGMA ${name}`))).rows[0] ??
              {},
          );
        expect(await pragma('synchronous')).toEqual([2]);
        expect(await pragma('journal_mode')).toEqual(['wal']);
        expect(await pragma('foreign_keys')).toEqual([1]);
      }
      const forbidden = engine.read.executeQuery(CompiledQuery.raw('DELETE FROM accounts'));
      await expect(forbidden).rejects.toMatchObject({ name: 'StoreUnavailable' });
    } finally {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
