/**
 * Password guessing is limited by network. It locks out neither other networks nor a device that signed in before. The clock is moved
 * instead of waiting.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../support/client.js';
import { request } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import { expectFields } from '../../support/contract.js';
import { admin, behindProxy, deviceIn, signIn, withAdmin } from '../../support/dashboard.js';

let server: TimeServer;
beforeAll(async () => {
  server = await startTimeServer(60_000, { env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

function expectThrottled(answer: Answer): void {
  expect(answer.status, answer.text).toBe(429);
  expectFields(answer.body, ['error', 'code', 'retry_after']);
  expect(answer.body.error).toBe('Too many attempts. Please try again later.');
  expect(answer.body.retry_after).toBeGreaterThanOrEqual(1);
  expect(answer.body.retry_after).toBeLessThanOrEqual(60);
  expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after));
  expect(answer.headers.getSetCookie()).toEqual([]);
}

const from = (address: string) => ({ 'x-forwarded-for': address });

const guess = { email: admin.email, password: 'a guess' };
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

it('gives one network twenty attempts a minute, for all users together', async () => {
  await server.step();
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, i) =>
      signIn(server, { email: `guess-${i}@example.com`, password: 'a guess' }, from('192.0.2.1')),
    ),
  );
  expect(statuses(answers)).toEqual([...times(20, 401), ...times(5, 429)]);
  expectThrottled(await signIn(server, admin, from('192.0.2.1')));
  expect((await signIn(server, admin, from('192.0.2.2'))).status).toBe(200);
  await server.step();
  expect((await signIn(server, admin, from('192.0.2.1'))).status).toBe(200);
});

it('gives one network five attempts a minute on one e-mail address, and says nothing about the sixth', async () => {
  await server.step();
  for (const email of ['ADA@example.com', 'nobody@example.com']) {
    const network = from(email.startsWith('ADA') ? '192.0.2.10' : '192.0.2.11');
    const answers: Answer[] = [];
    for (let i = 0; i < 8; i += 1) answers.push(await signIn(server, { ...guess, email }, network));
    expect(answers.map(({ status }) => status)).toEqual([...times(5, 401), ...times(3, 429)]);
    for (const answer of answers.slice(5)) expectThrottled(answer);
    // The right password gets the same response.
    expectThrottled(await signIn(server, { ...admin, email }, network));
  }
  const { text } = await request(`${server.url}/metrics`);
  expect(text).toMatch(/^inlet_sign_ins_total\{outcome="throttled"\} [1-9]/m);
});

it('lets the owner in from a new network while fifty others guess', async () => {
  await server.step();
  const attack = Array.from({ length: 50 }, (_, i) => signIn(server, guess, from(`10.0.${i}.1`)));
  const owner = await signIn(server, admin, from('203.0.113.5'));
  expect(owner.status, owner.text).toBe(200);
  // Slowed down, not refused: each network has its own limit.
  expect(statuses(await Promise.all(attack))).toEqual(times(50, 401));
  const more = await Promise.all(Array.from({ length: 10 }, () => signIn(server, guess, from('10.0.7.1'))));
  expect(statuses(more)).toEqual([...times(4, 401), ...times(6, 429)]);
});

it('lets a device in that signed in before, from the attacker’s own network', async () => {
  await server.step();
  const device = deviceIn(await signIn(server, admin));
  const shared = from('203.0.113.80');
  for (let i = 0; i < 12; i += 1) await signIn(server, guess, shared);
  expectThrottled(await signIn(server, admin, shared));
  const known = { ...shared, cookie: device };
  expect((await signIn(server, guess, known)).status).toBe(401);
  expect((await signIn(server, admin, known)).status).toBe(200);
  // Its own attempts are limited, too, and a forged cookie gets none of them.
  const forged = device.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expectThrottled(await signIn(server, admin, { ...shared, cookie: forged }));
  for (let i = 0; i < 3; i += 1) expect((await signIn(server, guess, known)).status).toBe(401);
  expectThrottled(await signIn(server, admin, known));
});

it('does not count what is no try at all', async () => {
  await server.step();
  for (let i = 0; i < 10; i += 1) {
    expect((await signIn(server, { email: admin.email }, from('192.0.2.3'))).status).toBe(400);
  }
  expect((await signIn(server, admin, from('192.0.2.3'))).status).toBe(200);
});

it('believes no forwarded address of an outsider', async () => {
  const open = await startTimeServer(60_000, { env: withAdmin });
  try {
    for (let i = 0; i < 5; i += 1) expect((await signIn(open, guess)).status).toBe(401);
    expectThrottled(await signIn(open));
  } finally {
    await open.dispose();
  }
});
