/** A delivery is one submission on its way to one destination. The row is also the queue entry. */
import type { KindName } from '../contract/destination.js';

/** `suppressed`: deliberately not sent, such as a mail to an address that has reached its daily limit. Nothing failed. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'suppressed';
export type WebhookState = Exclude<DeliveryState, 'suppressed'>;

export type DeliveryTarget = 'form' | 'project';

export const deliveryTriggers = ['auto', 'manual', 'replay'] as const;
export type DeliveryTrigger = (typeof deliveryTriggers)[number];

/**
 * A destination has a lane for each of these. The numbers are stored. The previous release uses 0 to 3: during a rolling
 * upgrade, its processes must not find deliveries that they cannot send, such as mails.
 */
export const queues = { manual: 4, first: 5, later: 6, replay: 7 } as const;

/** Where submissions wait for the digest of their destination. The dispatcher does not see this queue. */
export const digestQueue = 8;
export type Queue = (typeof queues)[keyof typeof queues] | typeof digestQueue;
/** The `url` of the deliveries in it. */
export const digestAddress = 'digest';

/** Trigger and queue of a requested delivery: a single one, or one of a replay. */
export const byHand = { trigger: 'manual', queue: queues.manual } as const;
export const asReplay = { trigger: 'replay', queue: queues.replay } as const;

/** Where deliveries to one destination wait, in the order they are due. */
export interface Lane {
  /** The `laneOf` the destination. */
  readonly lane: string;
  readonly queue: Queue;
}

export const laneKey = ({ lane, queue }: Lane): string => `${queue} ${lane}`;

/** Each destination has its own lane. Several destinations can share an origin, and are then limited together. */
export const laneOf = (origin: string, destinationId: string): string => `${origin} ${destinationId}`;
/** All mails go to the same server. */
export const mailOrigin = 'smtp';
export const originOf = (lane: string): string => lane.slice(0, lane.indexOf(' '));

export interface Delivery {
  readonly id: string;
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
  readonly destinationId: string;
  readonly kind: KindName;
  /** Whether the destination belongs to the form or to the project. */
  readonly target: DeliveryTarget;
  readonly lane: string;
  /** The target as shown to the owner: the URL of a webhook, the recipient of a mail. */
  readonly url: string;
  /** Frozen when the submission is committed: every attempt sends these bytes. */
  readonly body: string;
  readonly state: DeliveryState;
  /** How many attempts were made. This is also the number of the last one. */
  readonly attempt: number;
  /** How many of them a user or a replay requested. These are not part of the schedule. */
  readonly extraAttempts: number;
  /** When the schedule continues after a requested attempt. null: it does not. */
  readonly resumeAt: number | null;
  /** What triggered the next attempt. */
  readonly trigger: DeliveryTrigger;
  readonly queue: Queue;
  /** null: there are no more attempts. During an attempt: when another process may take over the delivery. */
  readonly nextAttemptAt: number | null;
  /** The endpoint asked for no attempts before this time. */
  readonly heldUntil: number | null;
  readonly isInFlight: boolean;
  readonly createdAt: number;
}

/** What was observed in one attempt. */
export interface Exchange {
  readonly status: number | null;
  readonly durationMs: number;
  /** The class of the fault and a description: `connect_refused: 127.0.0.1:9 refused the connection`. */
  readonly error: string | null;
  readonly response: string | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  readonly remoteAddress: string | null;
}

/** For a response, only its class is stored: `http_5xx`. Other faults describe what happened. */
export const faultInWords = (error: string): string =>
  error.replace(/^http_(\d)xx$/, 'the endpoint returned $1xx');

/** What was sent in an attempt, with secrets masked. */
export interface AttemptRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: the body that is stored with the delivery. Otherwise the beginning of the body. */
  readonly body: string | null;
  readonly isBodyCut: boolean;
}

