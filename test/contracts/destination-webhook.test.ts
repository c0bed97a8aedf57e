import { createWebhook } from '../../src/adapters/destinations/webhook.js';
import { systemClock } from '../../src/kernel/clock.js';
import { type Provider, startProvider } from '../support/fakes/provider.js';
import { signatureOf } from '../support/webhooks.js';
import { described, destinationKindContract, overHttp } from './destination-kind.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const token = 'Bearer 0123456789-abcdefghij';

/** Accepts events that are signed with the destination's secret and have its headers. */
const startEndpoint = (): Promise<Provider> =>
  startProvider(({ method, path, headers, body }) => {
    const isOurs =
      method === 'POST' &&
      path === '/hook' &&
      headers.get('content-type') === 'application/json' &&
      headers.get('authorization') === token &&
      headers.get('x-team') === 'sales' &&
      headers.get('x-webhook-signature') === signatureOf(body, secret);
    return { status: isOurs && JSON.parse(String(body)).event === 'submission.created' ? 202 : 400 };
  });

/** Everything but what the visitor wrote. */
function frameOf(body: string): readonly string[] {
  const { event, submission, ...others } = JSON.parse(body);
  const { data: _, ...rest } = submission;
  return [event, JSON.stringify(rest), JSON.stringify(others)];
}

destinationKindContract('webhook', {
  ...overHttp,
  start: startEndpoint,
  make: ({ calls }) => createWebhook({ calls, clock: systemClock }),
  destination: (origin) => ({
    ...described,
    kind: 'webhook',
    config: {
      url: `${origin}/hook`,
      method: 'POST',
      headers: { Authorization: token, 'X-Team': 'sales' },
      secret,
      content_type: 'application/json',
    },
  }),
  secrets: [secret, token],
  active: frameOf,
  hasTextTemplates: false,
});
