/** Counts webhook attempts that have ended. */
import type { DeliveryState, WebhookState } from '../../model/delivery.js';
import { type DeliveryTally, latencyBoundOf } from '../../model/tally.js';
import type { Tallies } from './tallies.js';

const tallyOf: Readonly<Record<WebhookState, DeliveryTally>> = {
  delivered: 'delivered',
  pending: 'retried',
  failed: 'failed',
};

/** Only successful attempts show how fast a destination is: the timeouts of one that is down would drown them. */
export function countAttempt(
  tallies: Pick<Tallies, 'count'>,
  formId: string,
  durationMs: number,
  state: DeliveryState,
): void {
  if (state === 'suppressed') return;
  tallies.count(formId, tallyOf[state]);
  if (state === 'delivered') tallies.count(formId, `latency_${latencyBoundOf(durationMs)}`);
}
