/** One attempt: sends a delivery to its destination as it is now, and returns how that ended. */
import type { KindName } from '../../contract/destination.js';
import type { Clock } from '../../kernel/clock.js';
import { type Attempt, type AttemptEnd, type Delivery, noExchange } from '../../model/delivery.js';
import { type DestinationKinds, kindOf, type SendResult } from '../../ports/destination-kind.js';
import { addressOf, type CurrentDestinations } from './current.js';

export interface Attempted extends Pick<SendResult, 'isUnresponsive' | 'retryAfterMs'> {
  readonly end: AttemptEnd;
  readonly attempt: Attempt;
  /** Where it went, as its owner sees it. */
  readonly url: string;
  /** The delays before the next attempts. */
  readonly delays: readonly number[];
}

/** For destinations without their own schedule. */
export type DelaysByKind = Readonly<Record<KindName, readonly number[]>>;

/** Makes the attempts of queued deliveries. Cancels those whose destination was removed or disabled. */
export const createAttempts =
  (deps: {
    current: CurrentDestinations;
    kinds: DestinationKinds;
    clock: Clock;
    delays: DelaysByKind;
  }): ((delivery: Delivery) => Promise<Attempted>) =>
  async (delivery) => {
    const current = await deps.current.get(delivery);
    const at = deps.clock.now();
    if (current.destination === null) return cancelled(delivery, at, current.reason);
    const { destination, signing } = current;
    const { id, submissionId, body, trigger } = delivery;
    const url = addressOf(delivery, destination);
    const number = delivery.attempt + 1;
    // An attempt that was cut off, or whose response was lost, may still have arrived.
    const isRepeated = delivery.attempt > 0 || delivery.isInFlight || trigger === 'manual';
    const message = { id, submissionId, url, body, attempt: number, isRepeated };
    const result = await kindOf(deps.kinds, destination).send(message, destination, signing);
    const { end, isUnresponsive, retryAfterMs, request, recorded, responseHeaders, ...exchange } = result;
    const delays = destination.retryDelaysMs ?? deps.delays[destination.kind];
    const shown = { request: textOf(recorded(body)), responseHeaders: textOf(responseHeaders) };
    const attempt = { number, at, trigger, ...exchange, ...shown };
    return { end, attempt, url, isUnresponsive, retryAfterMs, delays };
  };

const textOf = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** For a delivery without a destination. It counts as an attempt, so that the owner sees why the delivery ended. */
const cancelled = ({ attempt, trigger, url }: Delivery, at: number, reason: string): Attempted => ({
  end: 'cancelled',
  attempt: {
    ...noExchange,
    number: attempt + 1,
    at,
    trigger,
    error: `cancelled: ${reason}`,
    request: null,
    responseHeaders: null,
  },
  url,
  isUnresponsive: false,
  retryAfterMs: null,
  delays: [],
});
