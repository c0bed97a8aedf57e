/** The first user: a link that is printed when the service starts, and works once. */
import { afterEach, describe, expect, it } from 'vitest';
import { inletJson, until } from '../../support/cli.js';
import { client } from '../../support/client.js';
import { expectFaults, expectProblem, uuid } from '../../support/contract.js';
import { admin, cookieIn, madePerson, person, send, signedIn, withAdmin } from '../../support/dashboard.js';
import { apiKey, type RunningServer, type ServerOptions, startServer } from '../../support/server.js';

const servers: RunningServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
});
async function started(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

/** The token of the printed link, which is printed after the service starts to respond. */
async function tokenOf(server: RunningServer): Promise<string> {
  const link = /(\S+)\/dashboard\/setup#token=(\S+) \(works once\)/;
  const output = await until(server.output, (text) => link.test(text));
  const [, base, token] = link.exec(output) ?? [];
  expect(base).toBe(server.url);
  return token ?? '';
}

const complete = (server: RunningServer, body: unknown, headers = {}) =>
  send(server.url, 'POST', '/setup', headers, body);
const needed = async (server: RunningServer) => (await send(server.url, 'GET', '/setup')).body;

describe('set-up', () => {
  it('makes the first user, once, and signs them in', async () => {
    const server = await started();
    const token = await tokenOf(server);
    expect(token).toMatch(/^[\w-]{43}$/);
    const asked = await send(server.url, 'GET', '/setup');
    expect([asked.status, asked.body]).toEqual([200, { needed: true, sends_mail: false }]);
    expect(asked.headers.get('cache-control')).toBe('no-store');

    expectProblem(
      await complete(server, { ...admin, token: 'x'.repeat(43) }),
      403,
      'This set-up link is not valid',
    );
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expectProblem(await complete(server, { ...admin, token }, foreign), 403, 'Cross-site request refused');
    expectFaults(await complete(server, { token, email: 'nobody', password: 'short' }), [
      'email',
      'password',
    ]);
    expectFaults(await complete(server, {}), ['token', 'email', 'password']);

    const made = await complete(server, { ...admin, token });
    expect(made.status, made.text).toBe(201);
    const { body: account } = await client(server.url).get('/api/v1/account');
    expect(made.body).toEqual({
      user: { id: expect.stringMatching(uuid), email: admin.email, role: 'owner', projects: [] },
      account: { id: account.id, name: account.name, plan: account.plan },
      accounts: [{ id: account.id, name: account.name }],
      needs_second_factor: false,
      sign_out_url: null,
    });
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect((await person(server.url, cookieIn(made) ?? '').ask('GET', '/session')).body).toEqual(made.body);
    expect((await signedIn(server)).cookie).not.toContain(cookieIn(made));

    expect(await needed(server)).toEqual({ needed: false, sends_mail: false });
    const again = await complete(server, { ...admin, email: 'second@example.com', token });
    expectProblem(again, 403, 'This set-up link is not valid');
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  it('ends when there is a user by another way, and is not there when the settings name one', async () => {
    const server = await started();
    const token = await tokenOf(server);
    await madePerson(server, apiKey);
    expect(await needed(server)).toEqual({ needed: false, sends_mail: false });
    expectProblem(await complete(server, { ...admin, token }), 403, 'This set-up link is not valid');

    const named = await started({ env: withAdmin });
    await until(named.output, (text) => /Data .+\n/.test(text));
    expect(named.output()).not.toContain('setup');
    expect(await needed(named)).toEqual({ needed: false, sends_mail: false });
  });

  it('bounds the tries of an address', async () => {
    const server = await started();
    const guess = () => complete(server, { ...admin, token: 'a guess' });
    for (let i = 0; i < 5; i += 1) expect((await guess()).status).toBe(403);
    const answer = await guess();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it('is done by settings that came after the first start', async () => {
    const first = await started();
    await first.end();
    const second = await started({ dataDir: first.dataDir, env: withAdmin });
    expect((await signedIn(second)).cookie).toMatch(/^inlet_session=/);
  });
});

it('a password that the operator resets ends the sessions of that user in the running service', async () => {
  const server = await started({ env: withAdmin });
  const ada = await signedIn(server);
  expect((await ada.ask('GET', '/projects')).status).toBe(200);
  const words = ['users', 'reset-password', '--email', admin.email];
  const { password } = await inletJson(words, { dataDir: server.dataDir });
  await until(
    () => ada.ask('GET', '/projects'),
    ({ status }) => status === 401,
  );
  expect((await signedIn(server, { ...admin, password })).cookie).toMatch(/^inlet_session=/);
});
