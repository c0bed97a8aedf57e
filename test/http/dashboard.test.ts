/** How the dashboard is served: one page for every path, under a strict policy; files with immutable names. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';
import { visit } from '../support/visitor.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

const get = (path: string, headers: Record<string, string> = {}) =>
  visit(`${server.url}${path}`, { method: 'GET', headers });
const built = readFileSync(new URL('../../dist/web/index.html', import.meta.url), 'utf8');
const scriptName = /assets\/(index-[\w-]+\.js)/.exec(built)?.[1] ?? 'missing';

describe('the page', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/forms/some-id/settings', '/dashboard/setup?x=1'])(
    'answers at %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('<div id="root">');
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      });
    },
  );

  it('lets in its own scripts alone, and styles by a word that is new each time', async () => {
    const seen = new Set<string>();
    for (let visitIndex = 0; visitIndex < 2; visitIndex += 1) {
      const { headers, text } = await get('/dashboard');
      const policy = String(headers['content-security-policy']);
      const nonce = /name="inlet-style-nonce" content="([^"]+)"/.exec(text)?.[1] ?? '';
      expect(nonce).toMatch(/^[\w-]{22}$/);
      expect(Object.fromEntries(policy.split('; ').map((part) => part.split(/ (.*)/).slice(0, 2)))).toEqual({
        'default-src': "'self'",
        'script-src': "'self'",
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': "'self' data:",
        'font-src': "'self'",
        'connect-src': "'self'",
        'object-src': "'none'",
        'base-uri': "'none'",
        'frame-ancestors': "'none'",
        'form-action': "'self'",
      });
      seen.add(nonce);
    }
    expect(seen.size).toBe(2);
  });

  it('sets no cookie and is no part of the interface', async () => {
    expect((await get('/dashboard')).headers).not.toHaveProperty('set-cookie');
    const { body } = await get('/openapi.json');
    expect(Object.keys(body.paths).filter((path) => path.includes('dashboard'))).toEqual([]);
  });
});

describe('its files', () => {
  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ])('come to who accepts %s as %s', async (accepted, coding) => {
    const answer = await fetch(`${server.url}/dashboard/assets/${scriptName}`, {
      headers: { 'accept-encoding': accepted },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-encoding') ?? undefined).toBe(coding);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    expect(await answer.text()).toBe(
      readFileSync(new URL(`../../dist/web/assets/${scriptName}`, import.meta.url), 'utf8'),
    );
  });

  // Responding with the page in place of a missing script would break a window that is open during an update.
  it.each(['index-00000000.js', '..%2findex.html', '%2e%2e%2f%2e%2e%2fbundle%2fmain.js', 'x.map', 'a/b.js'])(
    'are only those that were built, not %s',
    async (name) => {
      const answer = await get(`/dashboard/assets/${name}`);
      expect([answer.status, answer.body]).toEqual([404, { error: 'Not found', code: 'path_not_found' }]);
    },
  );
});

describe('below a path of BASE_URL', () => {
  let below: RunningServer;
  beforeAll(async () => {
    below = await startServer({ env: { BASE_URL: 'https://example.com/forms' } });
  });
  afterAll(() => below.dispose());

  it('asks for its files and tells its place there', async () => {
    const { text } = await visit(`${below.url}/dashboard/projects`, { method: 'GET' });
    expect(text).toContain('name="inlet-base" content="/forms/dashboard"');
    expect(text).toContain(`src="/forms/dashboard/assets/${scriptName}"`);
    expect(text).not.toContain('="./');
  });
});
