/**
 * Counts deliveries by state from their rows: a separate counter would cost every delivery a write, and would drift from what
 * the lists show.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { DeliveryCounts } from '../../../ports/deliveries.js';
import type { TallyScope } from '../../../ports/store.js';
import type { Schema } from '../schema.js';
import { formsIn } from './forms-in.js';

interface Counted {
  readonly place: number;
  readonly total: number;
  readonly pending: number;
  readonly paused: number;
  readonly failed: number;
  readonly suppressed: number;
}

// Written like the condition of the partial indexes, so that they are used.
const unfinished = sql`AND submissions.webhook_state IN ('pending', 'failed')`;
// As in the list of deliveries: what is being sent is not paused.
const isPaused = sql`(submissions.folder IN ('spam', 'trash') AND deliveries.lease_token IS NULL)`;

export async function countDeliveries(
  db: Kysely<Schema>,
  scope: TallyScope,
  times: readonly number[],
): Promise<readonly DeliveryCounts[]> {
  const ids = times.map(lowestIdAt);
  const spans = ids.slice(1).map((end, place) => sql`(${sql.lit(place)}, ${ids[place] ?? ''}, ${end})`);
  if (spans.length === 0) return [];
  const forms = formsIn(db, scope);
  const counted = (which: RawBuilder<unknown>) => sql`(SELECT count(*) FROM submissions
    JOIN deliveries ON deliveries.submission_id = submissions.id
    WHERE submissions.form_id IN ${forms} AND submissions.id >= spans.low AND submissions.id < spans.high ${which})`;
  // Most deliveries have arrived. Counting all of them, or the suppressed ones, reads two indexes and no row; rows are read
  // only for the others.
  const { rows } = await sql<Counted>`
    WITH spans (place, low, high) AS (VALUES ${sql.join(spans)})
    SELECT place, ${counted(sql``)} AS total,
      ${counted(sql`${unfinished} AND deliveries.state = 'pending' AND NOT ${isPaused}`)} AS pending,
      ${counted(sql`${unfinished} AND deliveries.state = 'pending' AND ${isPaused}`)} AS paused,
      ${counted(sql`${unfinished} AND deliveries.state = 'failed'`)} AS failed,
      ${counted(sql`AND deliveries.state = 'suppressed'`)} AS suppressed
    FROM spans ORDER BY place`.execute(db);
  return rows.map((row) => {
    const [pending, paused, failed] = [Number(row.pending), Number(row.paused), Number(row.failed)];
    const notDelivered = pending + paused + failed + Number(row.suppressed);
    return { pending, paused, failed, delivered: Number(row.total) - notDelivered };
  });
}
