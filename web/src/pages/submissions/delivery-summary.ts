/** How the deliveries of submissions stand. */
import type { DeliveryRow, WebhookState } from '../../wire.js';

export interface Summary {
  readonly state: WebhookState;
  readonly delivered: number;
  readonly total: number;
}

/** One that failed outweighs one that waits, which outweighs those that arrived. */
export function summaryOf(deliveries: readonly { readonly state: WebhookState }[]): Summary | null {
  if (deliveries.length === 0) return null;
  const has = (state: WebhookState) => deliveries.some((delivery) => delivery.state === state);
  return {
    state: has('failed') ? 'failed' : has('pending') ? 'pending' : 'delivered',
    delivered: deliveries.filter(({ state }) => state === 'delivered').length,
    total: deliveries.length,
  };
}

type Listed = Pick<DeliveryRow, 'submission_id' | 'state'>;

/** By submission. The last one of an unfinished list may have further deliveries, and is left out. */
export function summariesOf(rows: readonly Listed[], isWhole: boolean): ReadonlyMap<string, Summary> {
  const groups = new Map<string, Listed[]>();
  for (const row of rows) {
    const group = groups.get(row.submission_id);
    if (group === undefined) groups.set(row.submission_id, [row]);
    else group.push(row);
  }
  const last = rows.at(-1)?.submission_id;
  const summaries = new Map<string, Summary>();
  for (const [id, group] of groups) {
    const summary = summaryOf(group);
    if (summary !== null && (isWhole || id !== last)) summaries.set(id, summary);
  }
  return summaries;
}
