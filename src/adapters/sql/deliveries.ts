/** Deliveries and their attempts as rows, for those who look at them. How they are sent: queue.ts. */
import { sql } from 'kysely';
import type {
  Attempt,
  Delivery,
  DeliveryState,
  DeliveryTarget,
  DeliveryTrigger,
  DeliveryWithAttempts,
  Queue,
} from '../../model/delivery.js';
import type { DeliveryStore } from '../../ports/store.js';
import { atomically, type SqlContext } from './context.js';
import { listDeliveries } from './delivery-list.js';
import type { SqlValue } from './engine.js';
import type { AttemptRow, DeliveryRow } from './schema.js';

export const deliveryColumns = [
  'id',
  'submission_id',
  'form_id',
  'project_id',
  'target',
  'url',
  'body',
  'state',
  'next_attempt_at',
  'created_at',
  'attempt',
  '"trigger"',
  'queue',
] as const;

export const deliveryValues = (delivery: Delivery): readonly SqlValue[] => [
  delivery.id,
  delivery.submissionId,
  delivery.formId,
  delivery.projectId,
  delivery.target,
  delivery.url,
  delivery.body,
  delivery.state,
  delivery.nextAttemptAt,
  delivery.createdAt,
  delivery.attempt,
  delivery.trigger,
  delivery.queue,
];

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  submissionId: row.submission_id,
  formId: row.form_id,
  projectId: row.project_id,
  target: row.target as DeliveryTarget,
  url: row.url,
  body: row.body,
  state: row.state as DeliveryState,
  attempt: row.attempt,
  trigger: row.trigger as DeliveryTrigger,
  queue: row.queue as Queue,
  nextAttemptAt: row.next_attempt_at,
  isInFlight: row.lease_token !== null,
  createdAt: row.created_at,
});

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  at: row.at,
  trigger: row.trigger as DeliveryTrigger,
  status: row.status,
  durationMs: row.duration_ms,
  error: row.error,
  response: row.response,
  dnsMs: row.dns_ms,
  connectMs: row.connect_ms,
  firstByteMs: row.first_byte_ms,
  remoteAddress: row.remote_address,
});

/** Of a submission over all its deliveries, as `webhookStateOf` has it. */
export const submissionState = `(SELECT CASE
    WHEN COUNT(CASE WHEN d.state = 'pending' THEN 1 END) > 0 THEN 'pending'
    WHEN COUNT(CASE WHEN d.state = 'failed' THEN 1 END) > 0 THEN 'failed'
    WHEN COUNT(*) > 0 THEN 'delivered' END
  FROM deliveries d WHERE d.submission_id = submissions.id)`;

