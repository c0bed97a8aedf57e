import { expect, it } from 'vitest';
import { aForm, someTime } from '../../../test/support/nouns.js';
import { delaysOfAll, theseKinds } from '../../../test/support/planning.js';
import { only } from '../../../test/support/ports.js';
import { type Delivery, queues } from '../../model/delivery.js';
import { builtInWebhook } from '../../model/destination.js';
import type { DestinationKind, Message, SendResult } from '../../ports/destination-kind.js';
import { createAttempts } from './attempt.js';

const destination = builtInWebhook(aForm({ webhookUrl: 'https://form.test/in' }), null);
const delivery: Delivery = {
  id: 'the delivery',
  submissionId: 's',
  formId: 'f',
  projectId: 'p',
  destinationId: destination?.id ?? '',
  kind: 'webhook',
  target: 'form',
  lane: 'https://form.test d',
  url: 'https://form.test/in',
  body: '{}',
  state: 'pending',
  attempt: 0,
  extraAttempts: 0,
  resumeAt: null,
  trigger: 'auto',
  queue: queues.first,
  nextAttemptAt: someTime,
  heldUntil: null,
  isInFlight: false,
  createdAt: someTime,
};

/** Returns the message that an attempt of this delivery sends. */
async function messageOf(more: Partial<Delivery>): Promise<Message | undefined> {
  const sent: Message[] = [];
  const attempt = createAttempts({
    current: {
      get: async () => {
        if (destination === null) return { destination, reason: 'there is none' };
        return { destination, signing: { secret: '', previousSecret: null, previousSecretUntil: null } };
      },
    },
    kinds: theseKinds({
      webhook: only<DestinationKind<'webhook'>>({
        async send(message) {
          sent.push(message);
          const result: SendResult = {
            end: 'succeeded',
            status: 200,
            durationMs: 1,
            error: null,
            response: null,
            remoteAddress: null,
            isUnresponsive: false,
            retryAfterMs: null,
            dnsMs: null,
            connectMs: null,
            firstByteMs: null,
            responseHeaders: null,
            recorded: () => null,
            request: () => ({ method: 'POST', url: message.url, headers: {}, body: message.body }),
          };
          return result;
        },
      }),
    }),
    clock: { now: () => someTime },
    delays: delaysOfAll([]),
  });
  await attempt({ ...delivery, ...more });
  return sent[0];
}

it.each<[string, Partial<Delivery>, boolean]>([
  ['the first', {}, false],
  ['the first of a replay', { trigger: 'replay' }, false],
  ['a later one', { attempt: 1 }, true],
  ['one after another that was cut off', { isInFlight: true }, true],
  // A manual resend forgets an earlier attempt that was cut off.
  ['one that a person asked for', { trigger: 'manual' }, true],
])('an attempt may have arrived before: %s', async (_, more, isRepeated) => {
  expect(await messageOf(more)).toMatchObject({ attempt: (more.attempt ?? 0) + 1, isRepeated });
});
