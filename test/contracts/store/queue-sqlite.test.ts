/**
 * Claiming stays fast: work for a healthy destination is found through the index, however many rows wait for a dead one. The statements are
 * read from the program's modules, so that the one tested is the one that runs.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { queues } from '../../../src/model/delivery.js';
import type { Store } from '../../../src/ports/store.js';
import { anEntry, epoch, madePlace } from './samples.js';

const parked = 20_000;
const dead = 'https://dead.test/';
const healthy = 'https://healthy.test/';

/** A statement's text, from `from` to `to`, with its values as parameters. */
function statementOf(module: string, from: string, to: string): string {
  const code = readFileSync(new URL(`../../../dist/adapters/sql/${module}.js`, import.meta.url), 'utf8');
  const start = code.indexOf(from);
  const end = code.indexOf(to, start);
  if (start === -1 || end === -1) throw new Error(`There is no statement from ${from} to ${to} in ${module}`);
  return code.slice(start, end + to.length).replaceAll(/\$\{[^}]*\}/g, '?');
}

const dueInLine = statementOf('sqlite/sqlite', 'FROM deliveries WHERE state =', 'id LIMIT ?');

describe('the queue in SQLite, with many rows parked on one receiver', () => {
  let folder: string;
  let store: Store;
  let db: InstanceType<typeof DatabaseSync>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlet-queue-'));
    const path = join(folder, 'inlet.db');
    const engine = await openSqlite({
      path,
      readers: 1,
      now: () => epoch,
      mayMigrate: true,
      onFatal(error: Error) {
        throw error;
      },
    });
    store = createSqlStore(engine, createSealer(deriveKey('master', 'seal')));
    const place = await madePlace(store);
    for (let done = 0; done < parked; done += 1_000) {
      const entries = Array.from({ length: 1_000 }, (_, i) => {
        const entry = anEntry(place, { deliveries: 1 });
        const parts = { lane: dead, queue: queues.later, nextAttemptAt: epoch + done + i };
        return { ...entry, deliveries: entry.deliveries.map((delivery) => ({ ...delivery, ...parts })) };
      });
      await store.commit(entries);
    }
    const entry = anEntry(place, { deliveries: 1 });
    const due = { lane: healthy, nextAttemptAt: epoch };
    await store.commit([{ ...entry, deliveries: entry.deliveries.map((one) => ({ ...one, ...due })) }]);
    db = new DatabaseSync(path);
  });
  afterAll(async () => {
    db.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  const planOf = (statement: string): readonly string[] => {
    const parameters = Array.from({ length: statement.split('?').length - 1 }, () => 1);
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...parameters) as { detail: string }[];
    return rows.map(({ detail }) => detail).filter((detail) => /\bdeliveries\b/.test(detail));
  };

  it.each([
    ['heads', statementOf('rows/deliveries', 'WITH RECURSIVE lanes', 'WHERE due_at IS NOT NULL')],
    ['what is due in a line', `SELECT id, body ${dueInLine}`],
    ['when a line has something again', statementOf('rows/queue', 'SELECT next_attempt_at FROM', 'LIMIT 1')],
  ])('finds %s by searching the index', (_, statement) => {
    const plan = planOf(statement);
    expect(plan.length).toBeGreaterThan(0);
    for (const step of plan)
      expect(step).toMatch(/^SEARCH deliveries USING (COVERING )?INDEX deliveries_queue/);
  });

  it.each([
    ['record', statementOf('rows/queue', 'UPDATE deliveries SET state = ?', 'AND lease_token = ?')],
    [
      'pulling back',
      statementOf(
        'rows/queue',
        'UPDATE deliveries SET next_attempt_at = ?\n  WHERE id',
        'attempt_at = ?`',
      ).replace('`', ''),
    ],
    [
      'release',
      statementOf('rows/queue', 'UPDATE deliveries SET next_attempt_at = ?', 'AND lease_token = ?'),
    ],
  ])('changes the one row of a %s by its id', (_, statement) => {
    for (const step of planOf(statement)) expect(step).toMatch(/^SEARCH deliveries USING .*\(id=\?\)/);
    expect(planOf(statement)).toHaveLength(1);
  });

  it('claims what it finds through the index by the number of the row', () => {
    const from = 'UPDATE deliveries SET lease_token = ?';
    const statement = statementOf('sqlite/sqlite', from, 'rowid IN (SELECT rowid').concat(` ${dueInLine})`);
    const [outer, inner, ...more] = planOf(statement);
    expect(outer).toMatch(/^SEARCH deliveries USING INTEGER PRIMARY KEY \(rowid=\?\)/);
    expect(inner).toMatch(/^SEARCH deliveries USING COVERING INDEX deliveries_queue/);
    expect(more).toEqual([]);
  });

  it('ends the lease of a lost claim by searching the index of its line', () => {
    const statement = statementOf(
      'rows/queue',
      'UPDATE deliveries SET next_attempt_at = ?\n  WHERE state',
      'AND lease_token = ?',
    );
    expect(planOf(statement)[0]).toMatch(
      /^SEARCH deliveries USING INDEX deliveries_queue \(lane=\? AND queue=\? AND next/,
    );
  });

  it('has the plan of a scan for what has no index, so that a scan would be seen', () => {
    expect(planOf('SELECT id FROM deliveries WHERE created_at = ?')[0]).toMatch(/^SCAN deliveries/);
  });

  it('finds the healthy one beside them', async () => {
    const heads = await store.queue.heads();
    expect(heads.map(({ lane, queue }) => [lane, queue]).sort()).toEqual([
      [dead, queues.later],
      [healthy, queues.first],
    ]);
    const { found } = await store.queue.runCycle({
      records: [],
      releases: [],
      unconfirmed: [],
      picks: [
        { lane: healthy, queue: queues.first, limit: 4 },
        { lane: dead, queue: queues.later, limit: 2 },
      ],
      lease: { token: 'token', owner: 'owner', until: epoch + 2 * parked },
      now: epoch + parked,
    });
    expect(found.map(({ due, nextDueAt }) => [due.length, nextDueAt])).toEqual([
      [1, epoch + 2 * parked],
      [2, epoch + 2],
    ]);
  });
});
