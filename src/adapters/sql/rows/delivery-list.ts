/**
 * Pages of deliveries. There is no index of deliveries by form: it would cost every submission a write, for a list that is only
 * viewed now and then. Instead this walks the submissions step by step, through the indexes that they have anyway, and finds
 * their deliveries by submission.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DeliveryState } from '../../../model/delivery.js';
import type { SetAsideFolder } from '../../../model/inbox.js';
import type {
  DeliveryFilter,
  DeliveryPage,
  DeliveryPlace,
  ListedDelivery,
} from '../../../ports/deliveries.js';
import type { OwnerScope } from '../../../ports/store.js';
import { mapped } from '../mapping.js';
import type { DeliveryRow, Schema } from '../schema.js';
import { withDestination } from './destination-of.js';

const stepRows = 200;
/** Submissions per page, about 20 ms: a filter that matches nothing must end too. */
const mostWalked = 5_000;

const listed = mapped<
  Omit<ListedDelivery, 'isInFlight' | 'lastStatus' | 'lastError' | 'lastAttemptAt' | 'pausedIn'>
>()(
  'id submissionId formId projectId destinationId kind target url state nextAttemptAt createdAt attempt trigger queue',
);
const listedColumns = [...listed.columns, 'lease_token'].map((column) => `d.${column}`).join(', ');

interface ListedRow extends Omit<DeliveryRow, 'body'> {
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_attempt_at: number | null;
  readonly paused_in: SetAsideFolder | null;
}

const toListed = (row: ListedRow): ListedDelivery =>
  withDestination({
    ...listed.toNoun(row),
    isInFlight: row.lease_token !== null,
    lastStatus: row.last_status,
    lastError: row.last_error,
    lastAttemptAt: row.last_attempt_at,
    pausedIn: row.lease_token === null ? row.paused_in : null,
  });

const hasAny = sql`webhook_state IS NOT NULL`;
// Written literally, or SQLite does not use the index on the rare states.
const inState = (state: 'pending' | 'failed') =>
  sql`webhook_state = ${state} AND webhook_state IN ('pending', 'failed')`;

/** A submission is `failed` only when none of its deliveries is pending: a failed delivery may belong to either state. */
const submissionsWith: Readonly<Record<DeliveryState, readonly RawBuilder<unknown>[]>> = {
  pending: [inState('pending')],
  failed: [inState('failed'), inState('pending')],
  delivered: [hasAny],
  suppressed: [sql`id IN (SELECT submission_id FROM deliveries WHERE state = 'suppressed')`],
};

/** The ids of submissions that may have matching deliveries, newest first, below `upTo` or including it. */
async function walk(
  db: Kysely<Schema>,
  scope: OwnerScope,
  { state }: DeliveryFilter,
  upTo: { readonly id: string; readonly isIncluded: boolean } | null,
): Promise<readonly string[]> {
  const owner = scope.kind === 'form' ? sql`form_id = ${scope.formId}` : sql`project_id = ${scope.projectId}`;
  const place =
    upTo === null ? sql`` : upTo.isIncluded ? sql`AND id <= ${upTo.id}` : sql`AND id < ${upTo.id}`;
  const found = new Set<string>();
  for (const which of state === null ? [hasAny, ...submissionsWith.suppressed] : submissionsWith[state]) {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM submissions WHERE ${owner} AND ${which} ${place}
        AND form_id NOT IN (SELECT id FROM forms WHERE deleted_at IS NOT NULL)
      ORDER BY id DESC LIMIT ${stepRows}`.execute(db);
    for (const { id } of rows) found.add(id);
  }
  return [...found].sort().reverse().slice(0, stepRows);
}

async function deliveriesOf(
  db: Kysely<Schema>,
  submissionIds: readonly string[],
  { state, url }: DeliveryFilter,
): Promise<readonly ListedRow[]> {
  const { rows } = await sql<ListedRow>`
    SELECT ${sql.raw(listedColumns)}, a.status AS last_status, a.error AS last_error, a.at AS last_attempt_at, s.folder AS paused_in
    FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempt
      LEFT JOIN submissions s ON d.state = 'pending' AND s.id = d.submission_id AND s.folder IN ('spam', 'trash')
    WHERE d.submission_id IN (${sql.join(submissionIds)})
      ${state === null ? sql`` : sql`AND d.state = ${state}`}
      ${url === null ? sql`` : sql`AND d.url = ${url}`}
    ORDER BY d.submission_id DESC, d.id DESC`.execute(db);
  return rows;
}

const isBelow = (row: ListedRow, { submissionId, deliveryId }: DeliveryPlace): boolean =>
  row.submission_id < submissionId ||
  (row.submission_id === submissionId && deliveryId !== null && row.id < deliveryId);

export async function listDeliveries(
  db: Kysely<Schema>,
  scope: OwnerScope,
  filter: DeliveryFilter,
  { limit, after }: { readonly limit: number; readonly after: DeliveryPlace | null },
): Promise<DeliveryPage> {
  const items: ListedDelivery[] = [];
  let from = after && { id: after.submissionId, isIncluded: after.deliveryId !== null };
  for (let walked = 0; walked < mostWalked; walked += stepRows) {
    const submissionIds = await walk(db, scope, filter, from);
    const last = submissionIds.at(-1);
    if (last === undefined) return { items, next: null };
    for (const row of await deliveriesOf(db, submissionIds, filter)) {
      if (after && !isBelow(row, after)) continue;
      const end = items.at(-1);
      // One more than requested: there is a next page.
      if (items.length === limit && end) {
        return { items, next: { submissionId: end.submissionId, deliveryId: end.id } };
      }
      items.push(toListed(row));
    }
    if (submissionIds.length < stepRows) return { items, next: null };
    from = { id: last, isIncluded: false };
  }
  return { items, next: from && { submissionId: from.id, deliveryId: null } };
}
