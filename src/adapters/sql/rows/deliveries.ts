/** Deliveries and their attempts as rows: listing, creating and resending them. Sending is in queue.ts. */
import { type Kysely, type NotNull, type SqlBool, sql } from 'kysely';
import {
  type Attempt,
  type Delivery,
  type DeliveryWithAttempts,
  digestAddress,
  digestQueue,
} from '../../../model/delivery.js';
import type { Reach } from '../../../model/reach.js';
import type { DeliveryStore } from '../../../ports/deliveries.js';
import type { QueueHead } from '../../../ports/delivery-queue.js';
import type { ReplayItem } from '../../../ports/replays.js';
import { atomically, type SqlContext, toList, toRules } from '../context.js';
import type { SqlValue } from '../engine.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { DeliveryRow, Schema } from '../schema.js';
import { countDeliveries } from './delivery-counts.js';
import { listDeliveries } from './delivery-list.js';
import { withDestination } from './destination-of.js';
import { isNotPaused, isNotSetAside, pauseOrResume } from './pausing.js';
import { withFiles } from './submission-rows.js';

export const deliveries = mapped<Omit<Delivery, 'isInFlight'>>()(
  'id submissionId formId projectId destinationId kind target lane url body state nextAttemptAt heldUntil createdAt attempt extraAttempts resumeAt trigger queue',
);
export const attempts = mapped<Attempt>()(
  'number at trigger status durationMs error response dnsMs connectMs firstByteMs remoteAddress request responseHeaders',
);

/** What sending a delivery again needs to know. */
export const replayItems = mapped<ReplayItem>()(
  'id submissionId formId projectId destinationId kind target url',
);

/** What is returned for a claimed delivery, including its earlier claims without a result. */
export const claimedColumns = [...deliveries.columns, 'lease_token', 'reclaims'];

export const toClaimed = (values: readonly SqlValue[]): Delivery =>
  withDestination({
    ...deliveries.fromValues(values),
    isInFlight: values.at(-2) !== null || Number(values.at(-1)) > 0,
  });

const toDelivery = (row: DeliveryRow): Delivery =>
  withDestination({ ...deliveries.toNoun(row), isInFlight: row.lease_token !== null });

/** Whether the delivery is in the reach, and its form not deleted. */
const isOf = (reach: Reach) => sql<SqlBool>`EXISTS (
  SELECT 1 FROM forms JOIN projects ON projects.id = forms.project_id
  WHERE forms.id = deliveries.form_id AND forms.deleted_at IS NULL AND ${inReach(reach)})`;

/** The state of a submission over all its deliveries, as in `webhookStateOf`. */
export const submissionState = `(SELECT CASE
    WHEN COUNT(CASE WHEN d.state = 'pending' THEN 1 END) > 0 THEN 'pending'
    WHEN COUNT(CASE WHEN d.state = 'failed' THEN 1 END) > 0 THEN 'failed'
    WHEN COUNT(CASE WHEN d.state = 'delivered' THEN 1 END) > 0 THEN 'delivered' END
  FROM deliveries d WHERE d.submission_id = submissions.id)`;

/**
 * When the first pending delivery of each lane is due. Jumps from lane to lane through the index: one step per lane, not per
 * row. With min() over a value of the outer row, PostgreSQL does not always take a single step down the index.
 */
export async function queueHeads(db: Kysely<Schema>): Promise<readonly QueueHead[]> {
  const { rows } = await sql<QueueHead>`
    WITH RECURSIVE lanes (lane) AS (
      SELECT min(lane) FROM deliveries WHERE state = 'pending'
      UNION ALL
      SELECT (SELECT lane FROM deliveries WHERE state = 'pending' AND lane > lanes.lane ORDER BY lane LIMIT 1)
      FROM lanes WHERE lanes.lane IS NOT NULL
    ), queues (queue) AS (VALUES (4), (5), (6), (7)),
    heads AS (
      SELECT lane, queue, (
        SELECT next_attempt_at FROM deliveries
        WHERE state = 'pending' AND deliveries.lane = lanes.lane AND deliveries.queue = queues.queue
        ORDER BY next_attempt_at LIMIT 1
      ) AS due_at FROM lanes CROSS JOIN queues WHERE lane IS NOT NULL
    )
    SELECT lane, queue, due_at AS "dueAt" FROM heads WHERE due_at IS NOT NULL`.execute(db);
  return rows;
}

