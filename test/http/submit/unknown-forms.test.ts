/** Ids that no form has: reported to a visitor who mistypes one, limited for a client that tries many. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeForm } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, postJson, type Visit, visit } from '../../support/visitor.js';

const limit = 60;
let server: RunningServer;

beforeAll(async () => {
  server = await startServer({ env: { TRUST_PROXY: 'loopback' } });
});
afterAll(() => server.dispose());

let guesses = 0;
const unknown = (): string => {
  guesses += 1;
  return `${server.url}/f/nosuchform${guesses}`;
};
const from = (address: string) => ({ 'x-forwarded-for': address });

/** Every way to request a form. */
const ways: Record<string, (url: string, address: string) => ReturnType<typeof visit>> = {
  submission: (url, address) => postJson(url, { a: 1 }, from(address)),
  preflight: (url, address) =>
    ask(url, 'OPTIONS', address, { origin: 'https://example.com', 'access-control-request-method': 'POST' }),
  'preflight of the challenge': (url, address) =>
    ask(`${url}/challenge`, 'OPTIONS', address, { origin: 'https://example.com' }),
  challenge: (url, address) => ask(`${url}/challenge`, 'GET', address),
  access: (url, address) => ask(`${url}/access`, 'GET', address),
  'success page': (url, address) => ask(`${url}/success`, 'GET', address),
  'hosted page': (url, address) => ask(url, 'GET', address),
};
const ask = (url: string, method: string, address: string, headers: Visit['headers'] = {}) =>
  visit(url, { method, headers: { ...headers, ...from(address) } });

async function guessAll(address: string): Promise<void> {
  const asked = Object.values(ways);
  const answers = await Promise.all(
    Array.from({ length: limit }, (_, i) => asked[i % asked.length]?.(unknown(), address)),
  );
  // A browser's preflight passes, but the request after it does not. A form without a page responds like no form.
  expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([404, 204, 405]));
}

describe('an address that asks for more unknown forms than the limit', () => {
  it('gets 429 for the next one, however it asks, and its forms work on', async () => {
    const form = await makeForm(server.url);
    const address = '203.0.113.1';
    await guessAll(address);
    for (const [way, asking] of Object.entries(ways)) {
      const answer = await asking(unknown(), address);
      expect([way, answer.status]).toEqual([way, 429]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(answer.body).toEqual({
        error: 'Rate limit exceeded. Please try again later.',
        code: 'too_many_submissions',
        retry_after: Number(answer.headers['retry-after']),
      });
    }
    const posted = await postJson(unknown(), { a: 1 }, from(address));
    expect([posted.headers['x-ratelimit-limit'], posted.headers['x-ratelimit-remaining']]).toEqual([
      '60',
      '0',
    ]);
    expect(Date.parse(String(posted.headers['x-ratelimit-reset']))).toBeGreaterThan(0);

    expect((await postJson(form.endpoint, { a: 1 }, from(address))).status).toBe(200);
    expect((await ask(`${form.endpoint}/success`, 'GET', address)).status).toBe(200);
    expect((await postJson(unknown(), { a: 1 }, from('203.0.113.2'))).status).toBe(404);
  });

  it('counts an IPv6 network as one, and shows a page to a browser', async () => {
    await guessAll('2001:db8::1');
    const headers = { ...from('2001:db8::2'), accept: browserAccept, 'content-type': 'text/plain' };
    const answer = await visit(unknown(), { headers, body: 'a' });
    expect([answer.status, answer.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
  });

  it('is served its own form among many guesses at once', async () => {
    const form = await makeForm(server.url);
    const address = '203.0.113.3';
    await guessAll(address);
    const [own, ...guessed] = await Promise.all([
      postJson(form.endpoint, { a: 1 }, from(address)),
      ...Array.from({ length: 40 }, () => postJson(unknown(), { a: 1 }, from(address))),
    ]);
    expect(own?.status).toBe(200);
    expect(new Set(guessed.map(({ status }) => status))).toEqual(new Set([429]));
  });
});
