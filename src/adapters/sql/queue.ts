/** The deliveries table as a queue: lines by receiver, leases, fenced records. */
import { sql } from 'kysely';
import type {
  Delivery,
  DeliveryState,
  DeliveryTarget,
  DeliveryTrigger,
  Queue,
} from '../../model/delivery.js';
import type { AttemptRecord, DeliveryQueue, QueueTurn } from '../../ports/delivery-queue.js';
import { runBatch, type SqlContext } from './context.js';
import { submissionState } from './deliveries.js';
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
const holdSubmissions = (ids: string): string => `SELECT id FROM submissions WHERE id IN ${ids} ORDER BY id`;
const settleSubmissions = (ids: string): string =>
  `UPDATE submissions SET webhook_state = ${submissionState} WHERE id IN ${ids}`;
const releaseLease = `UPDATE deliveries SET next_attempt_at = ?, lease_token = NULL, lease_owner = NULL
  WHERE id = ? AND lease_token = ?`;
// Found through the index of the line, by the very moment at which the lease ends.
const endLease = `UPDATE deliveries SET next_attempt_at = ?
  WHERE state = 'pending' AND url = ? AND queue = ? AND next_attempt_at = ? AND lease_token = ?`;
const nextDue = `SELECT next_attempt_at FROM deliveries WHERE state = 'pending' AND url = ? AND queue = ?
  ORDER BY next_attempt_at, id LIMIT 1`;

const pullRow = `UPDATE deliveries SET next_attempt_at = ?
  WHERE id = ? AND state = 'pending' AND lease_token IS NULL AND attempt = ? AND next_attempt_at = ?`;

interface WaitingRow extends Pick<DeliveryRow, 'id' | 'url' | 'queue' | 'attempt' | 'lease_token'> {
  readonly next_attempt_at: number;
}

/** In the order of `claimedColumns`. */
type ClaimedRow = readonly [
  id: string,
  submissionId: string,
  formId: string,
  projectId: string,
  target: DeliveryTarget,
  url: string,
  body: string,
  state: DeliveryState,
  nextAttemptAt: number,
  createdAt: number,
  attempt: number,
  trigger: DeliveryTrigger,
  queue: Queue,
  leaseToken: string | null,
];

function toClaimed(row: readonly SqlValue[]): Delivery {
  const claimed = row as unknown as ClaimedRow;
  const [id, submissionId, formId, projectId, target, url, body, state] = claimed;
  const [, , , , , , , , nextAttemptAt, createdAt, attempt, trigger, queue, leaseToken] = claimed;
  return {
    id,
    submissionId,
    formId,
    projectId,
    target,
    url,
    body,
    state,
    attempt,
    trigger,
    queue,
    nextAttemptAt,
    isInFlight: leaseToken !== null,
    createdAt,
  };
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

/**
 * All in one statement: 4 µs less for each than one by one. As many places as the next power of two, filled up with the last
 * of them, so that there are few texts to prepare.
 */
function inList(values: readonly string[]): { ids: string; rows: readonly (readonly string[])[] } {
  const last = values.at(-1);
  if (last === undefined) return { ids: '(?)', rows: [] };
  const places = 2 ** Math.ceil(Math.log2(values.length));
  const filled = Array.from({ length: places }, (_, index) => values[index] ?? last);
  return { ids: `(${filled.map(() => '?').join(', ')})`, rows: [filled] };
}

function recordStatements(
  { records, releases, unheard, now }: QueueTurn,
  rowLock: SqlEngine['rowLock'],
): readonly BatchStatement[] {
  const ended = records.filter((record) => record.settled.state !== 'pending');
  const { ids, rows } = inList([...new Set(ended.map((record) => record.submissionId))]);
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
      sql: endLease,
      rows: unheard.map(({ url, queue, token, until }) => [now, url, queue, until, token]),
    },
    {
      sql: dropOldAttempts,
      rows: records
        .filter(({ attempt }) => attempt.number > maxAttemptsKept)
        .map(({ deliveryId, attempt }) => [deliveryId, attempt.number - maxAttemptsKept]),
    },
    // First alone: who has waited for another that settles the same submission must then see what that one did, and a
    // statement sees only what was there when it began.
    // In the order of their ids, so that two who settle the same ones do not wait for each other.
    ...(rowLock === '' ? [] : [{ sql: `${holdSubmissions(ids)} ${rowLock}`, rows }]),
    { sql: settleSubmissions(ids), rows },
  ];
}

export const deliveryQueue = (context: SqlContext): DeliveryQueue => ({
  async heads() {
    const rows = await context.engine.queueHeads();
    return rows.map((row) => ({ url: row.url, queue: row.queue as Queue, dueAt: row.due_at }));
  },

  async turn(turn) {
    const { records, releases, picks, lease, now } = turn;
    const { epoch } = context;
    const recording = recordStatements(turn, context.engine.rowLock);
    const claiming = context.engine.claimDue(picks.map((pick) => ({ ...pick, ...lease, now, epoch })));
    const looking = { sql: nextDue, rows: picks.map(({ url, queue }) => [url, queue]) };
    const results = await runBatch(context, [...recording, ...claiming, looking]);
    const [, settled, released] = results;
    const [claimed, next] = [results[recording.length], results.at(-1)];
    return {
      found: picks.map((_, index) => ({
        due: (claimed?.rows[index] ?? []).map(toClaimed).sort(byDue),
        nextDueAt: (next?.rows[index]?.[0]?.[0] ?? null) as number | null,
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
