/** What waits to be sent, and how all of it is held back at once. */
import { type Kysely, sql } from 'kysely';
import type { PendingSends } from '../../ports/store.js';
import type { SqlEngine } from './engine.js';
import type { Schema } from './schema.js';

/** A statement must end within seconds, and a million may be pending. */
const deliveriesAtOnce = 500;
const mailsAtOnce = 5_000;

interface Pending {
  readonly n: number;
  /** The newest: what arrives meanwhile is not held. */
  readonly last: string | null;
}

async function pending(
  db: Kysely<Schema>,
  table: 'deliveries' | 'mails' | 'replays',
  state: string,
): Promise<Pending> {
  const { rows } = await sql<Pending>`
    SELECT count(*) AS n, max(id) AS last FROM ${sql.table(table)} WHERE state = ${sql.lit(state)}`.execute(
    db,
  );
  return { n: Number(rows[0]?.n ?? 0), last: rows[0]?.last ?? null };
}

const pendingIn = async (db: Kysely<Schema>): Promise<Record<keyof PendingSends, Pending>> => ({
  deliveries: await pending(db, 'deliveries', 'pending'),
  mails: await pending(db, 'mails', 'pending'),
  replays: await pending(db, 'replays', 'running'),
});

const countsOf = ({ deliveries, mails, replays }: Record<keyof PendingSends, Pending>): PendingSends => ({
  deliveries: deliveries.n,
  mails: mails.n,
  replays: replays.n,
});

export const pendingSends = async ({ read }: SqlEngine): Promise<PendingSends> =>
  countsOf(await pendingIn(read));

export const holdSends = (engine: SqlEngine, reason: string, at: number): Promise<PendingSends> =>
  engine.transaction((db) => holdIn(engine, db, reason, at));

/** Inside a transaction. */
export async function holdIn(
  engine: SqlEngine,
  db: Kysely<Schema>,
  reason: string,
  at: number,
): Promise<PendingSends> {
  const found = await pendingIn(db);
  const { deliveries, mails } = found;
  // Rows that a worker moves within the queue meanwhile may be missed; the next pass finds them.
  while (deliveries.last !== null && (await holdPass(engine, db, deliveries.last, reason, at)) > 0);
  while (mails.last !== null && (await holdMails(db, mails.last, reason)) > 0);
  await sql`UPDATE replays SET state = 'cancelled', finished_at = ${at} WHERE state = 'running'`.execute(db);
  return countsOf(found);
}

interface Place {
  readonly id: string;
  readonly submission_id: string;
  readonly url: string;
  readonly queue: number;
  readonly next_attempt_at: number;
}

/** In the order of the queue's index, one page after the other. Returns how many it held. */
async function holdPass(
  { rowLock }: SqlEngine,
  db: Kysely<Schema>,
  last: string,
  reason: string,
  at: number,
): Promise<number> {
  let count = 0;
  for (let after: Place | undefined; ; ) {
    const from = after
      ? sql`AND (url, queue, next_attempt_at, id) > (${after.url}, ${after.queue}, ${after.next_attempt_at}, ${after.id})`
      : sql``;
    const { rows }: { rows: readonly Place[] } = await sql<Place>`
      SELECT id, submission_id, url, queue, next_attempt_at FROM deliveries
      WHERE state = 'pending' AND id <= ${last} ${from}
      ORDER BY url, queue, next_attempt_at, id LIMIT ${deliveriesAtOnce} ${sql.raw(rowLock)}`.execute(db);
    if (rows.length > 0) await holdDeliveries(db, rows, reason, at);
    count += rows.length;
    after = rows.at(-1);
    if (rows.length < deliveriesAtOnce) return count;
  }
}

async function holdDeliveries(
  db: Kysely<Schema>,
  rows: readonly Place[],
  reason: string,
  at: number,
): Promise<void> {
  const ids = sql.join(rows.map(({ id }) => id));
  const submissions = sql.join([...new Set(rows.map((row) => row.submission_id))].sort());
  // Recorded as an attempt, where people look for the reason.
  await sql`INSERT INTO delivery_attempts (delivery_id, number, at, "trigger", duration_ms, error)
    SELECT id, attempt + 1, ${at}, "trigger", 0, ${reason} FROM deliveries WHERE id IN (${ids})
    ON CONFLICT DO NOTHING`.execute(db);
  await sql`UPDATE submissions SET webhook_state = 'failed' WHERE id IN (${submissions})`.execute(db);
  await sql`UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, attempt = attempt + 1, "trigger" = 'auto',
    queue = 2, lease_token = NULL, lease_owner = NULL, reclaims = 0 WHERE id IN (${ids})`.execute(db);
}

async function holdMails(db: Kysely<Schema>, last: string, reason: string): Promise<number> {
  const { numAffectedRows } =
    await sql`UPDATE mails SET state = 'failed', next_attempt_at = NULL, error = ${reason},
    lease_token = NULL, lease_owner = NULL WHERE id IN (
      SELECT id FROM mails WHERE state = 'pending' AND id <= ${last} LIMIT ${mailsAtOnce})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
