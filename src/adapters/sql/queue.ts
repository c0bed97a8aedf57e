/** The deliveries table as a queue: lines by receiver, leases, fenced records. */
import { sql } from 'kysely';
import type { Queue } from '../../model/delivery.js';
import type { AttemptRecord, DeliveryQueue, QueueTurn } from '../../ports/delivery-queue.js';
import { runBatch, type SqlContext } from './context.js';
import { submissionState, toDelivery } from './deliveries.js';
import type { BatchStatement, SqlValue } from './engine.js';
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
const settleSubmission = `UPDATE submissions SET webhook_state = ${submissionState} WHERE id = ?`;
const releaseLease = `UPDATE deliveries SET next_attempt_at = ?, lease_token = NULL, lease_owner = NULL
  WHERE id = ? AND lease_token = ?`;
const claimRow = `UPDATE deliveries SET lease_token = ?, lease_owner = ?, next_attempt_at = ?,
    reclaims = reclaims + CASE WHEN lease_token IS NULL THEN 0 ELSE 1 END
  WHERE id = ? AND state = 'pending' AND next_attempt_at <= ? AND url = ? AND "trigger" = ? AND attempt = ?`;

const pullRow = `UPDATE deliveries SET next_attempt_at = ?
  WHERE id = ? AND state = 'pending' AND lease_token IS NULL AND attempt = ? AND next_attempt_at = ?`;

interface WaitingRow extends Pick<DeliveryRow, 'id' | 'url' | 'queue' | 'attempt' | 'lease_token'> {
  readonly next_attempt_at: number;
}

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

function statementsOf({ records, releases, claims, lease, now }: QueueTurn): readonly BatchStatement[] {
  const ended = records.filter((record) => record.settled.state !== 'pending');
  return [
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
      sql: claimRow,
      rows: claims.map(({ id, url, trigger, attempt }) => [
        lease.token,
        lease.owner,
        lease.until,
        id,
        now,
        url,
        trigger,
        attempt,
      ]),
    },
    {
      sql: dropOldAttempts,
      rows: records
        .filter(({ attempt }) => attempt.number > maxAttemptsKept)
        .map(({ deliveryId, attempt }) => [deliveryId, attempt.number - maxAttemptsKept]),
    },
    {
      sql: settleSubmission,
      rows: [...new Set(ended.map((record) => record.submissionId))].map((id) => [id]),
    },
  ];
}

export const deliveryQueue = (context: SqlContext): DeliveryQueue => ({
  async heads() {
    const rows = await context.engine.queueHeads();
    return rows.map((row) => ({ url: row.url, queue: row.queue as Queue, dueAt: row.due_at }));
  },

  find: (picks, now) =>
    Promise.all(
      picks.map(async ({ url, queue, limit }) => {
        // One more than asked for tells when to look again; a body that is not due is left where it is.
        const { rows } = await sql<DeliveryRow>`
          SELECT id, submission_id, form_id, project_id, target, url, state, next_attempt_at, created_at, attempt,
            "trigger", queue, lease_token, lease_owner, reclaims,
            CASE WHEN next_attempt_at <= ${now} THEN body ELSE '' END AS body
          FROM deliveries
          WHERE state = 'pending' AND url = ${url} AND queue = ${queue}
          ORDER BY next_attempt_at, id LIMIT ${limit + 1}`.execute(context.read);
        const due = rows.filter((row) => (row.next_attempt_at ?? 0) <= now).slice(0, limit);
        return { due: due.map(toDelivery), nextDueAt: rows[due.length]?.next_attempt_at ?? null };
      }),
    ),

  async turn(turn) {
    const attempts = { sql: insertAttempt, rows: turn.records.map(attemptValues) };
    const changes = await runBatch(context, [attempts, ...statementsOf(turn)]);
    const [, settled = [], released = [], claimed = []] = changes;
    return {
      claimed: new Set(turn.claims.filter((_, index) => claimed[index] === 1).map((row) => row.id)),
      lost: [
        ...turn.records.filter((_, index) => settled[index] === 0),
        ...turn.releases.filter((_, index) => released[index] === 0),
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
    const [changes = []] = late.length === 0 ? [] : await runBatch(context, [{ sql: pullRow, rows: late }]);
    const last = rows.length < pullBackRows ? undefined : rows.at(-1);
    return {
      pulled: changes.reduce((sum, one) => sum + one, 0),
      next: last
        ? { url: last.url, queue: last.queue as Queue, dueAt: last.next_attempt_at, id: last.id }
        : null,
    };
  },
});
