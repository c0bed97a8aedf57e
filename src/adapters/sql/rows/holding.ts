/** What is waiting to be sent, and how to stop all of it at once. */
import { type Kysely, sql } from 'kysely';
import { queues } from '../../../model/delivery.js';
import type { PendingSends } from '../../../ports/store.js';
import type { SqlEngine } from '../engine.js';
import type { Schema } from '../schema.js';
import { takeIn } from './release-before.js';

/** A statement must end within seconds, and a million may be pending. */
const deliveriesAtOnce = 500;

interface Pending {
  readonly deliveries: number;
  readonly mails: number;
  /** The newest: what arrives meanwhile is not stopped. */
  readonly last: string | null;
}

async function pendingDeliveries(db: Kysely<Schema>): Promise<Pending> {
  const { rows } = await sql<{ n: number; mails: number; last: string | null }>`
    SELECT count(*) AS n, count(CASE WHEN kind = 'email' THEN 1 END) AS mails, max(id) AS last
    FROM deliveries WHERE state = 'pending'`.execute(db);
  const [row] = rows;
  const mails = Number(row?.mails ?? 0);
  return { deliveries: Number(row?.n ?? 0) - mails, mails, last: row?.last ?? null };
}

async function pendingIn(db: Kysely<Schema>): Promise<Pending & PendingSends> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM replays WHERE state = 'running'`.execute(db);
  return { ...(await pendingDeliveries(db)), replays: Number(rows[0]?.n ?? 0) };
}

const countsOf = ({ deliveries, mails, replays }: PendingSends): PendingSends => ({
  deliveries,
  mails,
  replays,
});

export const pendingSends = async ({ read }: SqlEngine): Promise<PendingSends> =>
  countsOf(await pendingIn(read));

export const holdSends = (engine: SqlEngine, reason: string, at: number): Promise<PendingSends> =>
  engine.transaction((db) => holdIn(engine, db, reason, at));

/** Call it inside a transaction. */
export async function holdIn(
  engine: SqlEngine,
  db: Kysely<Schema>,
  reason: string,
  at: number,
): Promise<PendingSends> {
  // What a process of the previous release has queued, whether it is being sent or not.
  while ((await takeIn(db, Number.MAX_SAFE_INTEGER)) > 0);
  const found = await pendingIn(db);
  const { last } = found;
  // Rows that a worker moves within the queue meanwhile may be missed; the next pass finds them.
  while (last !== null && (await holdPass(engine, db, last, reason, at)) > 0);
  await sql`UPDATE replays SET state = 'cancelled', finished_at = ${at} WHERE state = 'running'`.execute(db);
  return countsOf(found);
}

interface Place {
  readonly id: string;
  readonly submission_id: string;
  readonly lane: string;
  readonly queue: number;
  readonly next_attempt_at: number;
}

/** Goes through the queue's index page by page. Returns how many deliveries it stopped. */
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
      ? sql`AND (lane, queue, next_attempt_at, id) > (${after.lane}, ${after.queue}, ${after.next_attempt_at}, ${after.id})`
      : sql``;
    const { rows }: { rows: readonly Place[] } = await sql<Place>`
      SELECT id, submission_id, lane, queue, next_attempt_at FROM deliveries
      WHERE state = 'pending' AND id <= ${last} ${from}
      ORDER BY lane, queue, next_attempt_at, id LIMIT ${deliveriesAtOnce} ${sql.raw(rowLock)}`.execute(db);
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
  // Recorded as an attempt, where users look for the reason.
  await sql`INSERT INTO delivery_attempts (delivery_id, number, at, "trigger", duration_ms, error)
    SELECT id, attempt + 1, ${at}, "trigger", 0, ${reason} FROM deliveries WHERE id IN (${ids})
    ON CONFLICT DO NOTHING`.execute(db);
  await sql`UPDATE submissions SET webhook_state = 'failed' WHERE id IN (${submissions})`.execute(db);
  await sql`UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, attempt = attempt + 1, "trigger" = 'auto',
    queue = ${queues.later}, lease_token = NULL, lease_owner = NULL, reclaims = 0 WHERE id IN (${ids})`.execute(
    db,
  );
}
