/** A delivery is one submission on its way to one receiver. The row is also the queue entry. */

export type DeliveryState = 'pending' | 'delivered' | 'failed';
export type WebhookState = DeliveryState;

export type DeliveryTarget = 'form' | 'project';

export const deliveryTriggers = ['auto', 'manual', 'replay'] as const;
export type DeliveryTrigger = (typeof deliveryTriggers)[number];

/** In which line a delivery waits at its receiver; the numbers are stored. */
export const queues = { manual: 0, first: 1, later: 2, replay: 3 } as const;
export type Queue = (typeof queues)[keyof typeof queues];

export interface Delivery {
  readonly id: string;
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
  readonly target: DeliveryTarget;
  readonly url: string;
  /** Frozen when the submission committed: every attempt sends these bytes. */
  readonly body: string;
  readonly state: DeliveryState;
  /** How many attempts were made; also the number of the last one. */
  readonly attempt: number;
  /** What asked for the next attempt. */
  readonly trigger: DeliveryTrigger;
  readonly queue: Queue;
  /** null: nothing more is tried. While it is being sent: when another process may take it over. */
  readonly nextAttemptAt: number | null;
  readonly isInFlight: boolean;
  readonly createdAt: number;
}

export interface AttemptTimings {
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
}

export interface Attempt extends AttemptTimings {
  readonly number: number;
  readonly at: number;
  readonly trigger: DeliveryTrigger;
  readonly status: number | null;
  readonly durationMs: number;
  /** The class of the fault, and what it was in words: `connect_refused: 127.0.0.1:9 refused the connection`. */
  readonly error: string | null;
  readonly response: string | null;
  readonly remoteAddress: string | null;
}

export interface DeliveryWithAttempts extends Delivery {
  readonly attempts: readonly Attempt[];
}

/** What an attempt leaves behind. */
export interface Settled {
  readonly state: DeliveryState;
  readonly queue: Queue;
  readonly nextAttemptAt: number | null;
}

/**
 * How an attempt ended. `failed`: it may be tried again. `gone`: the endpoint responded 410 and wants no more of it.
 * `cancelled`: there is nobody left to send it to.
 */
export type AttemptEnd = 'succeeded' | 'failed' | 'gone' | 'cancelled';

/**
 * The one transition of a delivery: what an attempt that ended does to it. `delays` are the waits before attempts 2, 3, …;
 * they count from the end of the failed attempt, and `jitter` (0 to 1) makes them up to a tenth longer, never shorter.
 * Only an automatic attempt that failed is followed by another: none follows one that a person asked for, and none
 * follows `gone` and `cancelled`, of which more attempts would change nothing. A person may still send it again.
 */
export function settle(
  delivery: Pick<Delivery, 'attempt' | 'trigger'>,
  end: AttemptEnd,
  { delays, endedAt, jitter }: { delays: readonly number[]; endedAt: number; jitter: number },
): Settled {
  if (end === 'succeeded') return { state: 'delivered', queue: queues.later, nextAttemptAt: null };
  const delay = end === 'failed' && delivery.trigger === 'auto' ? delays[delivery.attempt] : undefined;
  if (delay === undefined) return { state: 'failed', queue: queues.later, nextAttemptAt: null };
  return {
    state: 'pending',
    queue: queues.later,
    nextAttemptAt: endedAt + Math.ceil(delay * (1 + jitter / 10)),
  };
}

/** Of a submission, over all its deliveries: what is worst and still moving comes first. */
export function webhookStateOf(states: readonly DeliveryState[]): WebhookState | null {
  if (states.length === 0) return null;
  if (states.includes('pending')) return 'pending';
  return states.includes('failed') ? 'failed' : 'delivered';
}