export const deliveryStore = (context: SqlContext): DeliveryStore => {
  const { read } = context;

  const withAttempts = async (rows: readonly DeliveryRow[]): Promise<readonly DeliveryWithAttempts[]> => {
    if (rows.length === 0) return [];
    const ids = rows.map((row) => row.id);
    const found = await read
      .selectFrom('delivery_attempts')
      .selectAll()
      .where('delivery_id', 'in', ids)
      .orderBy('number')
      .execute();
    return rows.map((row) => ({
      ...toDelivery(row),
      // Only those that the row counts: an attempt recorded between the two reads would not match its state.
      attempts: found
        .filter((attempt) => attempt.delivery_id === row.id && attempt.number <= row.attempt)
        .map(attempts.toNoun),
    }));
  };

  return {
    async listBySubmission(submissionId) {
      return withAttempts(
        await read
          .selectFrom('deliveries')
          .selectAll()
          // Also the mails of digests that included it.
          .where((e) =>
            e.or([
              e('submission_id', '=', submissionId),
              e('submission_id', 'in', (of) =>
                of
                  .selectFrom('deliveries')
                  .select('digest_id')
                  .where('submission_id', '=', submissionId)
                  .where('digest_id', 'is not', null)
                  .$narrowType<{ digest_id: string }>(),
              ),
            ]),
          )
          .orderBy('id')
          .execute(),
      );
    },

    async listSkipped(submissionId) {
      const row = await read
        .selectFrom('submissions')
        .select('skipped_destinations')
        .where('id', '=', submissionId)
        .executeTakeFirst();
      return row?.skipped_destinations ? toList(row.skipped_destinations) : [];
    },

    list: (scope, filter, page) => listDeliveries(read, scope, filter, page),

    async dataOf(submissionIds, maxBytes) {
      if (submissionIds.length === 0) return new Map();
      const rows = await read
        .selectFrom('submissions')
        .select(['id', 'data'])
        .where('id', 'in', [...new Set(submissionIds)])
        .where(sql<SqlBool>`octet_length(data) <= ${maxBytes}`)
        .execute();
      return new Map(rows.map(({ id, data }) => [id, data]));
    },

    counts: (scope, times) => countDeliveries(read, scope, times),

    async webhookStates(submissionIds) {
      if (submissionIds.length === 0) return [];
      return read
        .selectFrom('submissions')
        .innerJoin('forms', 'forms.id', 'submissions.form_id')
        .innerJoin('projects', 'projects.id', 'forms.project_id')
        .select([
          'submissions.id as submissionId',
          'submissions.form_id as formId',
          'submissions.project_id as projectId',
          'submissions.webhook_state as state',
          'projects.account_id as accountId',
        ])
        .where('submissions.id', 'in', submissionIds)
        .where('submissions.webhook_state', 'is not', null)
        .where('forms.deleted_at', 'is', null)
        .$narrowType<{ state: NotNull }>()
        .execute();
    },

    async countPending(most) {
      const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM (
        SELECT 1 FROM deliveries WHERE state = 'pending' AND ${isNotPaused} LIMIT ${most}) AS counted`.execute(
        read,
      );
      return Number(rows[0]?.n ?? 0);
    },

    async find(reach, id) {
      const row = await read
        .selectFrom('deliveries')
        .selectAll()
        .where('id', '=', id)
        .where(isOf(reach))
        .executeTakeFirst();
      return row ? ((await withAttempts([row]))[0] ?? null) : null;
    },

    async subject(submissionId) {
      const row = await read
        .selectFrom('submissions')
        .innerJoin('forms', 'forms.id', 'submissions.form_id')
        .innerJoin('projects', 'projects.id', 'forms.project_id')
        .selectAll('submissions')
        .select(['forms.name as form_name', 'forms.slug as form_slug', 'forms.public_id', 'forms.fields'])
        .select(['projects.id as current_project', 'projects.account_id', 'projects.slug as project_slug'])
        .select('projects.name as project_name')
        .where('submissions.id', '=', submissionId)
        .where('forms.deleted_at', 'is', null)
        .executeTakeFirst();
      if (!row) return null;
      const [submission] = await withFiles(read, [row]);
      if (!submission) return null;
      const { form_name, form_slug, public_id: publicId, fields } = row;
      const { current_project, account_id: accountId, project_slug, project_name } = row;
      return {
        submission,
        form: { id: row.form_id, publicId, slug: form_slug, name: form_name, fields: toRules(fields) },
        project: { id: current_project, accountId, slug: project_slug, name: project_name },
      };
    },

    states: (submissionId) =>
      read
        .selectFrom('deliveries')
        .select(['state', 'attempt'])
        .where('submission_id', '=', submissionId)
        .where('kind', '=', 'webhook')
        .execute(),

    create: (created) =>
      atomically(context, async (db) => {
        for (const delivery of created) {
          await sql`INSERT INTO deliveries (${sql.raw(deliveries.columns.join(', '))})
            VALUES (${sql.join(deliveries.values(delivery))})`.execute(db);
          await sql`UPDATE submissions SET webhook_state = ${sql.raw(submissionState)}
            WHERE id = ${delivery.submissionId}`.execute(db);
          await pauseOrResume(db, [delivery.submissionId]);
        }
      }),

    async listResendable(reach, choice) {
      const isDelivery = 'deliveryIds' in choice;
      const ids = isDelivery ? choice.deliveryIds : choice.submissionIds;
      if (ids.length === 0) return [];
      const rows = await read
        .selectFrom('deliveries')
        .select(['id', 'submission_id', 'form_id', 'project_id', 'destination_id', 'kind', 'target', 'url'])
        .where(isDelivery ? 'id' : 'submission_id', 'in', ids)
        .$if(!isDelivery, (query) => query.where('queue', '<>', digestQueue))
        .where(isOf(reach))
        // Recipients would read a delivered mail twice.
        .where((e) =>
          isDelivery
            ? e.or([e('state', '<>', 'delivered'), e('kind', '<>', 'email')])
            : e('state', 'in', ['pending', 'failed']),
        )
        .orderBy('id')
        .execute();
      return rows.map((row) => withDestination(replayItems.toNoun(row)));
    },

    resend: ({ id, url, trigger, queue }, submissionId, now, dueAt = now) =>
      atomically(context, async (db) => {
        const done = await db
          .updateTable('deliveries')
          .set({
            // A delivery that waits by its schedule resumes it afterwards.
            resume_at: sql<
              number | null
            >`CASE WHEN state = 'pending' AND "trigger" = 'auto' THEN next_attempt_at ELSE resume_at END`,
            url,
            trigger,
            // A submission that waits for a digest is put into one at once.
            queue: url === digestAddress ? digestQueue : queue,
            state: 'pending',
            next_attempt_at: dueAt,
            lease_token: null,
            reclaims: 0,
            lease_owner: null,
          })
          .where('id', '=', id)
          // An expired lease does not count.
          .where((e) => e.or([e('lease_token', 'is', null), e('next_attempt_at', '<=', now)]))
          .where(isNotSetAside)
          .executeTakeFirst();
        if (done.numUpdatedRows === 0n) return false;
        await sql`UPDATE submissions SET webhook_state = 'pending' WHERE id = ${submissionId}`.execute(db);
        return true;
      }),

    async oldestDueAt() {
      const heads = await queueHeads(read);
      return heads.reduce<number | null>((oldest, { dueAt }) => Math.min(oldest ?? dueAt, dueAt), null);
    },
  };
};
