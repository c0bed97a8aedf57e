/** An account that requires two factors: a user with only a password can set up a second factor, and do nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client } from '../../support/client.js';
import { expectFaults, expectProblem } from '../../support/contract.js';
import {
  admin,
  behindProxy,
  cookieName,
  type Person,
  person,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { clientId, clientSecret, startRealProvider, travel } from '../../support/identity-provider.js';
import { memberOf } from '../../support/permission-callers.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { codeOf } from '../../support/sign-in.js';

const missing = 'Set up a second factor first';
const password = 'a long password';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
});
afterAll(() => server.dispose());

const api = () => client(server.url);
const require = (isRequired: boolean) => api().patch('/api/v1/account', { two_factors_required: isRequired });
const needs = async (who: Person): Promise<boolean> =>
  (await who.ask('GET', '/session')).body.needs_second_factor;

async function setUpApp(who: Person, current_password: string): Promise<string> {
  const { secret } = (await who.ask('POST', '/session/totp', { current_password })).body;
  expect((await who.ask('PUT', '/session/totp', { code: codeOf(secret) })).status).toBe(200);
  return secret;
}

describe('an account that requires two factors', () => {
  it('says so, and only owners of the whole account change it', async () => {
    expect((await api().get('/api/v1/account')).body.two_factors_required).toBe(false);
    const editor = await memberOf(server, 'editor-of-all@example.com', { role: 'editor' });
    const asked = await editor.ask('PATCH', '/account', { two_factors_required: true });
    expectProblem(asked, 403, 'Your role does not allow this');
    expectFaults(await api().patch('/api/v1/account', { two_factors_required: 'yes' }), [
      'two_factors_required',
    ]);
    expect((await require(true)).body.two_factors_required).toBe(true);
    const logged = await api().get('/api/v1/audit?action=account.updated');
    expect(logged.body.data[0]).toMatchObject({
      before: { two_factors_required: false },
      after: { two_factors_required: true },
    });
    await require(false);
  });

  it('lets a session that is open do nothing but set one up, owners too; keys go on', async () => {
    const ada = await signedIn(server, admin);
    expect(await needs(ada)).toBe(false);
    await require(true);
    expect(await needs(ada)).toBe(true);
    for (const [method, path, body] of [
      ['GET', '/projects', undefined],
      ['GET', '/submissions', undefined],
      ['GET', '/unread', undefined],
      ['GET', '/events', undefined],
      ['POST', '/projects', { name: 'Mine' }],
      ['PATCH', '/account', { two_factors_required: false }],
    ] as const) {
      const refused = await ada.ask(method, path, body);
      expectProblem(refused, 403, missing);
      expect(refused.body.code).toBe('second_factor_missing');
    }
    expect((await api().get('/api/v1/projects')).status).toBe(200);
    await setUpApp(ada, admin.password);
    expect(await needs(ada)).toBe(false);
    expect((await ada.ask('GET', '/projects')).status).toBe(200);
    // Without it they are blocked again.
    await ada.ask('DELETE', '/session/totp', { current_password: admin.password });
    expectProblem(await ada.ask('GET', '/projects'), 403, missing);
    await require(false);
    expect((await ada.ask('GET', '/projects')).status).toBe(200);
  });

  it('says so at the sign-in of who has none, and asks for it of who has one', async () => {
    const member = await memberOf(server, 'viewer-of-all@example.com', { role: 'viewer' });
    await require(true);
    const credentials = { email: 'viewer-of-all@example.com', password };
    expect((await signIn(server, credentials)).body.needs_second_factor).toBe(true);
    await setUpApp(member, password);
    expect((await signIn(server, credentials)).body.code).toBe('second_factor_required');
    await require(false);
  });

  it('leaves it to an identity provider to ask for more than a password', async () => {
    const provider = await startRealProvider();
    try {
      const made = await api().post('/api/v1/identity-providers', {
        ...{ name: 'Acme', issuer: provider.issuer, client_id: clientId, client_secret: clientSecret },
      });
      provider.allow(made.body.callback_url);
      provider.people.grace = { email: 'grace@acme.example', email_verified: true };
      await require(true);
      const start = `${server.url}/api/v1/session/providers/${made.body.id}`;
      const { cookies } = await travel(start, 'grace');
      const grace = person(server.url, cookies.get(cookieName) ?? '');
      expect(await needs(grace)).toBe(false);
      expect((await grace.ask('GET', '/projects')).status).toBe(200);
      await require(false);
    } finally {
      await provider.close();
    }
  });
});