export const deliveryStore = (context: SqlContext): DeliveryStore => {
  const { read } = context;

  const withAttempts = async (rows: readonly DeliveryRow[]): Promise<readonly DeliveryWithAttempts[]> => {
    if (rows.length === 0) return [];
    const attempts = await read
      .selectFrom('delivery_attempts')
      .selectAll()
      .where(
        'delivery_id',
        'in',
        rows.map((row) => row.id),
      )
      .orderBy('number')
      .execute();
    return rows.map((row) => ({
      ...toDelivery(row),
      // Only those that the row knows of: one that was recorded between the two reads would not fit its state.
      attempts: attempts
        .filter((attempt) => attempt.delivery_id === row.id && attempt.number <= row.attempt)
        .map(toAttempt),
    }));
  };

  return {
    async listBySubmission(submissionId) {
      return withAttempts(
        await read
          .selectFrom('deliveries')
          .selectAll()
          .where('submission_id', '=', submissionId)
          .orderBy('id')
          .execute(),
      );
    },

    list: (scope, filter, page) => listDeliveries(read, scope, filter, page),

    async webhookStates(submissionIds) {
      if (submissionIds.length === 0) return [];
      const rows = await read
        .selectFrom('submissions')
        .innerJoin('forms', 'forms.id', 'submissions.form_id')
        .innerJoin('projects', 'projects.id', 'forms.project_id')
        .select([
          'submissions.id',
          'submissions.form_id',
          'submissions.project_id',
          'submissions.webhook_state',
          'projects.account_id',
        ])
        .where('submissions.id', 'in', submissionIds)
        .where('submissions.webhook_state', 'is not', null)
        .where('forms.deleted_at', 'is', null)
        .execute();
      return rows.map((row) => ({
        submissionId: row.id,
        formId: row.form_id,
        projectId: row.project_id,
        accountId: row.account_id,
        state: row.webhook_state as DeliveryState,
      }));
    },

    async countPending(most) {
      const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM (
        SELECT 1 FROM deliveries WHERE state = 'pending' LIMIT ${most}) AS counted`.execute(read);
      return Number(rows[0]?.n ?? 0);
    },

    async find(accountId, id) {
      const row = await read
        .selectFrom('deliveries')
        .innerJoin('forms', 'forms.id', 'deliveries.form_id')
        .innerJoin('projects', 'projects.id', 'forms.project_id')
        .selectAll('deliveries')
        .where('deliveries.id', '=', id)
        .where('projects.account_id', '=', accountId)
        .where('forms.deleted_at', 'is', null)
        .executeTakeFirst();
      return row ? ((await withAttempts([row]))[0] ?? null) : null;
    },

    async states(submissionId) {
      const rows = await read
        .selectFrom('deliveries')
        .select(['state', 'attempt'])
        .where('submission_id', '=', submissionId)
        .execute();
      return rows.map((row) => ({ state: row.state as DeliveryState, attempt: row.attempt }));
    },

    create: (deliveries) =>
      atomically(context, async (db) => {
        for (const delivery of deliveries) {
          const values = deliveryValues(delivery);
          await sql`INSERT INTO deliveries (${sql.raw(deliveryColumns.join(', '))})
            VALUES (${sql.join(values)})`.execute(db);
          await sql`UPDATE submissions SET webhook_state = ${sql.raw(submissionState)}
            WHERE id = ${delivery.submissionId}`.execute(db);
        }
      }),

    resend: ({ id, url, trigger, queue }, submissionId, now) =>
      atomically(context, async (db) => {
        const done = await db
          .updateTable('deliveries')
          .set({
            url,
            trigger,
            queue,
            state: 'pending',
            next_attempt_at: now,
            lease_token: null,
            lease_owner: null,
          })
          .where('id', '=', id)
          // A lease that has run out is nobody's.
          .where((e) => e.or([e('lease_token', 'is', null), e('next_attempt_at', '<=', now)]))
          .executeTakeFirst();
        if (done.numUpdatedRows === 0n) return false;
        await sql`UPDATE submissions SET webhook_state = 'pending' WHERE id = ${submissionId}`.execute(db);
        return true;
      }),

    async settings(formId) {
      const row = await read
        .selectFrom('forms')
        .innerJoin('projects', 'projects.id', 'forms.project_id')
        .select([
          'forms.webhook_url as form_url',
          'projects.webhook_url as project_url',
          'projects.webhook_secret',
          'projects.previous_secret',
          'projects.previous_secret_until',
        ])
        .where('forms.id', '=', formId)
        .where('forms.deleted_at', 'is', null)
        .executeTakeFirst();
      if (!row) return null;
      return {
        formId,
        formUrl: row.form_url,
        projectUrl: row.project_url,
        secret: context.sealer.open(row.webhook_secret),
        previousSecret: row.previous_secret === null ? null : context.sealer.open(row.previous_secret),
        previousSecretUntil: row.previous_secret_until,
      };
    },

    async oldestDueAt() {
      const heads = await context.engine.queueHeads();
      return heads.reduce<number | null>(
        (oldest, { due_at }) => (oldest === null || due_at < oldest ? due_at : oldest),
        null,
      );
    },
  };
};
