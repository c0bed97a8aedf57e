/** Which address counts: X-Forwarded-For only from proxies that the operator named, read from the right. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm } from '../../support/client.js';
import { getSubmission } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson } from '../../support/visitor.js';

let direct: RunningServer;
let proxied: RunningServer;

beforeAll(async () => {
  [direct, proxied] = await Promise.all([startServer(), startServer({ env: { TRUST_PROXY: 'loopback' } })]);
});
afterAll(() => Promise.all([direct.dispose(), proxied.dispose()]));

async function addressSeen(server: RunningServer, forwardedFor: string | readonly string[]): Promise<string> {
  const form = await makeForm(server.url);
  const answer = await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': forwardedFor });
  return (await getSubmission(server, answer.body.submission_id)).body.metadata.ip;
}

describe('without TRUST_PROXY', () => {
  it('nothing that a client writes changes its address', async () => {
    for (const value of ['203.0.113.9', '::1', 'unknown', '203.0.113.9, 198.51.100.7']) {
      expect(await addressSeen(direct, value)).toBe('127.0.0.1');
    }
  });

  it('nobody gets a second window by inventing addresses', async () => {
    const form = await makeForm(direct.url, { project: { rate_limit_per_minute: 2 } });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await postJson(form.endpoint, { i }, { 'x-forwarded-for': `203.0.113.${i}` })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  it('nobody talks their way around a block or into a sandbox', async () => {
    const blocked = await makeForm(direct.url, { form: { blocked_ips: ['127.0.0.1'] } });
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' };
    expect((await postJson(blocked.endpoint, { a: 1 }, headers)).body).toEqual({
      error: 'IP address is blocked',
      code: 'ip_blocked',
    });
    const form = { validation_mode: 'sandbox', sandbox_ips: ['203.0.113.9'] };
    const sandbox = await makeForm(direct.url, { form });
    expect((await postJson(sandbox.endpoint, { a: 1 }, headers)).body.your_ip).toBe('127.0.0.1');
  });
});

describe('with TRUST_PROXY=loopback', () => {
  it.each([
    ['one hop', '203.0.113.9', '203.0.113.9'],
    ['forged entries on the left', '10.0.0.1, 8.8.8.8, 203.0.113.9', '203.0.113.9'],
    ['trusted hops on the right', '203.0.113.9, 127.0.0.5, 127.0.0.1', '203.0.113.9'],
    ['forged, client, trusted', '1.1.1.1, 203.0.113.9, 127.0.0.1', '203.0.113.9'],
    ['a private hop that nobody trusts', '203.0.113.9, 10.0.0.7', '10.0.0.7'],
    ['a port', '203.0.113.9:4711', '203.0.113.9'],
    ['an IPv6 address', '2001:db8:0:0::1', '2001:db8::1'],
    ['an IPv6 address with a port', '[2001:DB8::1]:443', '2001:db8::1'],
    ['a mapped address', '::ffff:203.0.113.9', '203.0.113.9'],
    ['garbage on the left', 'unknown, <script>, 203.0.113.9', '203.0.113.9'],
    ['garbage on the right', '203.0.113.9, unknown', '127.0.0.1'],
  ])('%s', async (_what, value, expected) => {
    expect(await addressSeen(proxied, value)).toBe(expected);
  });

  it('two headers are one list', async () => {
    expect(await addressSeen(proxied, ['203.0.113.1', '203.0.113.9'])).toBe('203.0.113.9');
  });

  it('forged entries on the left give no second window', async () => {
    const form = await makeForm(proxied.url, { project: { rate_limit_per_minute: 2 } });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      const headers = { 'x-forwarded-for': `198.51.100.${i}, 203.0.113.9` };
      statuses.push((await postJson(form.endpoint, { i }, headers)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect((await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': '203.0.113.10' })).status).toBe(200);
  });

  it('IPv6 addresses of one /64 share a window, those of another do not', async () => {
    const form = await makeForm(proxied.url, { project: { rate_limit_per_minute: 2 } });
    const from = async (ip: string): Promise<number> =>
      (await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': ip })).status;
    expect(await from('2001:db8:1:2::1')).toBe(200);
    expect(await from('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(200);
    expect(await from('2001:db8:1:2:abcd::9')).toBe(429);
    expect(await from('2001:db8:1:3::1')).toBe(200);
  });

  it('a mapped IPv4 address counts as that address, not as one /64 for everybody', async () => {
    const form = await makeForm(proxied.url, { project: { rate_limit_per_minute: 1 } });
    const from = async (ip: string): Promise<number> =>
      (await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': ip })).status;
    expect(await from('::ffff:203.0.113.9')).toBe(200);
    expect(await from('203.0.113.9')).toBe(429);
    expect(await from('::ffff:cb00:7109')).toBe(429);
    expect(await from('::ffff:203.0.113.10')).toBe(200);
  });

  it('blocks and sandbox lists go by the forwarded address, in every spelling', async () => {
    const form = await makeForm(proxied.url, { form: { blocked_ips: ['203.0.113.0/24', '2001:db8::/32'] } });
    const errorFor = async (ip: string) =>
      (await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': ip })).body.error;
    expect(await errorFor('203.0.113.200')).toBe('IP address is blocked');
    expect(await errorFor('::ffff:203.0.113.200')).toBe('IP address is blocked');
    expect(await errorFor('2001:0DB8:0:0:0:0:0:5')).toBe('IP address is blocked');
    expect(await errorFor('203.0.114.1')).toBeUndefined();

    const patch = { blocked_ips: [], validation_mode: 'sandbox', sandbox_ips: ['198.51.100.0/28'] };
    await client(proxied.url).patch(`/api/v1/forms/${form.formId}`, patch);
    const outside = await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': '::ffff:198.51.100.16' });
    expect([outside.status, outside.body.your_ip]).toEqual([403, '198.51.100.16']);
    expect((await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': '198.51.100.15' })).status).toBe(
      200,
    );
  });
});
