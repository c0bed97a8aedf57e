/** What a signed-in user may do: the whole management interface, from our own pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { client, makeForm, request, submitJson } from '../../support/client.js';
import { expectDeleted, expectProblem } from '../../support/contract.js';
import {
  behindProxy,
  madePerson,
  type Person,
  sameOrigin,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { bodyOf, managementRoutes, pathOf } from '../../support/management-routes.js';
import { rawRequest } from '../../support/raw-http.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let ada: Person;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, ...behindProxy } });
  ada = await signedIn(server);
});
afterAll(() => server.dispose());

const foreign = 'Cross-site request refused';
const named = managementRoutes.map((route) => ({ name: `${route.method} ${route.template}`, route }));
const raw = (
  route: (typeof managementRoutes)[number],
  headers: Record<string, string>,
  method: string = route.method,
) => {
  const body = bodyOf(route);
  return rawRequest(server.port, pathOf(route), {
    method,
    headers: Object.entries({
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }),
    ...(body === undefined ? {} : { body }),
  });
};

describe.each(named)('$name', ({ route }) => {
  it('lets a session in', async () => {
    // A stream has a head but no end.
    const method = route.isEndless ? 'HEAD' : route.method;
    const answer = await raw(route, { cookie: ada.cookie, ...sameOrigin }, method);
    expect([401, 403, 429]).not.toContain(answer.status);
  });

  it('changes nothing for another site, and does not even look at what it wants', async () => {
    const headers = { cookie: ada.cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const answer = await raw(route, headers);
    expectProblem(answer, 403, foreign);
  });

  it('is closed to a cookie that is nobody’s', async () => {
    expectProblem(await raw(route, { cookie: `inlet_session=${'x'.repeat(43)}` }), 401, 'Not signed in');
  });
});

describe('where a change comes from', () => {
  const make = (headers: Record<string, string>) =>
    rawRequest(server.port, '/api/v1/projects', {
      method: 'POST',
      headers: Object.entries({ cookie: ada.cookie, 'content-type': 'application/json', ...headers }),
      body: '{"name":"Made"}',
    });
  const ours = () => server.url;

  it.each([
    ['our own page', () => ({ 'sec-fetch-site': 'same-origin' }), 201],
    [
      'our own page, reached by another name',
      () => ({ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:1' }),
      201,
    ],
    ['another site', () => ({ 'sec-fetch-site': 'cross-site' }), 403],
    ['another site with our Origin', () => ({ 'sec-fetch-site': 'cross-site', origin: ours() }), 403],
    ['a sister site', () => ({ 'sec-fetch-site': 'same-site', origin: ours() }), 403],
    ['the address bar', () => ({ 'sec-fetch-site': 'none' }), 403],
    ['two answers at once', () => ({ 'sec-fetch-site': 'same-origin, cross-site' }), 403],
    ['nothing in it', () => ({ 'sec-fetch-site': '' }), 403],
    ['an older browser, our origin', () => ({ origin: ours() }), 201],
    ['an older browser, another origin', () => ({ origin: 'https://evil.example' }), 403],
    ['an older browser, another port', () => ({ origin: `${ours()}1` }), 403],
    ['an older browser, a name that begins like ours', () => ({ origin: `${ours()}.evil.example` }), 403],
    ['an older browser, a sandboxed frame', () => ({ origin: 'null' }), 403],
    [
      'an older browser, our page named by the Referer alone',
      () => ({ referer: `${ours()}/dashboard` }),
      403,
    ],
    ['nowhere', () => ({}), 403],
  ])('%s', async (_, headers, status) => {
    const answer = await make(headers());
    expect(answer.status, answer.text).toBe(status);
    if (status === 403) expectProblem(answer, 403, foreign);
  });

  it('does not matter for an API key', async () => {
    const headers = { authorization: `Bearer ${apiKey}`, 'sec-fetch-site': 'cross-site' };
    expect((await send(server.url, 'POST', '/projects', headers, { name: 'By key' })).status).toBe(201);
  });

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 200],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
    // A frame on another port sends the cookie, and would use up the visitor's live streams.
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' }, 403],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{}, 200],
  ])(
    'lets a page on another site read nothing, and lets people follow links: %j',
    async (headers, status) => {
      // Not with fetch, which sets these headers itself.
      const answer = await rawRequest(server.port, '/api/v1/projects', {
        method: 'GET',
        headers: Object.entries({ cookie: ada.cookie, ...headers }),
      });
      expect(answer.status).toBe(status);
    },
  );

  it('a body must be JSON, from wherever it comes', async () => {
    const answer = await request(`${server.url}/api/v1/projects`, {
      method: 'POST',
      headers: { cookie: ada.cookie, ...sameOrigin, 'content-type': 'text/plain' },
      body: '{"name":"Made"}',
    });
    expect(answer.status).toBe(400);
  });
});

describe('a session beside a key', () => {
  it('a right key decides', async () => {
    const other = await makeAccount(server, 'pro', 'Other');
    const headers = { cookie: ada.cookie, authorization: `Bearer ${other.api_key}` };
    expect((await send(server.url, 'GET', '/account', headers)).body.id).toBe(other.id);
    expect((await send(server.url, 'POST', '/projects', headers, { name: 'By key' })).status).toBe(201);
  });

  it.each(['Bearer not-the-key-of-anybody', 'Basic YTpi', ''])(
    'a wrong one decides too: "%s"',
    async (authorization) => {
      const answer = await rawRequest(server.port, '/api/v1/projects', {
        headers: [
          ['Cookie', ada.cookie],
          ['Authorization', authorization],
        ],
      });
      expectProblem(answer, 401, 'Invalid API key');
    },
  );

  it('a key that may only read changes nothing with it', async () => {
    const key = await client(server.url).post('/api/v1/api-keys', { name: 'R', scope: 'read' });
    const headers = { cookie: ada.cookie, ...sameOrigin, authorization: `Bearer ${key.body.api_key}` };
    expect((await send(server.url, 'POST', '/projects', headers, { name: 'No' })).status).toBe(403);
  });
});

it('reads a file as a key does; a token in the address decides for itself', async () => {
  const { endpoint } = await makeForm(server.url);
  const { body } = await submitFiles(endpoint, [
    { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' },
  ]);
  const path = `/files/${body.files[0].id}`;
  expect((await ada.ask('GET', path)).status).toBe(200);
  expect((await ada.ask('GET', `${path}/download`)).status).toBe(302);
  expect((await ada.ask('GET', `${path}?token=wrong`)).status).toBe(403);
});

it('sees its own account alone', async () => {
  const other = await makeAccount(server, 'pro', 'Neighbour');
  const project = await client(server.url, other.api_key).post('/api/v1/projects', { name: 'Theirs' });
  expectProblem(await ada.ask('GET', `/projects/${project.body.id}`), 404, 'Project not found');
});

it('is never looked at by the submission endpoint', async () => {
  const { endpoint } = await makeForm(server.url);
  const sent = await submitJson(endpoint, { a: 1 }, { cookie: ada.cookie, 'sec-fetch-site': 'cross-site' });
  expect(sent.status).toBe(200);
  expect(sent.headers.getSetCookie()).toEqual([]);
});

it('is counted by person: one who asks too often stops neither others nor keys', async () => {
  const busy = await startServer({ env: { ...withAdmin, ...behindProxy, API_RATE_LIMIT_PER_MINUTE: '10' } });
  try {
    const bob = await madePerson(busy, apiKey);
    const [first, second, other] = [await signedIn(busy), await signedIn(busy), await signedIn(busy, bob)];
    for (let i = 0; i < 10; i += 1) {
      expect((await (i % 2 ? first : second).ask('GET', '/projects')).status).toBe(200);
    }
    for (const session of [first, second]) {
      const answer = await session.ask('GET', '/projects');
      expect([answer.status, answer.body.error]).toEqual([429, 'Rate limit exceeded']);
    }
    expect((await other.ask('GET', '/projects')).status).toBe(200);
    expect((await client(busy.url).get('/api/v1/projects')).status).toBe(200);
  } finally {
    await busy.dispose();
  }
});

describe('hostile cookies', () => {
  const ask = (headers: readonly (readonly [string, string])[]) =>
    rawRequest(server.port, '/api/v1/session', { headers });

  it.each([
    ['10 kB', `inlet_session=${'x'.repeat(10_000)}`],
    ['binary', `inlet_session=${String.fromCharCode(...Array.from({ length: 120 }, (_, i) => 128 + i))}`],
    ['broken escapes', `inlet_session=%E0%A4%A${'%'.repeat(40)}`],
    ['an escaped zero byte', `inlet_session=${'%00'.repeat(43)}`],
    ['quotes', `inlet_session="${'x'.repeat(43)}"`],
    ['__proto__', '__proto__=x; constructor=y; inlet_session'],
    ['no name', `=${'x'.repeat(43)}; ;;; = ; inlet_session=`],
    ['many', Array.from({ length: 1_000 }, (_, i) => `c${i}=v`).join('; ')],
    ['many of the same name', Array.from({ length: 200 }, () => 'inlet_session=x').join('; ')],
  ])('%s: not signed in, nothing worse', async (_, cookie) => {
    expectProblem(await ask([['Cookie', cookie]]), 401, 'Not signed in');
  });

  it('around the right one do not hide it', async () => {
    const crowd = Array.from({ length: 100 }, (_, i) => `c${i}=v`).join('; ');
    expect((await ask([['Cookie', `${crowd}; ${ada.cookie}; ${crowd}`]])).status).toBe(200);
    expect(
      (
        await ask([
          ['Cookie', 'a=b'],
          ['Cookie', ada.cookie],
        ])
      ).status,
    ).toBe(200);
  });

  it('leave the service as it was', async () => {
    expect((await ada.ask('GET', '/session')).status).toBe(200);
    expect(server.output()).not.toMatch(/"level":50/);
  });
});

describe('users', () => {
  it('are made, listed and removed by a person as by a key', async () => {
    const credentials = { email: 'Bob@example.com', password: 'a long password' };
    const made = await ada.ask('POST', '/users', credentials);
    expect(made.status, made.text).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      email: 'bob@example.com',
      role: 'owner',
      projects: [],
      created_at: expect.any(String),
    });
    expect((await ada.ask('GET', '/users')).body.data).toContainEqual(made.body);
    const bob = await signedIn(server, credentials);
    expect((await bob.ask('GET', '/projects')).status).toBe(200);
    expectDeleted(await client(server.url).delete(`/api/v1/users/${made.body.id}`));
    expectProblem(await bob.ask('GET', '/projects'), 401, 'Not signed in');
    expectProblem(await signIn(server, credentials), 401, 'Invalid e-mail address or password');
  });

  it('cannot remove themselves', async () => {
    const { body } = await ada.ask('GET', '/session');
    expectProblem(await ada.ask('DELETE', `/users/${body.user.id}`), 409, 'You cannot delete yourself');
    expect((await ada.ask('GET', '/session')).status).toBe(200);
  });

  it('leave one behind, no matter who deletes', async () => {
    const { api_key } = await makeAccount(server, 'starter');
    const api = client(server.url, api_key);
    const password = 'a long password';
    const ids: string[] = [];
    for (const email of ['first@account.test', 'second@account.test']) {
      ids.push((await api.post('/api/v1/users', { email, password })).body.id);
    }
    const answers = await Promise.all(ids.map((id) => api.delete(`/api/v1/users/${id}`)));
    const [refused] = answers.filter(({ status }) => status !== 204);
    if (!refused) throw new Error('Both were deleted');
    expectProblem(refused, 409, 'The last user of an account cannot be deleted');
    expect((await api.get('/api/v1/users')).body.data).toHaveLength(1);
  });

  it('have an address that nobody else of the account has, in whatever case', async () => {
    const answer = await ada.ask('POST', '/users', { email: 'ADA@example.com', password: 'a long password' });
    expectProblem(answer, 409, 'A user with this e-mail address already exists');
  });

  it.each([
    ['nothing', {}],
    ['no e-mail address', { email: 'bob', password: 'a long password' }],
    ['two e-mail addresses', { email: 'a@example.com,b@example.com', password: 'a long password' }],
    ['a short password', { email: 'c@example.com', password: 'x'.repeat(9) }],
    ['a long password', { email: 'c@example.com', password: 'x'.repeat(129) }],
    ['a password that is too long in bytes', { email: 'c@example.com', password: 'ä'.repeat(65) }],
    ['somebody else’s account', { email: 'c@example.com', password: 'a long password', account_id: 'x' }],
  ])('are not made of %s', async (_, body) => {
    const answer = await ada.ask('POST', '/users', body);
    expect([answer.status, answer.body.error]).toEqual([400, 'Invalid request body']);
  });

  it.each([10, 128])('take a password of %i bytes', async (length) => {
    const credentials = { email: `bytes-${length}@example.com`, password: 'x'.repeat(length) };
    expect((await ada.ask('POST', '/users', credentials)).status).toBe(201);
    expect((await signIn(server, credentials)).status).toBe(200);
  });
});
