/** Passkeys, with a simulated device; test/browser/dashboard/passkeys.test.ts uses a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../scripts/reference/authenticator.mjs';
import { startTimeServer } from '../../support/clock.js';
import { expectDeleted, expectProblem } from '../../support/contract.js';
import {
  admin,
  behindProxy,
  cookieIn,
  madePerson,
  nextAddress,
  person,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

const origin = 'https://forms.example.com';
let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

const wrong = 'This passkey was not accepted';
const late = 'Signing in took too long. Start again.';

async function added(some: { readonly verifiesUser?: boolean; readonly origin?: string } = {}) {
  const somebody = await madePerson(server, apiKey);
  const me = await signedIn(server, somebody);
  const own = { current_password: somebody.password };
  const begun = await me.ask('POST', '/session/passkeys/challenge', own);
  expect(begun.status).toBe(201);
  const device = createAuthenticator({ rpId: begun.body.rp_id, origin: server.url, ...some });
  const body = { token: begun.body.token, name: 'Laptop', ...device.create(begun.body) };
  return { somebody, me, own, device, body, answer: await me.ask('POST', '/session/passkeys', body) };
}

type Device = Awaited<ReturnType<typeof added>>['device'];
async function enter(device: Device, more: Readonly<Record<string, string>> = {}) {
  const { token, challenge } = (await send(server.url, 'POST', '/session/passkey/challenge')).body;
  const body = { token, ...device.answer({ challenge }), ...more };
  return send(server.url, 'POST', '/session/passkey', { 'x-forwarded-for': nextAddress() }, body);
}

describe('a passkey', () => {
  it('signs in alone, is listed, renamed and removed', async () => {
    const { somebody, me, own, device, body, answer } = await added();
    expect(answer.status).toBe(201);
    expect(answer.body.recovery_codes).toHaveLength(10);
    const inside = await enter(device);
    expect([inside.status, inside.body.user?.email]).toEqual([200, somebody.email]);
    expect((await person(server.url, cookieIn(inside) ?? '').ask('GET', '/session')).status).toBe(200);
    const path = `/session/passkeys/${body.id}`;
    expect((await me.ask('PATCH', path, { name: 'Work laptop' })).status).toBe(204);
    const { passkeys } = (await me.ask('GET', '/session/factors')).body;
    expect(passkeys).toMatchObject([{ id: body.id, name: 'Work laptop', last_used_at: expect.any(String) }]);
    expectDeleted(await me.ask('DELETE', path, own));
    expectProblem(await me.ask('DELETE', path, own), 404, 'Passkey not found');
    expectProblem(await enter(device), 403, wrong);
    const factors = (await me.ask('GET', '/session/factors')).body;
    expect(factors).toEqual({ totp: false, passkeys: [], recovery_codes_left: 0 });
  });

  it('of a device that does not verify its user is a second factor, and nothing alone', async () => {
    const { somebody, device } = await added({ verifiesUser: false });
    expectProblem(await enter(device), 403, wrong);
    const { email, password } = somebody;
    const asked = await signIn(server, { email, password });
    expect([asked.status, asked.body.factors]).toEqual([401, ['passkey', 'recovery_code']]);
    const { pending_token } = asked.body;
    expect((await enter(device, { pending_token })).status).toBe(200);
    // It is a factor only of its own login.
    const other = await added();
    expectProblem(await enter(other.device, { pending_token }), 403, wrong);
  });

  it('is not added for another site, with a challenge of somebody else, or twice', async () => {
    expectProblem((await added({ origin })).answer, 403, wrong);
    const { me, body } = await added();
    expectProblem(await me.ask('POST', '/session/passkeys', body), 401, late);
    const other = await signedIn(server, await madePerson(server, apiKey));
    const own = { current_password: 'a long password' };
    const { token } = (await other.ask('POST', '/session/passkeys/challenge', own)).body;
    expectProblem(await me.ask('POST', '/session/passkeys', { ...body, token }), 401, late);
    expectProblem(await other.ask('POST', '/session/passkeys', { ...body, token }), 403, wrong);
    const guess = { current_password: 'a guess of mine' };
    const refused = await me.ask('POST', '/session/passkeys/challenge', guess);
    expectProblem(refused, 403, 'The current password is wrong');
  });
});

it('a challenge is good for five minutes', async () => {
  const later = await startTimeServer(6 * 60_000, { env: { ...withAdmin, ...behindProxy } });
  try {
    const me = await signedIn(later);
    const own = { current_password: admin.password };
    const begun = (await me.ask('POST', '/session/passkeys/challenge', own)).body;
    const device = createAuthenticator({ rpId: begun.rp_id, origin: later.url });
    await later.step();
    const body = { token: begun.token, name: 'Laptop', ...device.create(begun) };
    expectProblem(await me.ask('POST', '/session/passkeys', body), 401, late);
  } finally {
    await later.dispose();
  }
});
