/** How the browser script is served: to every page, compressed, and only when the browser does not have it yet. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';
import { visit } from '../support/visitor.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.dispose());

describe.each(['inlet.js', 'inlet-solver.js', 'inlet-embed.js'])('/%s', (name) => {
  const text = readFileSync(new URL(`../../dist/client/${name}`, import.meta.url), 'utf8');
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    visit(`${server.url}/${name}`, { method, headers });

  it('is for every page', async () => {
    const answer = await ask();
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, GZIP;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['brotli', undefined],
  ])('to who accepts %s comes as %s', async (accepted, coding) => {
    const answer = await fetch(`${server.url}/${name}`, { headers: { 'accept-encoding': accepted } });
    expect(answer.headers.get('content-encoding') ?? undefined).toBe(coding);
    expect(await answer.text()).toBe(text);
  });

  it('is not sent to who has it', async () => {
    const { headers } = await ask();
    const again = await ask({ 'if-none-match': `"other", ${headers.etag}` });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('responds to HEAD', async () => {
    const answer = await ask({}, 'HEAD');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  it('is no part of the interface', async () => {
    const { body } = await visit(`${server.url}/openapi.json`, { method: 'GET' });
    expect(Object.keys(body.paths)).not.toContain(`/${name}`);
  });
});
