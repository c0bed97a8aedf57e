/** Codes of an authenticator app, and recovery codes, in addition to the password. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDeleted, expectFaults, expectProblem } from '../../support/contract.js';
import {
  behindProxy,
  cookieIn,
  madePerson,
  type Person,
  person,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { codeOf } from '../../support/sign-in.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

const enter = ({ email, password }: { readonly email: string; readonly password: string }) =>
  signIn(server, { email, password });

const wrong = 'The code is wrong or was used before';

interface Protected {
  readonly email: string;
  readonly password: string;
  readonly me: Person;
  readonly secret: string;
  readonly codes: readonly string[];
}

/** A user with an app. The code of the current step has been used. */
async function protectedPerson(): Promise<Protected> {
  const somebody = await madePerson(server, apiKey);
  const me = await signedIn(server, somebody);
  const begun = await me.ask('POST', '/session/totp', { current_password: somebody.password });
  expect(begun.status).toBe(201);
  const { secret } = begun.body;
  const confirmed = await me.ask('PUT', '/session/totp', { code: codeOf(secret) });
  expect(confirmed.status).toBe(200);
  return { ...somebody, me, secret, codes: confirmed.body.recovery_codes };
}

const show = (body: unknown) => send(server.url, 'POST', '/session/second-factor', {}, body);
const pendingOf = async ({ email, password }: Protected): Promise<string> => {
  const answer = await signIn(server, { email, password });
  expectProblem(answer, 401, 'A second factor is required', {
    pending_token: expect.any(String),
    factors: ['totp', 'recovery_code'],
    expires_in: 300,
  });
  expect(answer.body.code).toBe('second_factor_required');
  expect(answer.headers.getSetCookie()).toEqual([]);
  return answer.body.pending_token;
};

describe('a second factor', () => {
  it('is asked for after the password, and its code counts once', async () => {
    const somebody = await protectedPerson();
    const pending_token = await pendingOf(somebody);
    const code = codeOf(somebody.secret, 1);
    const done = await show({ pending_token, code });
    expect(done.status).toBe(200);
    expect(done.body.user.email).toBe(somebody.email);
    const me = person(server.url, cookieIn(done) ?? '');
    expect((await me.ask('GET', '/session')).status).toBe(200);
    expectProblem(await show({ pending_token: await pendingOf(somebody), code }), 403, wrong);
    // Older codes no longer count, either.
    const older = codeOf(somebody.secret, 0);
    expectProblem(await show({ pending_token: await pendingOf(somebody), code: older }), 403, wrong);
  });

  it('says nothing before the password is right', async () => {
    const { email } = await protectedPerson();
    const answer = await signIn(server, { email, password: 'a guess of mine' });
    expectProblem(answer, 401, 'Invalid e-mail address or password');
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'error']);
  });

  it('can be a recovery code, which counts once, however it is written', async () => {
    const somebody = await protectedPerson();
    expect(somebody.codes).toHaveLength(10);
    const [first = '', second = ''] = somebody.codes;
    expect(first).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
    const recovery_code = first.replaceAll('-', ' ').toUpperCase();
    const pending_token = await pendingOf(somebody);
    const both = await Promise.all([1, 2].map(() => show({ pending_token, recovery_code })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect((await somebody.me.ask('GET', '/session/factors')).body).toEqual({
      totp: true,
      passkeys: [],
      recovery_codes_left: 9,
    });
    const made = await somebody.me.ask('POST', '/session/recovery-codes', {
      current_password: somebody.password,
    });
    expect(made.status).toBe(201);
    expect(made.body.recovery_codes).toHaveLength(10);
    expectProblem(await show({ pending_token, recovery_code: second }), 403, wrong);
    expect((await show({ pending_token, recovery_code: made.body.recovery_codes[0] })).status).toBe(200);
  });

  it('is tried five times a minute', async () => {
    const somebody = await protectedPerson();
    const pending_token = await pendingOf(somebody);
    // One attempt was counted when the app was set up.
    for (let i = 0; i < 4; i += 1) expect((await show({ pending_token, code: '000000' })).status).toBe(403);
    const refused = await show({ pending_token, code: codeOf(somebody.secret, 1) });
    expectProblem(refused, 429, 'Too many attempts. Please try again later.', {
      retry_after: expect.any(Number),
    });
  });

  it('cannot be shown without the password, or after it has changed', async () => {
    const somebody = await protectedPerson();
    const code = codeOf(somebody.secret, 1);
    const late = 'Signing in took too long. Start again.';
    expectProblem(await show({ pending_token: 'made up', code }), 401, late);
    const pending_token = await pendingOf(somebody);
    const change = { current_password: somebody.password, new_password: 'a newer password' };
    expect((await somebody.me.ask('PUT', '/session/password', change)).status).toBe(204);
    expectProblem(await show({ pending_token, code }), 401, late);
    expectFaults(await show({ pending_token }), ['']);
    expectFaults(await show({ pending_token, code: '12345' }), ['code']);
  });

  it('counts only once a code was confirmed, and is not replaced while it counts', async () => {
    const somebody = await madePerson(server, apiKey);
    const me = await signedIn(server, somebody);
    const password = { current_password: somebody.password };
    expectProblem(
      await me.ask('POST', '/session/totp', { current_password: 'a guess of mine' }),
      403,
      'The current password is wrong',
    );
    const begun = await me.ask('POST', '/session/totp', password);
    expect(begun.body.uri).toContain(`secret=${begun.body.secret}`);
    expect((await enter(somebody)).status).toBe(200);
    expectProblem(await me.ask('PUT', '/session/totp', { code: '000000' }), 403, wrong);
    expect((await me.ask('PUT', '/session/totp', { code: codeOf(begun.body.secret) })).status).toBe(200);
    const exists = 'An authenticator app is already set up';
    expectProblem(await me.ask('POST', '/session/totp', password), 409, exists);
    expectProblem(await me.ask('PUT', '/session/totp', { code: codeOf(begun.body.secret, 1) }), 409, exists);
    expect((await enter(somebody)).status).toBe(401);
    expectDeleted(await me.ask('DELETE', '/session/totp', password));
    expect((await enter(somebody)).status).toBe(200);
    expect((await me.ask('GET', '/session/factors')).body).toEqual({
      totp: false,
      passkeys: [],
      recovery_codes_left: 0,
    });
    const none = 'There is no second factor';
    expectProblem(await me.ask('DELETE', '/session/totp', password), 409, none);
  });
});
