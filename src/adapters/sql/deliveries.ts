/** Deliveries and their attempts as rows. */
import type { Attempt, Delivery, DeliveryState, DeliveryTarget } from '../../model/delivery.js';
import type { DeliveryStore } from '../../ports/store.js';
import type { SqlContext } from './context.js';
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
];

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  submissionId: row.submission_id,
  formId: row.form_id,
  projectId: row.project_id,
  target: row.target as DeliveryTarget,
  url: row.url,
  body: row.body,
  state: row.state as DeliveryState,
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
});

const toAttempt = (row: AttemptRow): Attempt => ({
  number: row.number,
  at: row.at,
  trigger: row.trigger as Attempt['trigger'],
  status: row.status,
  durationMs: row.duration_ms,
  error: row.error,
  response: row.response,
});

export const deliveryStore = ({ read }: SqlContext): DeliveryStore => ({
  async oldestDueAt() {
    const row = await read
      .selectFrom('deliveries')
      .select('next_attempt_at')
      .where('state', '=', 'pending')
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst();
    return row?.next_attempt_at ?? null;
  },
  async listBySubmission(submissionId) {
    const deliveries = await read
      .selectFrom('deliveries')
      .selectAll()
      .where('submission_id', '=', submissionId)
      .orderBy('id')
      .execute();
    if (deliveries.length === 0) return [];
    const ids = deliveries.map((row) => row.id);
    const attempts = await read
      .selectFrom('delivery_attempts')
      .selectAll()
      .where('delivery_id', 'in', ids)
      .orderBy('number')
      .execute();
    return deliveries.map((row) => ({
      ...toDelivery(row),
      attempts: attempts.filter((attempt) => attempt.delivery_id === row.id).map(toAttempt),
    }));
  },
});
