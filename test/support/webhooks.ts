/** Webhooks as their owner sees them, and endpoints whose behaviour changes. */
import { createHmac } from 'node:crypto';
import { type Answer, type Client, submitJson } from './client.js';
import { pauses } from './pauses.js';
import {
  answerBytes,
  type Behaviour,
  type ReceivedRequest,
  type Receiver,
  type Answer as ReceiverAnswer,
  startReceiver,
} from './receivers.js';
import { type ServerOptions, startServer } from './server.js';

/** Short delays before attempts 2 to 5, in seconds, and the same in milliseconds. */
const shortDelays = '0.2,0.3,0.4,0.5';
export const shortDelaysMs = [200, 300, 400, 500] as const;

/** A server that a test may poll as often as it likes. */
export const startHookServer = (env: Record<string, string> = {}, more: Omit<ServerOptions, 'env'> = {}) =>
  startServer({
    ...more,
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_RETRY_DELAYS: shortDelays, ...env },
  });

export interface SeenAttempt {
  readonly number: number;
  readonly at: string;
  readonly trigger: string;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly response: string | null;
}

export interface SeenDelivery {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly url: string;
  readonly state: string;
  readonly next_attempt_at: string | null;
  readonly attempts: readonly SeenAttempt[];
}

export async function deliveriesOf(api: Client, submissionId: string): Promise<readonly SeenDelivery[]> {
  const answer = await api.get(`/api/v1/submissions/${submissionId}/deliveries`);
  if (answer.status !== 200) throw new Error(`deliveries: ${answer.status} ${answer.text}`);
  return answer.body.data;
}

/** Polls until `isSo`. Otherwise only the limit of the test itself ends it. */
export async function becomes<T>(
  look: () => Promise<T> | T,
  isSo: (seen: T) => boolean | undefined,
): Promise<T> {
  const pause = pauses();
  for (;;) {
    const seen = await look();
    if (isSo(seen) === true) return seen;
    await pause();
  }
}

/** The only delivery of a submission, once `isSo`. */
export async function deliveryBecomes(
  api: Client,
  submissionId: string,
  isSo: (delivery: SeenDelivery) => boolean,
): Promise<SeenDelivery> {
  const [delivery] = await becomes(
    () => deliveriesOf(api, submissionId),
    ([first, ...others]) => first !== undefined && others.length === 0 && isSo(first),
  );
  if (!delivery) throw new Error('no delivery');
  return delivery;
}

export const hasState = (state: string) => (delivery: SeenDelivery) => delivery.state === state;
export const hasAttempts = (count: number) => (delivery: SeenDelivery) => delivery.attempts.length >= count;

/** Waits for its next automatic attempt, and is not in the middle of one. */
export const isWaiting = (delivery: SeenDelivery): boolean =>
  delivery.state === 'pending' && delivery.attempts.length > 0 && delivery.next_attempt_at !== null;

export async function submit(endpoint: string, fields: unknown = { name: 'Ada' }): Promise<string> {
  const answer: Answer = await submitJson(endpoint, fields);
  if (answer.status !== 200) throw new Error(`submit: ${answer.status} ${answer.text}`);
  return answer.body.submission_id;
}

/** What a receiver computes from the raw body, as the contract defines it. */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export interface TurningReceiver extends Receiver {
  /** When each request had fully arrived. */
  readonly times: readonly number[];
  /** What it does with requests from now on. */
  turnTo(behaviour: Behaviour | ReceiverAnswer): void;
  /** Responds to every request still without a response. */
  release(answer?: ReceiverAnswer): void;
}

const answering =
  (answer: ReceiverAnswer): Behaviour =>
  (socket) =>
    void socket.write(answerBytes(answer));

/** An endpoint whose behaviour can be changed. `'hang'` keeps requests open until they are released. */
export async function startTurning(first: ReceiverAnswer | 'hang' = {}): Promise<TurningReceiver> {
  const times: number[] = [];
  let held: { socket: Parameters<Behaviour>[0]; request: ReceivedRequest }[] = [];
  const hang: Behaviour = (socket, request) => void held.push({ socket, request });
  let behaviour = first === 'hang' ? hang : answering(first);
  const receiver = await startReceiver((socket, request) => {
    times.push(Date.now());
    behaviour(socket, request);
  });
  return {
    ...receiver,
    times,
    turnTo(next) {
      behaviour = typeof next === 'function' ? next : answering(next);
    },
    release(answer = {}) {
      for (const { socket } of held) if (!socket.destroyed) socket.write(answerBytes(answer));
      held = [];
    },
  };
}
