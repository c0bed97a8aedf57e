/** Guessing passwords: five tries a minute for an address, and for an e-mail address. The clock is moved, not waited for. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../support/client.js';
import { request } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import { expectFields } from '../../support/contract.js';
import { admin, behindProxy, signIn, withAdmin } from '../../support/dashboard.js';

let server: TimeServer;
beforeAll(async () => {
  server = await startTimeServer(60_000, { env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

function expectThrottled(answer: Answer): void {
  expect(answer.status, answer.text).toBe(429);
  expectFields(answer.body, ['error', 'retry_after']);
  expect(answer.body.error).toBe('Too many attempts. Please try again later.');
  expect(answer.body.retry_after).toBeGreaterThanOrEqual(1);
  expect(answer.body.retry_after).toBeLessThanOrEqual(60);
  expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after));
  expect(answer.headers.getSetCookie()).toEqual([]);
}

const from = (address: string) => ({ 'x-forwarded-for': address });

it('from one address, whoever is tried', async () => {
  await server.step();
  for (let i = 0; i < 5; i += 1) {
    const guess = { email: `guess-${i}@example.com`, password: 'a guess' };
    expect((await signIn(server, guess, from('192.0.2.1'))).status).toBe(401);
  }
  expectThrottled(await signIn(server, admin, from('192.0.2.1')));
  expect((await signIn(server, admin, from('192.0.2.2'))).status).toBe(200);
  await server.step();
  expect((await signIn(server, admin, from('192.0.2.1'))).status).toBe(200);
});

it('for one e-mail address, from wherever', async () => {
  await server.step();
  const guess = { email: 'ADA@example.com', password: 'a guess' };
  for (let i = 0; i < 5; i += 1) expect((await signIn(server, guess)).status).toBe(401);
  expectThrottled(await signIn(server));
  // An unknown one is no different: the limit tells nobody who is a user.
  const nobody = { email: 'nobody@example.com', password: 'a guess' };
  for (let i = 0; i < 5; i += 1) expect((await signIn(server, nobody)).status).toBe(401);
  expectThrottled(await signIn(server, nobody));
  const { text } = await request(`${server.url}/metrics`);
  expect(text).toMatch(/^inlet_sign_ins_total\{outcome="throttled"\} [1-9]/m);
  await server.step();
  expect((await signIn(server)).status).toBe(200);
});

it('does not count what is no try at all', async () => {
  await server.step();
  for (let i = 0; i < 10; i += 1) {
    expect((await signIn(server, { email: admin.email }, from('192.0.2.3'))).status).toBe(400);
  }
  expect((await signIn(server, admin, from('192.0.2.3'))).status).toBe(200);
});

it('believes no forwarded address of a stranger', async () => {
  const open = await startTimeServer(60_000, { env: withAdmin });
  try {
    for (let i = 0; i < 5; i += 1) {
      const guess = { email: `guess-${i}@example.com`, password: 'a guess' };
      expect((await signIn(open, guess)).status).toBe(401);
    }
    expectThrottled(await signIn(open));
  } finally {
    await open.dispose();
  }
});
