/** Signing in with an identity provider: a real one, and one that lies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeAccount, makeAccount } from '../../support/accounts.js';
import { inlet } from '../../support/cli.js';
import { type Client, client } from '../../support/client.js';
import { startTimeServer } from '../../support/clock.js';
import { expectFaults, expectProblem } from '../../support/contract.js';
import {
  admin,
  cookieIn,
  cookieName,
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
import {
  clientId,
  clientSecret,
  type LyingProvider,
  type RealProvider,
  startLyingProvider,
  startRealProvider,
  travel,
} from '../../support/identity-provider.js';
import { rawRequest } from '../../support/raw-http.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { tokenIn } from '../../support/sign-in.js';

let server: RunningServer;
let real: RealProvider;
let lying: LyingProvider;
let nonce = '';
const api = () => client(server.url);
const key = { authorization: `Bearer ${apiKey}` };

beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, TRUST_PROXY: 'loopback' } });
  real = await startRealProvider();
  lying = await startLyingProvider(() => nonce);
});
afterAll(async () => {
  await server.dispose();
  await real.close();
  await lying.close();
});

const settings = (more: object = {}) => ({
  name: 'Acme',
  issuer: real.issuer,
  client_id: clientId,
  client_secret: clientSecret,
  ...more,
});
async function made(more: object = {}) {
  const { status, body, text } = await api().post('/api/v1/identity-providers', settings(more));
  expect(status, text).toBe(201);
  if (body.issuer === real.issuer) real.allow(body.callback_url);
  return body;
}
const startOf = ({ id }: { id: string }) => `${server.url}/api/v1/session/providers/${id}`;
const failed = (code: string) => `/dashboard/?sign_in_failed=${code}`;
const whoIs = async (cookies: ReadonlyMap<string, string>) =>
  (await person(server.url, cookies.get(cookieName) ?? '').ask('GET', '/session')).body;
const usersOf = async () => (await api().get('/api/v1/users')).body.data;

describe('the providers of an account', () => {
  it('are made, changed and deleted, and never show their secret', async () => {
    const provider = await made({ domains: ['Acme.example'] });
    expect(provider).toEqual({
      id: provider.id,
      name: 'Acme',
      issuer: real.issuer,
      client_id: clientId,
      domains: ['acme.example'],
      is_required: false,
      is_listed: true,
      creates_users: true,
      role_claim: null,
      roles: {},
      default_role: 'viewer',
      callback_url: `${server.url}/api/v1/session/providers/${provider.id}/callback`,
      created_at: provider.created_at,
      updated_at: provider.created_at,
    });
    const path = `/api/v1/identity-providers/${provider.id}`;
    expect((await api().get(path)).body).toEqual(provider);
    const changed = await api().patch(path, { name: ' Acme Inc. ', client_secret: 'another' });
    expect(changed.body).toEqual({ ...provider, name: 'Acme Inc.', updated_at: changed.body.updated_at });
    const list = await api().get('/api/v1/identity-providers');
    expect(list.body).toEqual({ data: [changed.body] });
    expect(list.text).not.toContain('another');
    expect((await api().post(`${path}/test`)).body).toEqual({ ok: true, error: null });
    expect((await api().delete(path)).status).toBe(204);
    expectProblem(await api().get(path), 404, 'Identity provider not found');
    expectProblem(await api().delete(path), 404, 'Identity provider not found');
    expectProblem(await api().patch(path, {}), 404, 'Identity provider not found');
  });

  it('say what is wrong with them', async () => {
    const refused = (more: object) => api().post('/api/v1/identity-providers', settings(more));
    expectFaults(await refused({ issuer: 'http://169.254.169.254/' }), ['issuer']);
    expectFaults(await refused({ issuer: 'ftp://acme.example' }), ['issuer']);
    expectFaults(await refused({ is_required: true }), ['is_required']);
    expectFaults(await refused({ domains: ['acme.example', 'acme%'] }), ['domains.1']);
    expectFaults(await refused({ roles: { admins: 'king' } }), ['roles.admins']);
    const nobody = await made({ issuer: 'http://127.0.0.1:1/' });
    const tested = await api().post(`/api/v1/identity-providers/${nobody.id}/test`);
    expect(tested.body).toEqual({ ok: false, error: expect.stringContaining('127.0.0.1:1') });
    expect((await travel(startOf(nobody), 'x')).location).toBe(failed('provider_unavailable'));
    await api().delete(`/api/v1/identity-providers/${nobody.id}`);
  });

  it('are offered on the sign-in page if they are listed, or by the domain of an address', async () => {
    const listed = await made({ name: 'Listed' });
    const other = await made({ name: 'By domain', is_listed: false, domains: ['acme.example'] });
    const offered = async (query: string) =>
      (await send(server.url, 'GET', `/session/providers${query}`)).body.data.map(
        ({ name }: { name: string }) => name,
      );
    expect(await offered('')).toEqual(['Listed']);
    expect(await offered('?email=eve@Acme.example')).toEqual(['Listed', 'By domain']);
    expect(await offered('?email=eve@sub.acme.example')).toEqual(['Listed']);
    expect(await offered('?email=%25')).toEqual(['Listed']);
    for (const { id } of [listed, other]) await api().delete(`/api/v1/identity-providers/${id}`);
  });
});

describe('a sign-in with a real provider', () => {
  it('makes a user at the first one, and finds them at the next', async () => {
    const provider = await made({ default_role: 'editor' });
    real.people.grace = { email: 'Grace@Acme.example', email_verified: true };
    const landed = await travel(`${startOf(provider)}?return_to=/inbox`, 'grace');
    expect(landed.location).toBe('/dashboard/inbox');
    // Values that no header accepts would otherwise fail only on the way back.
    for (const place of ['//evil.example%0d%0ax:y', '/%E6%97%A5', 'https://evil.example', '/%20'])
      expectFaults(await send(server.url, 'GET', `/session/providers/${provider.id}?return_to=${place}`), [
        'return_to',
      ]);
    for (const place of ['//evil.example', '/%5c%5cevil.example', '/@evil.example'])
      expect((await travel(`${startOf(provider)}?return_to=${place}`, 'grace')).location).toMatch(
        /^\/dashboard/,
      );
    for (const place of ['/../../f/form', '/%2e%2e/f/form', '/..//evil.example', '/inbox/../../docs/'])
      expect(
        (await travel(`${startOf(provider)}?return_to=${encodeURIComponent(place)}`, 'grace')).location,
      ).toBe('/dashboard/');
    const session = await whoIs(landed.cookies);
    expect(session.user.email).toBe('grace@acme.example');
    expect(landed.cookies.has('inlet_absence')).toBe(false);
    const before = (await usersOf()).length;
    expect((await whoIs((await travel(startOf(provider), 'grace')).cookies)).user.id).toBe(session.user.id);
    expect((await usersOf()).length).toBe(before);
    expectProblem(
      await signIn(server, { email: 'grace@acme.example', password: '' + 'a long password' }),
      401,
      'Invalid e-mail address or password',
    );
    real.rotateKeys();
    expect((await travel(startOf(provider), 'grace')).location).toBe('/dashboard/');
    // Deleting the provider ends the sessions that began with it.
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
    expect(
      (await person(server.url, landed.cookies.get(cookieName) ?? '').ask('GET', '/session')).status,
    ).toBe(401);
  });

  it('links a user who is there, who keeps the password', async () => {
    const provider = await made({ creates_users: false, domains: ['example.com'] });
    // Not marked as verified, but of a domain that the owner has named.
    real.people.ada = { email: admin.email };
    const { cookies } = await travel(startOf(provider), 'ada');
    expect((await whoIs(cookies)).user.email).toBe(admin.email);
    expect((await signIn(server)).status).toBe(200);
    real.people.eve = { email: 'eve@example.com', email_verified: true };
    expect((await travel(startOf(provider), 'eve')).location).toBe(failed('not_a_user'));
    real.people.mallory = { email: 'mallory@evil.example', email_verified: true };
    expect((await travel(startOf(provider), 'mallory')).location).toBe(failed('address_not_accepted'));
    real.people.nobody = {};
    expect((await travel(startOf(provider), 'nobody')).location).toBe(failed('address_not_accepted'));
    expect((await travel(startOf(provider), '')).location).toBe(failed('cancelled'));
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('takes the role from a claim at each sign-in', async () => {
    const roles = { staff: 'viewer', admins: 'editor' };
    const provider = await made({ role_claim: 'groups', roles, default_role: null });
    const roleOf = async (groups: unknown) => {
      real.people.linus = { email: 'linus@acme.example', email_verified: true, groups };
      const { location } = await travel(startOf(provider), 'linus');
      const user = (await usersOf()).find(({ email }: { email: string }) => email === 'linus@acme.example');
      return [location, user?.role];
    };
    expect(await roleOf([])).toEqual([failed('no_role'), undefined]);
    expect(await roleOf(['staff', 'admins'])).toEqual(['/dashboard/', 'editor']);
    expect(await roleOf('staff')).toEqual(['/dashboard/', 'viewer']);
    expect(await roleOf(['__proto__', 'constructor'])).toEqual([failed('no_role'), 'viewer']);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('of the same address is the same user, with whichever provider of the account', async () => {
    const [first, second] = [await made(), await made({ name: 'The other one' })];
    real.people.twice = { email: 'twice@acme.example', email_verified: true };
    const [one, other] = [await travel(startOf(first), 'twice'), await travel(startOf(second), 'twice')];
    expect((await whoIs(other.cookies)).user.id).toBe((await whoIs(one.cookies)).user.id);
    // Each deletion ends only the sessions that began with that provider.
    await api().delete(`/api/v1/identity-providers/${first.id}`);
    expect((await whoIs(one.cookies)).user).toBeUndefined();
    expect((await whoIs(other.cookies)).user.email).toBe('twice@acme.example');
    await api().delete(`/api/v1/identity-providers/${second.id}`);
  });

  it('is the only way for addresses of a domain that requires it, except for owners', async () => {
    const staff = { email: 'staff@example.com', password: 'a long password', role: 'editor' };
    expect((await api().post('/api/v1/users', staff)).status).toBe(201);
    const provider = await made({ domains: ['example.com'], is_required: true });
    expectProblem(
      await signIn(server, { email: staff.email, password: staff.password }),
      403,
      'Sign in with single sign-on',
    );
    expectProblem(
      await signIn(server, { email: staff.email, password: 'a wrong password' }),
      401,
      'Invalid e-mail address or password',
    );
    expect((await signIn(server)).status).toBe(200);
    // Nor is an invitation a way around it.
    const guest = { email: 'guest@example.com', role: 'viewer' };
    const { accept_url } = (await api().post('/api/v1/users/invitations', guest)).body;
    const token = new URL(accept_url).hash.slice('#token='.length);
    const accepted = await send(
      server.url,
      'POST',
      '/session/invitation',
      {},
      { token, password: staff.password },
    );
    expectProblem(accepted, 403, 'Sign in with single sign-on');
    expect((await usersOf()).some(({ email }: { email: string }) => email === guest.email)).toBe(false);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
    expect((await signIn(server, { email: staff.email, password: staff.password })).status).toBe(200);
  });

  it('counts once, in the browser that began it', async () => {
    const provider = await made();
    real.people.once = { email: 'once@acme.example', email_verified: true };
    const began = await fetch(startOf(provider), { redirect: 'manual' });
    const cookie = began.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    expect(began.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax/);
    const away = began.headers.get('location') ?? '';
    // A round trip in another browser. Its state and code belong to that browser, not to this cookie.
    const { callback } = await travel(startOf(provider), 'once');
    const come = async (url: string, headers: Record<string, string> = {}) =>
      (await fetch(url, { redirect: 'manual', headers })).headers.get('location');
    const home = `${server.url}${failed('expired')}`;
    expect(await come(callback)).toBe(home);
    const state = new URL(away).searchParams.get('state') ?? '';
    const code = new URL(callback).searchParams.get('code') ?? '';
    const forged = `${startOf(provider)}/callback?code=${code}&state=${state}`;
    // The code was used: the provider refuses it.
    expect(await come(forged, { cookie })).toBe(`${server.url}${failed('provider_invalid')}`);
    // The state has been used, too.
    expect(await come(forged, { cookie })).toBe(home);
    expect(await come(`${startOf(provider)}/callback?code=x&state=y`, { cookie: `${cookie}x` })).toBe(home);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('begins on our own pages: another site signs nobody in as somebody else', async () => {
    const provider = await made();
    const away = async (headers: Record<string, string>) => {
      const path = `/api/v1/session/providers/${provider.id}?return_to=/inbox`;
      const found = await rawRequest(server.port, path, { method: 'GET', headers: Object.entries(headers) });
      const location = found.headers.get('location') ?? '';
      return new URL(location).origin === real.issuer ? 'to the provider' : location;
    };
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}])
      expect(await away(headers), JSON.stringify(headers)).toBe('to the provider');
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
      { origin: 'https://evil.example' },
    ])
      expect(await away(headers), JSON.stringify(headers)).toBe(`${server.url}/dashboard/inbox`);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('is not finished with another provider than the one that it began with', async () => {
    const [asked, other] = [await made(), await made({ name: 'The other one' })];
    const began = await fetch(startOf(asked), { redirect: 'manual' });
    const cookie = began.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const state = new URL(began.headers.get('location') ?? '').searchParams.get('state');
    const back = (to: { id: string }) =>
      fetch(`${startOf(to)}/callback?code=x&state=${state}`, { redirect: 'manual', headers: { cookie } });
    expect((await back(other)).headers.get('location')).toBe(`${server.url}${failed('expired')}`);
    // The state is still valid for its own provider; the code is not.
    expect((await back(asked)).headers.get('location')).toBe(`${server.url}${failed('provider_invalid')}`);
    for (const { id } of [asked, other]) await api().delete(`/api/v1/identity-providers/${id}`);
  });

  it('ends at the provider too, and nobody else is sent there', async () => {
    const [provider, other] = [await made(), await made({ name: 'The other one' })];
    const out = async (from: { id: string }, cookie = '') => {
      const answer = await fetch(`${startOf(from)}/sign-out`, { redirect: 'manual', headers: { cookie } });
      return answer.headers.get('location') ?? '';
    };
    const partingOf = async (who: Person) => {
      const { headers } = await who.ask('DELETE', '/session');
      return headers.getSetCookie().find((line) => line.startsWith('inlet_parting='));
    };
    expect(await out(provider)).toBe(`${server.url}/dashboard/`);
    expect(await partingOf(await signedIn(server))).toBeUndefined();
    real.people.parted = { email: 'parted@acme.example', email_verified: true };
    const { cookies } = await travel(startOf(provider), 'parted');
    const parted = person(server.url, cookies.get(cookieName) ?? '');
    expect((await parted.ask('GET', '/session')).body.sign_out_url).toBe(`${startOf(provider)}/sign-out`);
    const parting = await partingOf(parted);
    expect(parting).toMatch(/; Max-Age=300; .*HttpOnly/);
    expect(await out(other, parting)).toBe(`${server.url}/dashboard/`);
    const url = new URL(await out(provider, parting));
    expect(url.origin).toBe(real.issuer);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${server.url}/dashboard/`);
    for (const { id } of [provider, other]) await api().delete(`/api/v1/identity-providers/${id}`);
  });
});

describe('a provider that lies', () => {
  const tried = async (provider: { id: string }, lie: LyingProvider['lie']): Promise<string> => {
    lying.lie = lie;
    const from = { 'x-forwarded-for': nextAddress() };
    const began = await fetch(startOf(provider), { redirect: 'manual', headers: from });
    const cookie = began.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const away = new URL(began.headers.get('location') ?? '').searchParams;
    nonce = away.get('nonce') ?? '';
    const back = `${startOf(provider)}/callback?code=x&state=${away.get('state')}`;
    const { headers } = await fetch(back, { redirect: 'manual', headers: { cookie, ...from } });
    return (headers.get('location') ?? '').slice(server.url.length);
  };
  const invalid = failed('provider_invalid');

  it.each<[string, LyingProvider['lie']]>([
    ['no signature', { algorithm: 'none' }],
    ['the public key as a shared secret', { algorithm: 'HS256' }],
    ['a key that it does not publish', { withOtherKey: true }],
    ['another issuer', { claims: { iss: 'https://accounts.example' } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['another nonce', { claims: { nonce: 'seen before' } }],
    ['a token that expired', { claims: { exp: Math.floor(Date.now() / 1000) - 120 } }],
    ['a token from the future', { claims: { nbf: Math.floor(Date.now() / 1000) + 600 } }],
  ])('signs nobody in with %s', async (_name, lie) => {
    const provider = await made({ issuer: lying.issuer });
    const users = await usersOf();
    expect(await tried(provider, lie)).toBe(invalid);
    expect(await usersOf()).toEqual(users);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it.each([
    ['somebody else', 'ada'],
    ['nobody', undefined],
  ])('signs nobody in with what it says of %s when it is asked for more', async (_whom, sub) => {
    const provider = await made({ issuer: lying.issuer, domains: ['example.com'] });
    const userinfo = { sub, email: admin.email };
    expect(await tried(provider, { claims: { email: undefined }, userinfo })).toBe(invalid);
    const honest = { sub: 'liar', email: admin.email };
    expect(await tried(provider, { claims: { email: undefined }, userinfo: honest })).toBe('/dashboard/');
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('sends the server to no inside address, and does not speak for another issuer', async () => {
    const provider = await made({ issuer: lying.issuer });
    const inside = 'http://169.254.169.254/latest/meta-data/';
    expect(await tried(provider, { metadata: { token_endpoint: inside } })).toBe(
      failed('provider_unavailable'),
    );
    // By the guard, and not because nothing listens there.
    await expect.poll(server.output).toMatch(/"detail":"The URL was refused[^"]*".*single sign-on failed/);
    lying.lie = { metadata: { issuer: 'https://accounts.example' } };
    const began = await fetch(startOf(provider), { redirect: 'manual' });
    expect(began.headers.get('location')).toBe(`${server.url}${invalid}`);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('is believed within a minute of difference between clocks', async () => {
    const provider = await made({ issuer: lying.issuer });
    const now = Math.floor(Date.now() / 1000);
    expect(await tried(provider, { claims: { iat: now + 30, exp: now - 20 } })).toBe('/dashboard/');
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('has no say about addresses that it has not verified, or in another account', async () => {
    const provider = await made({ issuer: lying.issuer });
    expect(await tried(provider, { claims: { sub: 'a', email_verified: false } })).toBe(
      failed('address_not_accepted'),
    );
    expect(await tried(provider, { claims: { sub: 'b', email_verified: undefined } })).toBe(
      failed('address_not_accepted'),
    );
    for (const email of [
      'x'.repeat(300),
      'a\u0000@acme.example',
      'a@acme\u0000.example',
      'Ada <ada@acme.example>',
      7,
    ])
      expect(await tried(provider, { claims: { sub: 'c', email } })).toBe(failed('address_not_accepted'));
    for (const sub of ['x'.repeat(256), 'x'.repeat(400_000), 'a\u0000b', 'ü'])
      expect(await tried(provider, { claims: { sub } })).toBe(invalid);
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('that hangs is reported, and keeps nobody else out, nor owners of a domain that requires it', async () => {
    const required = { domains: ['example.com'], is_required: true };
    const provider = await made({ issuer: lying.issuer, ...required });
    lying.lie = {};
    const began = await fetch(startOf(provider), { redirect: 'manual' });
    const cookie = began.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const state = new URL(began.headers.get('location') ?? '').searchParams.get('state');
    lying.isHanging = true;
    const hanging = [
      fetch(startOf(provider), { redirect: 'manual' }),
      fetch(`${startOf(provider)}/callback?code=x&state=${state}`, {
        redirect: 'manual',
        headers: { cookie },
      }),
    ];
    expect((await signIn(server)).status).toBe(200);
    for (const { headers } of await Promise.all(hanging))
      expect(headers.get('location')).toBe(`${server.url}${failed('provider_unavailable')}`);
    lying.isHanging = false;
    await api().delete(`/api/v1/identity-providers/${provider.id}`);
  });

  it('costs who comes too often 429', async () => {
    const { id } = await made({ issuer: lying.issuer });
    const headers = { 'x-forwarded-for': '203.0.113.99' };
    const come = (way = '/callback') => send(server.url, 'GET', `/session/providers/${id}${way}`, headers);
    const statuses: number[] = [];
    for (let i = 0; i < 122; i += 1) statuses.push((await come()).status);
    expect([...new Set(statuses.slice(0, 120))], 'before').toEqual([302]);
    expect([...new Set(statuses.slice(120))], 'after').toEqual([429]);
    // Each of them contacts the provider.
    for (const way of ['', '/sign-out']) expect((await come(way)).status).toBe(429);
    await api().delete(`/api/v1/identity-providers/${id}`);
  });
});

it('who takes longer than ten minutes at the provider begins again', async () => {
  const later = await startTimeServer(11 * 60_000, { env: withAdmin });
  try {
    const { body: provider } = await client(later.url).post('/api/v1/identity-providers', settings());
    real.allow(provider.callback_url);
    const start = `${later.url}/api/v1/session/providers/${provider.id}`;
    const began = await fetch(start, { redirect: 'manual' });
    const cookie = began.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
    const to = new URL(began.headers.get('location') ?? '');
    expect(to.origin).toBe(real.issuer);
    await later.step();
    const back = `${start}/callback?code=x&state=${to.searchParams.get('state')}`;
    const { headers } = await fetch(back, { redirect: 'manual', headers: { cookie } });
    expect(headers.get('location')).toBe(`${later.url}${failed('expired')}`);
  } finally {
    await later.dispose();
  }
});

it('an unknown provider is not found', async () => {
  const id = '01900000-0000-7000-8000-000000000000';
  const path = `/session/providers/${id}`;
  for (const way of ['', '/sign-out'])
    expectProblem(await send(server.url, 'GET', path + way, key), 404, 'Identity provider not found');
  const back = await send(server.url, 'GET', `${path}/callback`, key);
  expect(back.headers.get('location')).toBe(`${server.url}${failed('expired')}`);
});

it('beside other accounts, a provider is offered by domain only', async () => {
  const mine = await made({ name: 'Mine', domains: ['acme.example'] });
  const offered = async (query = '') =>
    (await send(server.url, 'GET', `/session/providers${query}`)).body.data.map(
      ({ id }: { id: string }) => id,
    );
  expect(await offered()).toEqual([mine.id]);
  expect((await inlet(['accounts', 'create', '--name', 'Another'], { dataDir: server.dataDir })).code).toBe(
    0,
  );
  expect(await offered()).toEqual([]);
  expect(await offered('?email=eve@acme.example')).toEqual([mine.id]);
});

it('vouches for nobody in an account that they joined later', async () => {
  const { api_key: other } = await makeAccount(server, 'pro', 'Joined');
  const somebody = await madePerson(server, apiKey);
  const provider = await made({ creates_users: false });
  real.people.joining = { email: somebody.email, email_verified: true };
  const before = await travel(startOf(provider), 'joining');
  expect((await whoIs(before.cookies)).user.email).toBe(somebody.email);
  const me = await signedIn(server, somebody);
  const invited = await client(server.url, other).post('/api/v1/users/invitations', {
    ...{ email: somebody.email, role: 'owner' },
  });
  const token = new URL(invited.body.accept_url).hash.slice('#token='.length);
  const headers = { cookie: me.cookie, ...sameOrigin };
  const accepted = await send(server.url, 'POST', '/session/invitation', headers, { token });
  expect(accepted.body.account.name).toBe('Joined');
  const there = person(server.url, cookieIn(accepted) ?? '');
  const sessionsOf = async (who: Person) => (await who.ask('GET', '/session/list')).body.data?.length;
  // The session from before would otherwise see and end the sessions there.
  const old = person(server.url, before.cookies.get(cookieName) ?? '');
  expect((await old.ask('DELETE', '/session/list')).status).toBe(401);
  const after = await travel(startOf(provider), 'joining');
  const own = person(server.url, after.cookies.get(cookieName) ?? '');
  expect((await own.ask('GET', '/session')).body.account.name).toBe('Default');
  expect((await own.ask('DELETE', '/session/list')).status).toBe(204);
  expect(await sessionsOf(there)).toBe(1);
  await api().delete(`/api/v1/identity-providers/${provider.id}`);
});

it('a claim takes the role of an owner, unless there is no other: nobody could correct a wrong claim', async () => {
  const account = await makeAccount(server, 'pro', 'With roles of a claim');
  const own = client(server.url, account.api_key);
  const roles = { staff: 'viewer', admins: 'owner' };
  const { body: provider } = await own.post('/api/v1/identity-providers', {
    ...settings({ role_claim: 'groups', roles, default_role: null }),
  });
  real.allow(provider.callback_url);
  const come = async (name: string, groups: readonly string[]) => {
    real.people[name] = { email: `${name}@roles.example`, email_verified: true, groups };
    expect((await travel(startOf(provider), name)).location).toBe('/dashboard/');
    const users: { email: string; role: string }[] = (await own.get('/api/v1/users')).body.data;
    return users.find(({ email }) => email === `${name}@roles.example`)?.role;
  };
  expect(await come('first', ['admins'])).toBe('owner');
  expect(await come('first', ['staff'])).toBe('owner');
  expect(await come('second', ['admins'])).toBe('owner');
  expect(await come('first', ['staff'])).toBe('viewer');
  expect(await come('second', ['staff'])).toBe('owner');
  await own.delete(`/api/v1/identity-providers/${provider.id}`);
});

describe('a sign-in by somebody with users in several accounts', () => {
  let theirs: MadeAccount;
  let own: Client;
  let provider: { id: string; callback_url: string };
  beforeAll(async () => {
    theirs = await makeAccount(server, 'pro', 'With a provider');
    own = client(server.url, theirs.api_key);
    provider = (await own.post('/api/v1/identity-providers', settings({ domains: ['acme.example'] }))).body;
    real.allow(provider.callback_url);
  });

  const join = async (email: string, by: Client, cookie: string) => {
    const { body } = await by.post('/api/v1/users/invitations', { email, role: 'viewer' });
    const token = tokenIn(body.accept_url, 'accept-invitation');
    return send(server.url, 'POST', '/session/invitation', { cookie, ...sameOrigin }, { token });
  };
  const accountsOf = async (who: Person): Promise<readonly string[]> =>
    (await who.ask('GET', '/session')).body.accounts.map(({ name }: { name: string }) => name);
  const comes = async (email: string): Promise<Person> => {
    real.people[email] = { email, email_verified: true };
    const { cookies } = await travel(startOf(provider), email);
    return person(server.url, cookies.get(cookieName) ?? '');
  };

  it('parts the user of the account of the provider from the others', async () => {
    const victim = { email: 'victim@acme.example', password: 'a long password' };
    expect((await api().post('/api/v1/users', victim)).status).toBe(201);
    const joined = await join(victim.email, own, (await signedIn(server, victim)).cookie);
    expect(joined.status).toBe(201);
    const inside = await comes(victim.email);
    expect((await inside.ask('GET', '/session')).body.user?.id).toBe(joined.body.user.id);
    expect(await accountsOf(inside)).toEqual(['With a provider']);
    expect(await accountsOf(await signedIn(server, victim))).toEqual(['Default']);
  });

  it('opens no account that the same login has joined with its password', async () => {
    const member = { email: 'member@acme.example', password: 'a long password' };
    expect((await own.post('/api/v1/users', member)).status).toBe(201);
    await comes(member.email);
    const other = await makeAccount(server, 'pro', 'Without a provider');
    const byOther = client(server.url, other.api_key);
    const joined = await join(member.email, byOther, (await signedIn(server, member)).cookie);
    expect(joined.status).toBe(201);
    const inside = await comes(member.email);
    expect(await accountsOf(inside)).toEqual(['With a provider']);
    const switched = await inside.ask('POST', '/session/switch', { account_id: other.id });
    expectProblem(switched, 404, 'Account not found');
    // Nor does it accept an invitation on behalf of the login.
    const third = client(server.url, (await makeAccount(server, 'pro', 'A third one')).api_key);
    expectFaults(await join(member.email, third, inside.cookie), ['password']);
  });
});
