/** Resetting the password by mail. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFaults, expectProblem } from '../../support/contract.js';
import {
  behindProxy,
  madePerson,
  nextAddress,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { changeStored } from '../../support/engine.js';
import { answer, type MailServer, startMailServer } from '../../support/mail-server.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { mailing, mailsAbout, resetTokenFor } from '../../support/sign-in.js';

let server: RunningServer;
let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: ({ address }, _session, callback) =>
      callback(address.startsWith('gone') ? answer(550, `5.1.1 <${address}> is gone`) : undefined),
  });
  server = await startServer({ env: { ...withAdmin, ...behindProxy, ...mailing(mails) } });
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const gone = 'This link is not valid any more';
const ask = (email: string, address = nextAddress()) =>
  send(server.url, 'POST', '/session/reset', { 'x-forwarded-for': address }, { email });
const complete = (token: string, password = 'a newer password') =>
  send(
    server.url,
    'POST',
    '/session/reset/complete',
    { 'x-forwarded-for': nextAddress() },
    { token, password },
  );

describe('a new password by mail', () => {
  it('is set with the link, once; all sessions end, and the old password opens nothing', async () => {
    const somebody = await madePerson(server, apiKey);
    const before = await signedIn(server, somebody);
    expect((await ask(somebody.email.toUpperCase())).status).toBe(202);
    const [mail] = await mailsAbout(mails, somebody.email, 'Set a new password');
    expect(mail?.html).toContain('/dashboard/reset-password#token=');
    const token = await resetTokenFor(mails, somebody.email);
    const done = await complete(token);
    expect([done.status, done.body]).toEqual([200, { email: somebody.email }]);
    expect(done.headers.getSetCookie()).toEqual([]);
    expectProblem(await before.ask('GET', '/session'), 401, 'Not signed in');
    expect((await signIn(server, { email: somebody.email, password: somebody.password })).status).toBe(401);
    expect((await signIn(server, { email: somebody.email, password: 'a newer password' })).status).toBe(200);
    expectProblem(await complete(token, 'another password'), 403, gone);
  });

  it('voids the other links, and so does a password that is changed in another way', async () => {
    const somebody = await madePerson(server, apiKey);
    await ask(somebody.email);
    const first = await resetTokenFor(mails, somebody.email);
    await ask(somebody.email);
    const second = await resetTokenFor(mails, somebody.email, 2);
    expect(second).not.toBe(first);
    expect((await complete(first)).status).toBe(200);
    expectProblem(await complete(second), 403, gone);
    await ask(somebody.email);
    const third = await resetTokenFor(mails, somebody.email, 3);
    const me = await signedIn(server, { ...somebody, password: 'a newer password' });
    const change = { current_password: 'a newer password', new_password: 'the newest password' };
    expect((await me.ask('PUT', '/session/password', change)).status).toBe(204);
    expectProblem(await complete(third), 403, gone);
  });

  it('is not set with a link that has expired', async () => {
    const somebody = await madePerson(server, apiKey);
    await ask(somebody.email);
    const token = await resetTokenFor(mails, somebody.email);
    await changeStored(
      server.dataDir,
      `UPDATE login_links SET expires_at = 1 WHERE email = '${somebody.email}'`,
    );
    expectProblem(await complete(token), 403, gone);
    expect((await signIn(server, { email: somebody.email, password: somebody.password })).status).toBe(200);
  });

  it('is set by one of many who open the link at the same moment', async () => {
    const somebody = await madePerson(server, apiKey);
    await ask(somebody.email);
    const token = await resetTokenFor(mails, somebody.email);
    const answers = await Promise.all([1, 2, 3, 4].map((n) => complete(token, `password number ${n}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
  });

  it('is the same response for an address that nobody has, and no mail', async () => {
    const somebody = await madePerson(server, apiKey);
    const [known, unknown] = [await ask(somebody.email), await ask('nobody@example.com')];
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await mailsAbout(mails, somebody.email, 'Set a new password');
    expect(mails.mails.some(({ to }) => to.includes('nobody@example.com'))).toBe(false);
  });

  it('is limited by network, and mailed to one address five times an hour', async () => {
    const somebody = await madePerson(server, apiKey);
    const address = nextAddress();
    for (let i = 0; i < 5; i += 1) expect((await ask('nobody@example.com', address)).status).toBe(202);
    const refused = await ask('nobody@example.com', address);
    expectProblem(refused, 429, 'Too many attempts. Please try again later.', {
      retry_after: expect.any(Number),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let i = 0; i < 8; i += 1) expect((await ask(somebody.email)).status).toBe(202);
    // Requested after all of those: once its mail has arrived, theirs would have, too.
    const other = await madePerson(server, apiKey);
    await ask(other.email);
    await mailsAbout(mails, other.email, 'Set a new password');
    expect(await mailsAbout(mails, somebody.email, 'Set a new password', 5)).toHaveLength(5);
  });

  it('refuses what is no link, and a password that is too short', async () => {
    expectProblem(await complete('x'.repeat(43)), 403, gone);
    expectFaults(await complete('x'.repeat(43), 'short'), ['password']);
    expectFaults(await ask('no address'), ['email']);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const asked = await send(server.url, 'POST', '/session/reset', foreign, { email: 'a@example.com' });
    expectProblem(asked, 403, 'Cross-site request refused');
  });

  it('leaves no address in the log, although the mail server repeats it', async () => {
    const gone = { email: 'gone@example.com', password: 'a long password' };
    const made = await send(server.url, 'POST', '/users', { authorization: `Bearer ${apiKey}` }, gone);
    expect(made.status).toBe(201);
    expect((await ask(gone.email)).status).toBe(202);
    await expect.poll(server.output).toContain('550 5.1.1 <***> is gone');
    expect(server.output()).not.toContain(gone.email);
  });

  it('leaves no token in the log', async () => {
    const somebody = await madePerson(server, apiKey);
    await ask(somebody.email);
    const token = await resetTokenFor(mails, somebody.email);
    await complete(token);
    expect(server.output()).not.toContain(token);
  });
});
