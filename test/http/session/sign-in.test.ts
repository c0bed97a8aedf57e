/** Signing in and out, the cookie, the session's own routes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/cli.js';
import { client, request } from '../../support/client.js';
import { expectDeleted, expectFaults, expectFields, expectProblem, uuid } from '../../support/contract.js';
import {
  admin,
  behindProxy,
  cookieIn,
  madePerson,
  person,
  sameOrigin,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

const wrong = 'Invalid e-mail address or password';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy, LOG_LEVEL: 'info' } });
});
afterAll(() => server.dispose());

describe('signing in', () => {
  it('answers who it is, and a cookie that scripts and other sites do not get', async () => {
    const answer = await signIn(server, { ...admin, email: ' ADA@example.com' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toEqual({
      user: { id: expect.stringMatching(uuid), email: 'ada@example.com', role: 'owner', projects: [] },
      account: { id: expect.stringMatching(uuid), name: 'Default', plan: 'enterprise' },
      accounts: [{ id: answer.body.account.id, name: 'Default' }],
      needs_second_factor: false,
      sign_out_url: null,
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^inlet_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^inlet_device=[\w.~-]+; Max-Age=15552000; Path=\/api\/v1\/session; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const again = await person(server.url, cookieIn(answer) ?? '').ask('GET', '/session');
    expect([again.status, again.body]).toEqual([200, answer.body]);
    expect(again.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/session', '/setup'])('takes no more at %s than it can need', async (path) => {
    const answer = await request(`${server.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a'.repeat(16 * 1024) }),
    });
    expect([answer.status, answer.body]).toEqual([
      413,
      { error: 'The body is larger than 16384 bytes', code: 'body_too_large', limit_bytes: 16 * 1024 },
    ]);
  });

  it.each([
    ['a wrong password', { ...admin, password: 'incorrect horse' }],
    ['an unknown user', { ...admin, email: 'nobody@example.com' }],
    ['no e-mail address at all', { ...admin, email: 'nobody' }],
    ['SQL', { ...admin, email: "' OR 1=1 --" }],
  ])('refuses %s with the same answer', async (_, credentials) => {
    const answer = await signIn(server, credentials);
    expectProblem(answer, 401, wrong);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['nothing', {}, ['email', 'password']],
    ['no text', { email: 1, password: ['x'] }, ['email', 'password']],
    ['nothing typed', { email: '', password: '' }, ['email', 'password']],
    ['129 bytes', { ...admin, password: 'x'.repeat(129) }, ['password']],
    ['129 bytes in 65 letters', { ...admin, password: `${'ä'.repeat(64)}x` }, ['password']],
    ['more than asked for', { ...admin, remember: true }, ['remember']],
  ])('refuses a body with %s', async (_, body, paths) => {
    expectFaults(await signIn(server, body), paths);
  });

  it('takes JSON alone', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await request(`${server.url}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify(admin),
      });
      expect(answer.status).toBe(400);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it('never keeps a cookie that came along, and ends the session behind it', async () => {
    const planted = 'A'.repeat(43);
    const fixed = await signIn(server, admin, { cookie: `inlet_session=${planted}` });
    expect(fixed.status).toBe(200);
    expect(cookieIn(fixed)).not.toBe(planted);
    expect((await person(server.url, planted).ask('GET', '/session')).status).toBe(401);

    const before = await signedIn(server, await madePerson(server, apiKey));
    expect((await signIn(server, admin, { cookie: before.cookie })).status).toBe(200);
    expectProblem(await before.ask('GET', '/session'), 401, 'Not signed in');
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a sister site', { 'sec-fetch-site': 'same-site' }],
    ['of another origin', { origin: 'https://evil.example' }],
  ])('is not done for a page %s: it would sign its visitor in as somebody else', async (_, headers) => {
    expectProblem(await signIn(server, admin, headers), 403, 'Cross-site request refused');
  });

  it('is logged with user and address, without what was typed', async () => {
    const typed = 'what-i-typed-by-mistake';
    const from = { 'x-forwarded-for': '192.0.2.77' };
    await signIn(server, { email: typed, password: 'secret-i-typed' }, from);
    const { body } = await signIn(server, admin, from);
    const linesOf = (output: string) =>
      output.split('\n').filter((line) => line.includes('192.0.2.77') && /"sign/.test(line));
    const output = await until(server.output, (text) => linesOf(text).length === 2 && text.endsWith('\n'));
    const lines = linesOf(output).map((line) => JSON.parse(line));
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'sign-in failed', user: null, level: 40 }),
      expect.objectContaining({ msg: 'signed in', user: body.user.id, level: 30 }),
    ]);
    for (const text of [typed, 'secret-i-typed', admin.password, admin.email]) {
      expect(server.output()).not.toContain(text);
    }
  });

  it('is counted by outcome', async () => {
    const { text } = await request(`${server.url}/metrics`);
    expect(text).toMatch(/^inlet_sign_ins_total\{outcome="succeeded"\} [1-9]/m);
    expect(text).toMatch(/^inlet_sign_ins_total\{outcome="failed"\} [1-9]/m);
  });
});

describe('on https', () => {
  it('the cookie is bound to the host and never sent in the clear', async () => {
    const secure = await startServer({ env: { ...withAdmin, BASE_URL: 'https://forms.example.com' } });
    try {
      const name = '__Host-inlet_session';
      const answer = await send(secure.url, 'POST', '/session', {}, admin);
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-inlet_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
        ),
        expect.stringMatching(
          /^__Secure-inlet_device=[\w.~-]+; Max-Age=15552000; Path=\/api\/v1\/session; HttpOnly; Secure; SameSite=Strict$/,
        ),
      ]);
      const token = cookieIn(answer, name) ?? '';
      const ada = person(secure.url, token, name);
      expect((await ada.ask('GET', '/session')).status).toBe(200);
      // Any page of a sibling host can set the plain name.
      expect((await person(secure.url, token).ask('GET', '/session')).status).toBe(401);
      const body = { name: 'Made' };
      const from = (origin: string) => ada.ask('POST', '/projects', body, { origin });
      expect((await from('https://forms.example.com')).status).toBe(201);
      expect((await from('http://forms.example.com')).status).toBe(403);
      const out = await ada.ask('DELETE', '/session');
      expectDeleted(out);
      expect(out.headers.getSetCookie()).toEqual([
        '__Host-inlet_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      ]);
    } finally {
      await secure.dispose();
    }
  });
});

describe('signing out', () => {
  it('ends the session at the server, at once and for good', async () => {
    const ada = await signedIn(server, await madePerson(server, apiKey));
    expect((await ada.ask('GET', '/projects')).status).toBe(200);
    const answer = await ada.ask('DELETE', '/session');
    expectDeleted(answer);
    expect(answer.headers.getSetCookie()).toEqual([
      'inlet_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expectProblem(await ada.ask('GET', '/session'), 401, 'Not signed in');
    expectProblem(await ada.ask('GET', '/projects'), 401, 'Not signed in');
    expectDeleted(await ada.ask('DELETE', '/session'));
  });

  it('is nothing to refuse to somebody who is not signed in', async () => {
    expectDeleted(await send(server.url, 'DELETE', '/session'));
    expectDeleted(await send(server.url, 'DELETE', '/session', { 'sec-fetch-site': 'cross-site' }));
  });

  it('is not done for another site', async () => {
    const ada = await signedIn(server, await madePerson(server, apiKey));
    const answer = await ada.ask('DELETE', '/session', undefined, { 'sec-fetch-site': 'cross-site' });
    expectProblem(answer, 403, 'Cross-site request refused');
    expect((await ada.ask('GET', '/session')).status).toBe(200);
  });
});

describe('the own session', () => {
  it.each([
    ['nothing', {}],
    ['an API key', { authorization: `Bearer ${apiKey}` }],
    ['another cookie', { cookie: 'theme=dark' }],
    ['the name alone', { cookie: 'inlet_session' }],
    ['an empty cookie', { cookie: 'inlet_session=' }],
  ])('is none with %s', async (_, headers) => {
    const answer = await send(server.url, 'GET', '/session', headers);
    expectProblem(answer, 401, 'Not signed in');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('outlives a restart', async () => {
    const first = await startServer({ env: withAdmin });
    const ada = await signedIn(first);
    await first.end();
    const second = await startServer({ dataDir: first.dataDir, port: first.port, env: withAdmin });
    expect((await ada.ask('GET', '/session')).status).toBe(200);
    expect((await client(second.url).get('/api/v1/users')).body.data).toHaveLength(1);
    await second.dispose();
  });
});

describe('the own password', () => {
  const next = 'another long password';
  const change = (who: ReturnType<typeof person>, current: string, password: string) =>
    who.ask('PUT', '/session/password', { current_password: current, new_password: password });

  it('is changed: other sessions end, this one goes on with a new cookie', async () => {
    const credentials = await madePerson(server, apiKey);
    const [here, there] = [await signedIn(server, credentials), await signedIn(server, credentials)];
    expect((await there.ask('GET', '/projects')).status).toBe(200);
    const answer = await change(here, credentials.password, next);
    expectDeleted(answer);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expectProblem(await there.ask('GET', '/projects'), 401, 'Not signed in');
    expectProblem(await here.ask('GET', '/session'), 401, 'Not signed in');
    const token = cookieIn(answer) ?? '';
    expect((await person(server.url, token).ask('GET', '/session')).body.user.id).toBe(credentials.id);
    const { email, password } = credentials;
    expectProblem(await signIn(server, { email, password }), 401, wrong);
    expect((await signIn(server, { email, password: next })).status).toBe(200);
  });

  it('is not changed without the current one, which can be guessed five times a minute', async () => {
    const credentials = await madePerson(server, apiKey);
    const somebody = await signedIn(server, credentials);
    for (let i = 0; i < 5; i += 1) {
      expectProblem(await change(somebody, 'a wrong password', next), 403, 'The current password is wrong');
    }
    const answer = await change(somebody, credentials.password, next);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe(String(answer.body.retry_after));
    expect((await somebody.ask('GET', '/session')).status).toBe(200);
  });

  it.each([
    ['nothing', {}, ['current_password', 'new_password']],
    ['9 bytes', { current_password: 'x', new_password: 'x'.repeat(9) }, ['new_password']],
    ['129 bytes', { current_password: 'x', new_password: 'x'.repeat(129) }, ['new_password']],
    [
      '129 bytes as the current one',
      { current_password: 'x'.repeat(129), new_password: next },
      ['current_password'],
    ],
  ])('refuses %s', async (_, body, paths) => {
    const ada = await signedIn(server, await madePerson(server, apiKey));
    expectFaults(await ada.ask('PUT', '/session/password', body), paths);
  });

  it('belongs to a person, not to a key', async () => {
    const body = { current_password: admin.password, new_password: next };
    const headers = { authorization: `Bearer ${apiKey}`, ...sameOrigin };
    expectProblem(await send(server.url, 'PUT', '/session/password', headers, body), 401, 'Not signed in');
  });
});

it('says nothing of a password anywhere', async () => {
  const { body, text } = await client(server.url).get('/api/v1/users');
  for (const user of body.data) expectFields(user, ['id', 'email', 'role', 'projects', 'created_at']);
  expect(text).not.toMatch(/argon2|password/);
});
