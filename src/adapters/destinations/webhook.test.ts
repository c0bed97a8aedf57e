import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { aForm, aProject, someTime } from '../../../test/support/nouns.js';
import { only } from '../../../test/support/ports.js';
import type { WebhookConfig } from '../../contract/destination.js';
import { builtInWebhook, type DestinationOf } from '../../model/destination.js';
import type { SubmissionEvent } from '../../ports/destination-kind.js';
import type { OutboundRequest, OutboundResult } from '../../ports/outbound.js';
import { createHttpCalls } from './http-call.js';
import { createWebhook } from './webhook.js';

const url = 'https://hooks.example.com:8443/in?tenant=7';
const projectSecret = `whsec_${Buffer.from('the secret of the project 123456').toString('base64')}`;
const ownSecret = `whsec_${Buffer.from('the secret of this destination 1').toString('base64')}`;
const signing = { secret: projectSecret, previousSecret: null, previousSecretUntil: null };
const message = { id: 'the delivery', submissionId: 's', url, body: '{"a":1}', attempt: 2, isRepeated: true };

const destination = (config: Partial<WebhookConfig> = {}): DestinationOf<'webhook'> => {
  const builtIn = builtInWebhook(aForm({ projectId: aProject().id, webhookUrl: url }), null);
  if (!builtIn) throw new Error('It has an address');
  return { ...builtIn, builtIn: false, config: { ...builtIn.config, ...config } };
};

const eventOf = (body: string, rendered: string | null = null): SubmissionEvent =>
  only<SubmissionEvent>({ body: () => body, renderJson: () => rendered, once: (_, make) => make() });

function scene(answer: Partial<OutboundResult> = {}) {
  const requests: OutboundRequest[] = [];
  const clock = { now: () => someTime };
  const calls = createHttpCalls({
    clock,
    timeoutMs: 1_000,
    instanceMark: 'mark',
    userAgent: 'Inlet/test',
    outbound: {
      async send(request) {
        requests.push(request);
        return {
          status: 200,
          fault: null,
          detail: null,
          retryAfter: null,
          responseHeaders: null,
          response: 'ok',
          remoteAddress: null,
          timings: { dnsMs: null, connectMs: null, firstByteMs: 1, totalMs: 2 },
          ...answer,
        };
      },
      close: async () => {},
    },
  });
  return { requests, webhook: createWebhook({ calls, clock }) };
}

const sent = async (config: Partial<WebhookConfig>, answer: Partial<OutboundResult> = {}) => {
  const { requests, webhook } = scene(answer);
  const result = await webhook.send(message, destination(config), signing);
  const [request] = requests;
  if (!request) throw new Error('Nothing was sent');
  return { request, result };
};

/** Verifies with another implementation, at the timestamp of the request. */
const verifies = (secret: string, { headers, body }: OutboundRequest): boolean => {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body) === headers['webhook-signature'];
};

