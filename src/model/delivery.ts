/** A delivery is one submission on its way to one destination. The row is also the queue entry. */
import type { KindName } from '../contract/destination.js';

/** `suppressed`: it was not sent, on purpose, such as a mail to an address that has had its share today. Nothing failed. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'suppressed';
export type WebhookState = Exclude<DeliveryState, 'suppressed'>;

export type DeliveryTarget = 'form' | 'project';

export const deliveryTriggers = ['auto', 'manual', 'replay'] as const;
export type DeliveryTrigger = (typeof deliveryTriggers)[number];

/**
 * A destination has a lane for each of these; the numbers are stored. The release before has 0 to 3: during a rolling
 * upgrade its processes must not find what they cannot send, such as mails.
 */
export const queues = { manual: 4, first: 5, later: 6, replay: 7 } as const;

/** Where submissions wait for the digest of their destination: the dispatcher finds nothing there. */
export const digestQueue = 8;
export type Queue = (typeof queues)[keyof typeof queues] | typeof digestQueue;
/** What they have for an address until then. */
export const digestAddress = 'digest';

/** How a delivery goes that somebody asks for: alone, or as one of many. */
export const byHand = { trigger: 'manual', queue: queues.manual } as const;
export const asReplay = { trigger: 'replay', queue: queues.replay } as const;

/** Where deliveries to one destination wait, in the order in which they are due. */
export interface Lane {
  /** `laneOf` its destination. */
  readonly lane: string;
  readonly queue: Queue;
}

export const laneKey = ({ lane, queue }: Lane): string => `${queue} ${lane}`;

/** Each destination has its own; the origin is what several may share, and are limited by together. */
export const laneOf = (origin: string, destinationId: string): string => `${origin} ${destinationId}`;
/** All mails go to one server. */
export const mailOrigin = 'smtp';
export const originOf = (lane: string): string => lane.slice(0, lane.indexOf(' '));

export interface Delivery {
  readonly id: string;
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
  readonly destinationId: string;
  readonly kind: KindName;
  /** Whose destination it is. */
  readonly target: DeliveryTarget;
  readonly lane: string;
  /** Where it goes, as its owner sees it: the URL of a webhook, the recipient of a mail. */
  readonly url: string;
  /** Frozen when the submission committed: every attempt sends these bytes. */
  readonly body: string;
  readonly state: DeliveryState;
  /** How many attempts were made; also the number of the last one. */
  readonly attempt: number;
  /** How many of them were asked for: they are none of the schedule. */
  readonly extraAttempts: number;
  /** When the schedule goes on after an attempt that was asked for; null: it does not. */
  readonly resumeAt: number | null;
  /** What asked for the next attempt. */
  readonly trigger: DeliveryTrigger;
  readonly queue: Queue;
  /** null: nothing more is tried. While it is being sent: when another process may take it over. */
  readonly nextAttemptAt: number | null;
  /** The other side asked to be left alone until then. */
  readonly heldUntil: number | null;
  readonly isInFlight: boolean;
  readonly createdAt: number;
}

/** What was seen of one send. */
export interface Exchange {
  readonly status: number | null;
  readonly durationMs: number;
  /** The class of the fault, and what it was in words: `connect_refused: 127.0.0.1:9 refused the connection`. */
  readonly error: string | null;
  readonly response: string | null;
  readonly dnsMs: number | null;
  readonly connectMs: number | null;
  readonly firstByteMs: number | null;
  readonly remoteAddress: string | null;
}

/** Of a response only its class is kept: `http_5xx`. Other faults say what happened. */
export const faultInWords = (error: string): string =>
  error.replace(/^http_(\d)xx$/, 'the endpoint returned $1xx');

/** What was sent in an attempt, secrets masked. */
export interface AttemptRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: the body that is stored with the delivery. Otherwise its beginning. */
  readonly body: string | null;
  readonly isBodyCut: boolean;
}

/** Without a request of ours. */
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
  /** An `AttemptRequest` as JSON; null for mails, where nothing was sent, and of releases before this one. */
  readonly request: string | null;
  /** Headers of the response by their names, as JSON; null without a response. */
  readonly responseHeaders: string | null;
}

export interface DeliveryWithAttempts extends Delivery {
  readonly attempts: readonly Attempt[];
}

/** What an attempt leaves behind. */
export type Settled = Pick<
  Delivery,
  'state' | 'queue' | 'nextAttemptAt' | 'heldUntil' | 'extraAttempts' | 'resumeAt'
>;

/**
 * How an attempt ended. `failed`: it may be tried again. `gone`: the endpoint responded 410 and wants no more of it.
 * `rejected`: it will never be taken, such as a mail to an address that does not exist. `cancelled`: there is nobody left
 * to send it to. `suppressed`: it must not be sent, and the error says why.
 */
export type AttemptEnd = 'succeeded' | 'failed' | 'gone' | 'rejected' | 'cancelled' | 'suppressed';

export interface AttemptEnded {
  readonly end: AttemptEnd;
  readonly endedAt: number;
  /** The waits before attempts 2, 3, … of the schedule. */
  readonly delays: readonly number[];
  /** From 0 to 1: makes a wait up to a tenth longer, never shorter. */
  readonly jitter: number;
  /** The other side asked to be left alone for so long: it never shortens a wait. */
  readonly retryAfterMs: number | null;
}

/**
 * The one transition of a delivery: what an attempt that ended does to it. Waits count from the end of the failed attempt. One
 * that a person or a replay asked for is none of the schedule: when it fails, a delivery that was waiting waits on as
 * before, and one that had failed stays failed. Nothing follows `gone`, `rejected`, `cancelled` and `suppressed`, of which
 * more attempts would change nothing. A person may still send it again.
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
  // What it waits on for may be what the other side asked for.
  const heldBefore = isScheduled ? null : delivery.heldUntil;
  const heldUntil = retryAfterMs === null ? heldBefore : endedAt + retryAfterMs;
  return { ...over, state: 'pending', nextAttemptAt: Math.max(dueAt, heldUntil ?? 0), heldUntil };
}

const worstFirst = ['pending', 'failed', 'delivered'] as const;

/** Of a submission, over all its deliveries: what is worst and still moving comes first. null: nothing was to be sent. */
export function webhookStateOf(states: readonly DeliveryState[]): WebhookState | null {
  return worstFirst.find((state) => states.includes(state)) ?? null;
}
