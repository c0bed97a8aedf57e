/** Changing the e-mail address, confirmed by a link. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { client } from '../../support/client.js';
import { expectFaults, expectProblem } from '../../support/contract.js';
import {
  behindProxy,
  cookieIn,
  madePerson,
  nextAddress,
  person,
  sameOrigin,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { changeStored } from '../../support/engine.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { mailing, mailsAbout, tokenFor, tokenIn } from '../../support/sign-in.js';

let server: RunningServer;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({ env: { ...withAdmin, ...behindProxy, ...mailing(mails) } });
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const enter = ({ email, password }: { readonly email: string; readonly password: string }) =>
  signIn(server, { email, password });

let changed = 0;
const nextEmail = (): string => {
  changed += 1;
  return `changed-${changed}@example.com`;
};
const confirm = (token: string, from = nextAddress()) =>
  send(server.url, 'POST', '/session/email/confirm', { 'x-forwarded-for': from }, { token });
const tokenTo = (email: string) => tokenFor(mails, email, 'Confirm your new e-mail address', 'confirm-email');

describe('another e-mail address', () => {
  it('counts once its link was opened; the old address gets a mail, and the session stays', async () => {
    const somebody = await madePerson(server, apiKey);
    const me = await signedIn(server, somebody);
    const email = nextEmail();
    const asked = await me.ask('PUT', '/session/email', {
      email: email.toUpperCase(),
      current_password: somebody.password,
    });
    expect(asked.status).toBe(202);
    const [notice] = await mailsAbout(mails, somebody.email, 'Your e-mail address is about to change');
    expect(notice?.text).toContain(email);
    expect(notice?.text).not.toContain('#token');
    const token = await tokenTo(email);
    expect((await signIn(server, { email, password: somebody.password })).status).toBe(401);
    const done = await confirm(token);
    expect([done.status, done.body]).toEqual([200, { email }]);
    expect((await me.ask('GET', '/session')).body.user.email).toBe(email);
    expect((await signIn(server, { email, password: somebody.password })).status).toBe(200);
    expect((await enter(somebody)).status).toBe(401);
    expectProblem(await confirm(token), 403, 'This link is not valid any more');
    expect(server.output()).not.toContain(token);
  });

  it('is no way around single sign-on, however early the link was asked for', async () => {
    const made = { email: 'member@sso.example', password: 'a long password' };
    const { status } = await client(server.url).post('/api/v1/users', { ...made, role: 'editor' });
    expect(status).toBe(201);
    const me = await signedIn(server, made);
    const email = nextEmail();
    const ask = () => me.ask('PUT', '/session/email', { email, current_password: made.password });
    expect((await ask()).status).toBe(202);
    const token = await tokenTo(email);
    const provider = await client(server.url).post('/api/v1/identity-providers', {
      ...{ name: 'Acme', issuer: 'https://sso.example', client_id: 'x', client_secret: 'y' },
      ...{ domains: ['sso.example'], is_required: true },
    });
    expect(provider.status).toBe(201);
    for (const refused of [await ask(), await confirm(token)])
      expectProblem(refused, 403, 'Sign in with single sign-on');
    expect((await me.ask('GET', '/session')).body.user.email).toBe(made.email);
    await client(server.url).delete(`/api/v1/identity-providers/${provider.body.id}`);
  });

  it('needs the password, and is voided by a new one', async () => {
    const somebody = await madePerson(server, apiKey);
    const me = await signedIn(server, somebody);
    expectFaults(await me.ask('PUT', '/session/email', { email: 'x', current_password: 'y' }), ['email']);
    const email = nextEmail();
    const wrong = await me.ask('PUT', '/session/email', { email, current_password: 'a guess of mine' });
    expectProblem(wrong, 403, 'The current password is wrong');
    await me.ask('PUT', '/session/email', { email, current_password: somebody.password });
    const token = await tokenTo(email);
    const change = { current_password: somebody.password, new_password: 'a newer password' };
    expect((await me.ask('PUT', '/session/password', change)).status).toBe(204);
    expectProblem(await confirm(token), 403, 'This link is not valid any more');
  });

  it('does not count once its link has expired', async () => {
    const somebody = await madePerson(server, apiKey);
    const me = await signedIn(server, somebody);
    const email = nextEmail();
    await me.ask('PUT', '/session/email', { email, current_password: somebody.password });
    const token = await tokenTo(email);
    await changeStored(server.dataDir, `UPDATE login_links SET expires_at = 1 WHERE email = '${email}'`);
    expectProblem(await confirm(token), 403, 'This link is not valid any more');
    expect((await me.ask('GET', '/session')).body.user.email).toBe(somebody.email);
  });

  it('changes all users of the login, or none if one account has a user with that address', async () => {
    const elsewhere = (await makeAccount(server, 'pro', 'Elsewhere')).api_key;
    const somebody = await madePerson(server, elsewhere);
    const key = { authorization: `Bearer ${apiKey}` };
    const invitation = { email: somebody.email, role: 'editor' };
    const { accept_url } = (await send(server.url, 'POST', '/users/invitations', key, invitation)).body;
    const me = await signedIn(server, somebody);
    const token = tokenIn(accept_url, 'accept-invitation');
    const headers = { cookie: me.cookie, ...sameOrigin };
    const accepted = await send(server.url, 'POST', '/session/invitation', headers, { token });
    const now = person(server.url, cookieIn(accepted) ?? '');
    const addressesOf = async (bearer: string): Promise<readonly string[]> =>
      (await send(server.url, 'GET', '/users', { authorization: `Bearer ${bearer}` })).body.data.map(
        (user: { email: string }) => user.email,
      );
    const password = { current_password: somebody.password };
    const email = nextEmail();
    await now.ask('PUT', '/session/email', { email, ...password });
    const link = await tokenTo(email);
    // Another user gets the address while the link is on its way.
    await send(
      server.url,
      'POST',
      '/users',
      { authorization: `Bearer ${elsewhere}` },
      { email, ...{ password: 'of another user' } },
    );
    const conflict = await confirm(link);
    expect([403, 409]).toContain(conflict.status);
    expect(await addressesOf(apiKey)).toContain(somebody.email);
    expect(await addressesOf(elsewhere)).toContain(somebody.email);
    expectProblem(
      await now.ask('PUT', '/session/email', { email, ...password }),
      409,
      'A user with this e-mail address already exists',
    );
    const free = nextEmail();
    await now.ask('PUT', '/session/email', { email: free, ...password });
    expect((await confirm(await tokenTo(free))).status).toBe(200);
    expect(await addressesOf(apiKey)).toContain(free);
    expect(await addressesOf(elsewhere)).toContain(free);
    expect((await signIn(server, { email: free, password: somebody.password })).status).toBe(200);
  });

  it('keeps the password where other logins have the address in other accounts', async () => {
    const elsewhere = (await makeAccount(server, 'pro', 'Elsewhere')).api_key;
    const [somebody, other] = [await madePerson(server, apiKey), await madePerson(server, elsewhere)];
    const me = await signedIn(server, somebody);
    const change = { email: other.email, current_password: somebody.password };
    expect((await me.ask('PUT', '/session/email', change)).status).toBe(202);
    expect((await confirm(await tokenTo(other.email))).status).toBe(200);
    const answer = await signIn(server, { email: other.email, password: somebody.password });
    expect(answer.status).toBe(200);
  });
});

it('is refused without a mail server', async () => {
  const plain = await startServer({ env: { ...withAdmin, ...behindProxy } });
  try {
    const ada = await signedIn(plain);
    const change = { email: 'new@example.com', current_password: 'correct horse battery' };
    expectProblem(await ada.ask('PUT', '/session/email', change), 409, 'This instance has no mail server');
    const made = await ada.ask('POST', '/users/invitations', { email: 'b@example.com', role: 'viewer' });
    expect(made.body.mailed).toBe(false);
    expect((await send(plain.url, 'GET', '/setup')).body).toEqual({ needed: false, sends_mail: false });
  } finally {
    await plain.dispose();
  }
});
