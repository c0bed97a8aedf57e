/** Invitations to an account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { expectDeleted, expectFaults, expectFields, expectProblem, uuid } from '../../support/contract.js';
import {
  behindProxy,
  cookieIn,
  madePerson,
  nextAddress,
  type Person,
  person,
  sameOrigin,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { changeStored } from '../../support/engine.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { memberOf } from '../../support/permission-callers.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { mailing, mailsAbout, tokenIn } from '../../support/sign-in.js';

let server: RunningServer;
let mails: MailServer;
let ada: Person;
let elsewhere: string;
beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({ env: { ...withAdmin, ...behindProxy, ...mailing(mails) } });
  ada = await signedIn(server);
  elsewhere = (await makeAccount(server, 'pro', 'Elsewhere')).api_key;
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const enter = ({ email, password }: { readonly email: string; readonly password: string }) =>
  signIn(server, { email, password });

const gone = 'This invitation is not valid any more';
let invited = 0;
const nextEmail = (): string => {
  invited += 1;
  return `invited-${invited}@example.com`;
};
const invite = (email: string, role = 'editor') => ada.ask('POST', '/users/invitations', { email, role });
const tokenOf = async (email: string, role?: string): Promise<string> =>
  tokenIn((await invite(email, role)).body.accept_url, 'accept-invitation');
const accept = (body: unknown, headers = {}) =>
  send(server.url, 'POST', '/session/invitation', { 'x-forwarded-for': nextAddress(), ...headers }, body);
const look = (token: string) =>
  send(server.url, 'POST', '/session/invitation/find', { 'x-forwarded-for': nextAddress() }, { token });

describe('an invitation', () => {
  it('is shown once with its link, mailed, listed without it, and revoked', async () => {
    const email = nextEmail();
    const made = await invite(email.toUpperCase(), 'viewer');
    expect(made.status).toBe(201);
    expectFields(made.body, ['id', 'email', 'role', 'created_at', 'expires_at', 'accept_url', 'mailed']);
    expect(made.body).toMatchObject({ email, role: 'viewer', mailed: true });
    const days = (Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)) / 86_400_000;
    expect(days).toBe(7);
    const [mail] = await mailsAbout(mails, email, 'You are invited to Default');
    expect(mail?.text).toContain(made.body.accept_url);
    const listed = await ada.ask('GET', '/users/invitations');
    const item = listed.body.data.find(({ id }: { id: string }) => id === made.body.id);
    expectFields(item, ['id', 'email', 'role', 'created_at', 'expires_at']);
    const token = tokenIn(made.body.accept_url, 'accept-invitation');
    expect(server.output()).not.toContain(token);
    expectDeleted(await ada.ask('DELETE', `/users/invitations/${made.body.id}`));
    expectProblem(await ada.ask('DELETE', `/users/invitations/${made.body.id}`), 404, 'Invitation not found');
    expectProblem(await accept({ token, password: 'a long password' }), 403, gone);
    expectProblem(await look(token), 403, gone);
  });

  it('lets a new person choose a password, once, with the role and the address of the invitation', async () => {
    const email = nextEmail();
    const token = await tokenOf(email, 'viewer');
    const found = await look(token);
    expect([found.status, found.body]).toEqual([200, { account_name: 'Default', email, role: 'viewer' }]);
    const accepted = await accept({ token, password: 'chosen by me' });
    expect(accepted.status).toBe(201);
    expect(accepted.body.user).toMatchObject({ id: expect.stringMatching(uuid), email });
    const me = person(server.url, cookieIn(accepted) ?? '');
    expect((await me.ask('GET', '/session')).body.user.email).toBe(email);
    expect((await signIn(server, { email, password: 'chosen by me' })).status).toBe(200);
    expectProblem(await accept({ token, password: 'chosen by me' }), 403, gone);
    expectProblem(await invite(email), 409, 'A user with this e-mail address already exists');
  });

  it('names the account as it is called now, and only owners rename it', async () => {
    const rename = (body: unknown, who = ada) => who.ask('PATCH', '/account', body);
    for (const name of ['', ' ', 'x'.repeat(201), 7, null]) expectFaults(await rename({ name }), ['name']);
    const editor = await memberOf(server, 'renaming-editor@example.com', { role: 'editor' });
    expectProblem(await rename({ name: 'Mine' }, editor), 403, 'Your role does not allow this');
    const before = (await ada.ask('GET', '/account')).body;
    expect(before.name).toBe('Default');
    expect((await rename({})).body).toEqual(before);
    const name = 'Söhne & <b>Töchter</b>';
    const renamed = await rename({ name: ` ${name} ` });
    expect([renamed.status, renamed.body]).toEqual([200, { ...before, name }]);
    expect((await ada.ask('GET', '/session')).body.account.name).toBe(name);
    const [entry] = (await ada.ask('GET', '/audit?action=account.updated')).body.data;
    expect(entry).toMatchObject({ object: { name }, before: { name: 'Default' }, after: { name } });
    const email = nextEmail();
    const token = await tokenOf(email);
    expect((await look(token)).body.account_name).toBe(name);
    const [mail] = await mailsAbout(mails, email, `You are invited to ${name}`);
    expect(mail?.html).toContain('Söhne &amp; &lt;b&gt;Töchter&lt;/b&gt;');
    await rename({ name: 'Default' });
  });

  it('is accepted by one of many who try at the same moment', async () => {
    const email = nextEmail();
    const token = await tokenOf(email);
    const tries = [1, 2, 3, 4].map((n) => accept({ token, password: `password number ${n}` }));
    const answers = await Promise.all(tries);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
    const users = await ada.ask('GET', '/users');
    const made = users.body.data.filter((user: { email: string }) => user.email === email);
    expect(made).toHaveLength(1);
  });

  it('adds a user to the login of somebody who is signed in with that address', async () => {
    const somebody = await madePerson(server, elsewhere);
    const token = await tokenOf(somebody.email);
    const me = await signedIn(server, somebody);
    const accepted = await accept({ token }, { cookie: me.cookie, ...sameOrigin });
    expect(accepted.status).toBe(201);
    expect(accepted.body.account.name).toBe('Default');
    expect(accepted.body.user.id).not.toBe(somebody.id);
    // Both users share one password from now on.
    const now = person(server.url, cookieIn(accepted) ?? '');
    const change = { current_password: somebody.password, new_password: 'one for all accounts' };
    expect((await now.ask('PUT', '/session/password', change)).status).toBe(204);
    expect((await enter(somebody)).status).toBe(401);
    expect((await enter({ ...somebody, password: 'one for all accounts' })).status).toBe(200);
  });

  it('is not for the session of another address, and needs a password without one', async () => {
    const token = await tokenOf(nextEmail());
    const other = await signedIn(server, await madePerson(server, elsewhere));
    const session = { cookie: other.cookie, ...sameOrigin };
    const text = 'This invitation is for another e-mail address';
    expectProblem(await accept({ token }, session), 403, text);
    expectProblem(await accept({ token, password: 'a long password' }, session), 403, text);
    const foreign = { cookie: other.cookie, 'sec-fetch-site': 'cross-site' };
    expectProblem(await accept({ token }, foreign), 403, 'Cross-site request refused');
    expectFaults(await accept({ token }), ['password']);
    expectFaults(await accept({ token, password: 'short' }), ['password']);
    expect((await accept({ token, password: 'a long password' })).status).toBe(201);
  });

  it('says the same about an address that has a login elsewhere, also to who has the link', async () => {
    const known = (await madePerson(server, elsewhere)).email;
    const unknown = nextEmail();
    const shapes = await Promise.all(
      [known, unknown].map(async (email) => {
        const made = await invite(email);
        const found = await look(tokenIn(made.body.accept_url, 'accept-invitation'));
        const accepted = await accept({
          token: tokenIn(made.body.accept_url, 'accept-invitation'),
          password: 'of a login of its own',
        });
        return [made.status, Object.keys(made.body), found.status, Object.keys(found.body), accepted.status];
      }),
    );
    expect(shapes[0]).toEqual(shapes[1]);
    // The login elsewhere is unchanged.
    expect((await signIn(server, { email: known, password: 'a long password' })).status).toBe(200);
    expect((await signIn(server, { email: known, password: 'of a login of its own' })).status).toBe(200);
  });

  it('takes the place of an earlier one to the same address', async () => {
    const email = nextEmail();
    const first = await tokenOf(email);
    const second = await tokenOf(email);
    expectProblem(await look(first), 403, gone);
    expect((await look(second)).status).toBe(200);
  });

  it('opens nothing once it has expired', async () => {
    const email = nextEmail();
    const token = await tokenOf(email);
    await changeStored(server.dataDir, `UPDATE invitations SET expires_at = 1 WHERE email = '${email}'`);
    expectProblem(await look(token), 403, gone);
    expectProblem(await accept({ token, password: 'a long password' }), 403, gone);
    expect((await signIn(server, { email, password: 'a long password' })).status).toBe(401);
  });

  it('belongs to its account', async () => {
    const made = await invite(nextEmail());
    const headers = { authorization: `Bearer ${elsewhere}` };
    const path = `/users/invitations/${made.body.id}`;
    expectProblem(await send(server.url, 'DELETE', path, headers), 404, 'Invitation not found');
    expect((await send(server.url, 'GET', '/users/invitations', headers)).body.data).toEqual([]);
  });

  it('refuses what is no role or no address', async () => {
    expectFaults(await invite(nextEmail(), 'admin'), ['role']);
    expectFaults(await invite('nobody'), ['email']);
    expectProblem(await look('x'.repeat(43)), 403, gone);
  });
});

it('at most 100 of an account are open', async () => {
  const key = (await makeAccount(server, 'pro', 'Crowded')).api_key;
  const headers = { authorization: `Bearer ${key}` };
  const ask = (n: number) =>
    send(server.url, 'POST', '/users/invitations', headers, {
      email: `crowd-${n}@example.com`,
      role: 'viewer',
    });
  for (let n = 0; n < 100; n += 1) expect((await ask(n)).status).toBe(201);
  const refused = await ask(100);
  expectProblem(refused, 409, 'An account can have at most 100 open invitations', { limit: 100 });
  // An invitation to an address that has one replaces it.
  expect((await ask(0)).status).toBe(201);
});
