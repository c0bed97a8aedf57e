/** The deliveries table as a queue: lines by receiver, leases, fenced records. */
import { sql } from 'kysely';
import type { Delivery, Queue } from '../../model/delivery.js';
import type { AttemptRecord, DeliveryQueue, QueueTurn } from '../../ports/delivery-queue.js';
import { runBatch, type SqlContext } from './context.js';
import { submissionState, toDelivery } from './deliveries.js';
import type { BatchStatement, SqlEngine, SqlValue } from './engine.js';
import type { DeliveryRow } from './schema.js';

/** A row that was reclaimed so often may be what kills us: it waits, so that the others get their turn. */
const suspectAfter = 5;
const suspectDelayMs = 60_000;
const pullBackRows = 500;
const maxAttemptsKept = 50;

// The order matters: the attempt is kept only while the lease holds, and settling ends the lease.
const insertAttempt = `INSERT INTO delivery_attempts
    (delivery_id, number, at, "trigger", status, duration_ms, error, response, dns_ms, connect_ms, first_byte_ms,
     remote_address)
  SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM deliveries WHERE id = ? AND lease_token = ?
  ON CONFLICT DO NOTHING`;
// Who sends again by hand may do so a thousand times; all that is kept is read at once.
const dropOldAttempts = 'DELETE FROM delivery_attempts WHERE delivery_id = ? AND number <= ?';
const settleDelivery = `UPDATE deliveries SET state = ?, queue = ?, next_attempt_at = ?, attempt = ?,
    "trigger" = 'auto', lease_token = NULL, lease_owner = NULL, reclaims = 0
  WHERE id = ? AND lease_token = ?`;
const holdSubmission = 'SELECT id FROM submissions WHERE id = ?';
const settleSubmission = `UPDATE submissions SET webhook_state = ${submissionState} WHERE id = ?`;
const releaseLease = `UPDATE deliveries SET next_attempt_at = ?, lease_token = NULL, lease_owner = NULL
  WHERE id = ? AND lease_token = ?`;
const nextDue = `SELECT next_attempt_at FROM deliveries WHERE state = 'pending' AND url = ? AND queue = ?
  ORDER BY next_attempt_at, id LIMIT 1`;

const pullRow = `UPDATE deliveries SET next_attempt_at = ?
  WHERE id = ? AND state = 'pending' AND lease_token IS NULL AND attempt = ? AND next_attempt_at = ?`;

interface WaitingRow extends Pick<DeliveryRow, 'id' | 'url' | 'queue' | 'attempt' | 'lease_token'> {
  readonly next_attempt_at: number;
}

interface NextDueRow {
  readonly next_attempt_at: number;
}

/** Not every database gives them back in this order. */
const byDue = (a: Delivery, b: Delivery): number =>
  (a.nextAttemptAt ?? 0) - (b.nextAttemptAt ?? 0) || (a.id < b.id ? -1 : 1);

const attemptValues = ({ deliveryId, token, attempt }: AttemptRecord): readonly SqlValue[] => [
  attempt.number,
  attempt.at,
  attempt.trigger,
  attempt.status,
  attempt.durationMs,
  attempt.error,
  attempt.response,
  attempt.dnsMs,
  attempt.connectMs,
  attempt.firstByteMs,
  attempt.remoteAddress,
  deliveryId,
  token,
];