/** For attempts without an HTTP request. */
export const noExchange: Exchange = {
  status: null,
  durationMs: 0,
  error: null,
  response: null,
  dnsMs: null,
  connectMs: null,
  firstByteMs: null,
  remoteAddress: null,
};

export interface Attempt extends Exchange {
  readonly number: number;
  readonly at: number;
  readonly trigger: DeliveryTrigger;
  /** An `AttemptRequest` as JSON. null for mails, if nothing was sent, and for attempts of earlier releases. */
  readonly request: string | null;
  /** Response headers by name, as JSON. null without a response. */
  readonly responseHeaders: string | null;
}

export interface DeliveryWithAttempts extends Delivery {
  readonly attempts: readonly Attempt[];
}

/** What an attempt changes in its delivery. */
export type Settled = Pick<
  Delivery,
  'state' | 'queue' | 'nextAttemptAt' | 'heldUntil' | 'extraAttempts' | 'resumeAt'
>;

/**
 * How an attempt ended. `failed`: it can be retried. `gone`: the endpoint returned 410 and wants no more deliveries.
 * `rejected`: it will never be accepted, such as a mail to an address that does not exist. `cancelled`: there is no
 * recipient left. `suppressed`: it must not be sent, and the error says why.
 */
export type AttemptEnd = 'succeeded' | 'failed' | 'gone' | 'rejected' | 'cancelled' | 'suppressed';

export interface AttemptEnded {
  readonly end: AttemptEnd;
  readonly endedAt: number;
  /** The waits before attempts 2, 3, … of the schedule. */
  readonly delays: readonly number[];
  /** From 0 to 1: makes a wait up to a tenth longer, never shorter. */
  readonly jitter: number;
  /** How long the endpoint asked to wait. It never shortens a wait. */
  readonly retryAfterMs: number | null;
}

/**
 * The only transition of a delivery: applies the end of an attempt. Waits count from the end of the failed attempt. An attempt
 * that a user or a replay requested is not part of the schedule: when it fails, a waiting delivery continues to wait as
 * before, and a failed one stays failed. Nothing follows `gone`, `rejected`, `cancelled` and `suppressed`, because more
 * attempts would change nothing. A user can still send it again.
 */
export function settle(
  delivery: Pick<Delivery, 'attempt' | 'extraAttempts' | 'resumeAt' | 'trigger' | 'heldUntil'>,
  { end, endedAt, delays, jitter, retryAfterMs }: AttemptEnded,
): Settled {
  const isScheduled = delivery.trigger === 'auto';
  const extraAttempts = delivery.extraAttempts + (isScheduled ? 0 : 1);
  const over = { queue: queues.later, nextAttemptAt: null, heldUntil: null, extraAttempts, resumeAt: null };
  if (end === 'succeeded') return { ...over, state: 'delivered' };
  if (end === 'suppressed') return { ...over, state: 'suppressed' };
  const delay = isScheduled ? delays[delivery.attempt - delivery.extraAttempts] : undefined;
  const dueAt = delay === undefined ? delivery.resumeAt : endedAt + Math.ceil(delay * (1 + jitter / 10));
  if (end !== 'failed' || dueAt === null || (isScheduled && delay === undefined))
    return { ...over, state: 'failed' };
  // The wait that continues can be one that the endpoint asked for.
  const heldBefore = isScheduled ? null : delivery.heldUntil;
  const heldUntil = retryAfterMs === null ? heldBefore : endedAt + retryAfterMs;
  return { ...over, state: 'pending', nextAttemptAt: Math.max(dueAt, heldUntil ?? 0), heldUntil };
}

const worstFirst = ['pending', 'failed', 'delivered'] as const;

/** The state of a submission from all its deliveries: pending first, then the worst. Returns null when there was nothing to send. */
export function webhookStateOf(states: readonly DeliveryState[]): WebhookState | null {
  return worstFirst.find((state) => states.includes(state)) ?? null;
}
