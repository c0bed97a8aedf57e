/** One attempt: signs and sends through the guarded sender, and says how it ended. "Send a test" takes this same way. */
import type { Clock } from '../../kernel/clock.js';
import type { Attempt, AttemptEnd, Delivery } from '../../model/delivery.js';
import type { Outbound, OutboundResult } from '../../ports/outbound.js';
import { instanceHeader } from './instance-mark.js';
import { type CurrentSettings, targetUrl } from './settings.js';
import { type SignedMessage, type SigningSecrets, signedHeaders } from './sign.js';

export interface Attempted {
  readonly end: AttemptEnd;
  readonly attempt: Attempt;
  /** Nobody answered in time, or at all: the receiver may be hanging. */
  readonly isUnresponsive: boolean;
}

export interface Sender {
  send(url: string, message: SignedMessage, secrets: SigningSecrets): Promise<OutboundResult>;
}

export const createSender = (deps: {
  outbound: Outbound;
  clock: Clock;
  timeoutMs: number;
  instanceMark: string;
}): Sender => ({
  send(url, message, secrets) {
    const headers = signedHeaders(message, secrets, deps.clock.now());
    headers[instanceHeader] = deps.instanceMark;
    return deps.outbound.send({ url, headers, body: message.body, timeoutMs: deps.timeoutMs });
  },
});

/** Success is 2xx by the status line; a redirect is never followed and so is none. */
export const isSuccess = ({ status }: OutboundResult): boolean =>
  status !== null && status >= 200 && status < 300;

/** The endpoint says that it is gone for good: no attempt will change that. */
const isGone = ({ status }: OutboundResult): boolean => status === 410;

const endOf = (result: OutboundResult): AttemptEnd =>
  isSuccess(result) ? 'succeeded' : isGone(result) ? 'gone' : 'failed';

/** The class of what went wrong, and where there is more to say, the words. */
export function errorOf(result: OutboundResult): string | null {
  if (isSuccess(result)) return null;
  if (result.fault !== null)
    return result.detail === null ? result.fault : `${result.fault}: ${result.detail}`;
  if (isGone(result)) return 'gone: The endpoint responded 410 Gone; no more attempts are made';
  const status = result.status ?? 0;
  if (status >= 300 && status < 400) return 'redirect: redirects are not followed';
  return `http_${Math.floor(status / 100)}xx`;
}

/** No database takes a NUL in a text, and what cannot be recorded would be tried for ever; others act on a terminal. */
export const shownText = (text: string | null): string | null =>
  text?.replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd') ?? null;

export function attemptedOf(
  { attempt, trigger }: Pick<Delivery, 'attempt' | 'trigger'>,
  at: number,
  result: OutboundResult,
): Attempted {
  return {
    end: endOf(result),
    isUnresponsive: result.status === null && result.fault !== 'blocked_address',
    attempt: {
      number: attempt + 1,
      at,
      trigger,
      status: result.status,
      durationMs: Math.round(result.timings.totalMs),
      error: errorOf(result),
      response: shownText(result.response),
      dnsMs: rounded(result.timings.dnsMs),
      connectMs: rounded(result.timings.connectMs),
      firstByteMs: rounded(result.timings.firstByteMs),
      remoteAddress: result.remoteAddress,
    },
  };
}

/** For a delivery that has nobody left to go to. It takes a number, so that its owner sees why it ended. */
export const cancelled = (
  { attempt, trigger }: Pick<Delivery, 'attempt' | 'trigger'>,
  at: number,
  reason: string,
): Attempted => ({
  end: 'cancelled',
  isUnresponsive: false,
  attempt: {
    number: attempt + 1,
    at,
    trigger,
    status: null,
    durationMs: 0,
    error: `cancelled: ${reason}`,
    response: null,
    dnsMs: null,
    connectMs: null,
    firstByteMs: null,
    remoteAddress: null,
  },
});

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

/** Makes the attempts of queued deliveries, as long as there is somebody to send them to. */
export const createAttempts =
  (deps: { settings: CurrentSettings; sender: Sender; clock: Clock }) =>
  async (delivery: Delivery): Promise<Attempted> => {
    const settings = await deps.settings.get(delivery.formId);
    const at = deps.clock.now();
    if (!settings) return cancelled(delivery, at, 'the form was deleted');
    if (targetUrl(settings, delivery) === null) {
      return cancelled(delivery, at, 'the webhook URL was removed');
    }
    const result = await deps.sender.send(
      delivery.url,
      {
        messageId: delivery.id,
        submissionId: delivery.submissionId,
        attempt: delivery.attempt + 1,
        body: delivery.body,
      },
      settings,
    );
    return attemptedOf(delivery, at, result);
  };