describe('a webhook', () => {
  it('shares the places of its origin', () => {
    expect(scene().webhook.originOf(destination())).toBe('https://hooks.example.com:8443');
  });

  it('is sent as its config says: address, method, body', async () => {
    const { request } = await sent({});
    expect(request).toMatchObject({ method: 'POST', url, body: message.body, timeoutMs: 1_000 });
    expect(request.headers['content-type']).toBe('application/json');
    expect((await sent({ method: 'PUT' })).request.method).toBe('PUT');
  });

  it('is signed with the secret of the project, or with its own and then with no other', async () => {
    const shared = (await sent({})).request;
    expect([verifies(projectSecret, shared), verifies(ownSecret, shared)]).toEqual([true, false]);
    const own = (await sent({ secret: ownSecret })).request;
    expect([verifies(projectSecret, own), verifies(ownSecret, own)]).toEqual([false, true]);
  });

  it('carries custom headers, whatever their case, and shows none that hold a secret', async () => {
    const headers = { 'X-Team': 'sales', Authorization: 'Bearer t0k3n' };
    const { request, result } = await sent(
      { headers, secret: ownSecret },
      { status: 500, response: `unknown token Bearer t0k3n, ${ownSecret}` },
    );
    expect(request.headers).toMatchObject({ 'x-team': 'sales', authorization: 'Bearer t0k3n' });
    const shown = JSON.stringify([result, result.request()]);
    expect(shown).toContain('sales');
    expect(shown).not.toContain('t0k3n');
    expect(shown).not.toContain(ownSecret);
  });

  it('sends the event as it is, or what its template makes of it', () => {
    const { webhook } = scene();
    const event = '{"b":1,"10":12345678901234567890}';
    expect(webhook.prepare(eventOf(event), destination())).toEqual([{ address: url, body: event }]);
    expect(webhook.prepare(eventOf(event, '{"text":"hi"}'), destination())).toEqual([
      { address: url, body: '{"text":"hi"}' },
    ]);
  });

  it('is urlencoded member by member where that is asked for', async () => {
    const { webhook } = scene();
    const config = { content_type: 'application/x-www-form-urlencoded' } as const;
    const bodyOf = (json: string): string =>
      webhook.prepare(eventOf('{}', json), destination(config))[0]?.body ?? '';
    const fields = new URLSearchParams(
      bodyOf('{"a":"x & y=é","n":1,"none":null,"list":[1,"2"],"o":{"k":true}}'),
    );
    expect(Object.fromEntries(fields)).toEqual({
      a: 'x & y=é',
      n: '1',
      none: 'null',
      list: '[1,"2"]',
      o: '{"k":true}',
    });
    expect(bodyOf('[1,2]')).toBe('payload=%5B1%2C2%5D');
    const { webhook: sender, requests } = scene();
    await sender.send({ ...message, body: bodyOf('[1,2]') }, destination(config), signing);
    expect(requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('has the type of its body, which may be older than the config', async () => {
    const { request } = await sent({ content_type: 'application/x-www-form-urlencoded' });
    expect(request).toMatchObject({
      body: message.body,
      headers: { 'content-type': 'application/json' },
    });
  });

  it('shows no credential that its endpoint repeats, with or without what stands around it', async () => {
    const headers = { Authorization: 'Bearer abcdefgh12345', Cookie: 'session=ijklmnop67890; theme=x' };
    const response = 'invalid token abcdefgh12345, session ijklmnop67890; Bearer abcdefgh12345';
    const { result } = await sent({ headers }, { status: 401, response });
    expect(result.response).toBe('invalid token •••, session •••; •••');
  });

  it.each([
    [204, 'succeeded'],
    [302, 'failed'],
    [410, 'gone'],
    [429, 'failed'],
    [503, 'failed'],
  ] as const)('that is answered %i has %s', async (status, end) => {
    expect((await sent({}, { status })).result.end).toBe(end);
  });

  it('says how long its endpoint wants to be left alone', async () => {
    expect((await sent({}, { status: 429, retryAfter: '7' })).result.retryAfterMs).toBe(7_000);
    const date = new Date(someTime + 60_000).toUTCString();
    expect((await sent({}, { status: 503, retryAfter: date })).result.retryAfterMs).toBeGreaterThan(58_000);
    const day = 24 * 60 * 60_000;
    expect((await sent({}, { status: 503, retryAfter: '9999999' })).result.retryAfterMs).toBe(day);
  });

  it('may be hanging when nobody responds, but not when we refuse to send', async () => {
    const none = { status: null, response: null };
    const refused = await sent({}, { ...none, fault: 'connect_refused', detail: 'no' });
    expect(refused.result).toMatchObject({
      end: 'failed',
      isUnresponsive: true,
      error: 'connect_refused: no',
    });
    const blocked = await sent({}, { ...none, fault: 'blocked_address', detail: 'inside' });
    expect(blocked.result).toMatchObject({ end: 'failed', isUnresponsive: false });
  });
});