function recordStatements(
  { records, releases }: QueueTurn,
  rowLock: SqlEngine['rowLock'],
): readonly BatchStatement[] {
  const ended = records.filter((record) => record.settled.state !== 'pending');
  // In the order of their ids: two who record results of the same submissions must not wait for each other.
  const submissions = [...new Set(ended.map((record) => record.submissionId))].sort().map((id) => [id]);
  return [
    { sql: insertAttempt, rows: records.map(attemptValues) },
    {
      sql: settleDelivery,
      rows: records.map(({ settled, attempt, deliveryId, token }) => [
        settled.state,
        settled.queue,
        settled.nextAttemptAt,
        attempt.number,
        deliveryId,
        token,
      ]),
    },
    {
      sql: releaseLease,
      rows: releases.map(({ nextAttemptAt, deliveryId, token }) => [nextAttemptAt, deliveryId, token]),
    },
    {
      sql: dropOldAttempts,
      rows: records
        .filter(({ attempt }) => attempt.number > maxAttemptsKept)
        .map(({ deliveryId, attempt }) => [deliveryId, attempt.number - maxAttemptsKept]),
    },
    // First alone: who has waited for another that settles the same submission must then see what that one did, and a
    // statement sees only what was there when it began.
    ...(rowLock === '' ? [] : [{ sql: `${holdSubmission} ${rowLock}`, rows: submissions }]),
    { sql: settleSubmission, rows: submissions },
  ];
}

export const deliveryQueue = (context: SqlContext): DeliveryQueue => ({
  async heads() {
    const rows = await context.engine.queueHeads();
    return rows.map((row) => ({ url: row.url, queue: row.queue as Queue, dueAt: row.due_at }));
  },

  async turn(turn) {
    const { records, releases, picks, lease, now } = turn;
    const recording = recordStatements(turn, context.engine.rowLock);
    const claiming = context.engine.claimDue(picks.map((pick) => ({ ...pick, ...lease, now })));
    const looking = { sql: nextDue, rows: picks.map(({ url, queue }) => [url, queue]) };
    const results = await runBatch(context, [...recording, ...claiming, looking]);
    const [, settled, released] = results;
    const [claimed, next] = [results[recording.length], results.at(-1)];
    return {
      found: picks.map((_, index) => ({
        due: ((claimed?.rows[index] ?? []) as DeliveryRow[]).map(toDelivery).sort(byDue),
        nextDueAt: (next?.rows[index] as NextDueRow[] | undefined)?.[0]?.next_attempt_at ?? null,
      })),
      lost: [
        ...records.filter((_, index) => settled?.changes[index] === 0),
        ...releases.filter((_, index) => released?.changes[index] === 0),
      ].map((row) => row.deliveryId),
    };
  },

  async recover(owner, now) {
    const done = await context.write
      .updateTable('deliveries')
      .set((e) => ({
        lease_token: null,
        lease_owner: null,
        reclaims: e('reclaims', '+', 1),
        next_attempt_at: e
          .case()
          .when('reclaims', '>=', suspectAfter)
          .then(now + suspectDelayMs)
          .else(now)
          .end(),
      }))
      .where('state', '=', sql.lit('pending'))
      .where('lease_owner', owner === null ? 'is not' : '=', owner)
      .executeTakeFirst();
    return Number(done.numUpdatedRows);
  },

  async pullBack({ rules, after }) {
    // A step at a time: one look at 100,000 parked rows took 0.75 s of a reader, and a fifth of the rate meanwhile.
    const from = after
      ? sql`AND (url, queue, next_attempt_at, id) > (${after.url}, ${after.queue}, ${after.dueAt}, ${after.id})`
      : sql``;
    const { rows } = await sql<WaitingRow>`
      SELECT id, url, queue, next_attempt_at, attempt, lease_token FROM deliveries
      WHERE state = 'pending' ${from}
      ORDER BY url, queue, next_attempt_at, id LIMIT ${pullBackRows}`.execute(context.read);
    const late = rows.flatMap(({ id, attempt, next_attempt_at, lease_token }) => {
      const rule = lease_token === null ? rules[attempt] : undefined;
      return rule && next_attempt_at > rule.laterThan ? [[rule.dueAt, id, attempt, next_attempt_at]] : [];
    });
    const [done] = late.length === 0 ? [] : await runBatch(context, [{ sql: pullRow, rows: late }]);
    const last = rows.length < pullBackRows ? undefined : rows.at(-1);
    return {
      pulled: (done?.changes ?? []).reduce((sum, one) => sum + one, 0),
      next: last
        ? { url: last.url, queue: last.queue as Queue, dueAt: last.next_attempt_at, id: last.id }
        : null,
    };
  },
});
