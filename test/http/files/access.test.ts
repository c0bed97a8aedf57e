/** Who may read a file, and with what: interface 4.2, 5.2 and 7, decisions 7. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm, request } from '../../support/client.js';
import { expectFaults, expectProblem, unknownId } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { onePixelPng, submitFiles } from '../../support/upload.js';

const content = 'The content, byte for byte: \u0000 ü 🎉\r\n';
const denied = 'Access denied to this file';

let server: RunningServer;
let api: Client;
let nobody: Client;
let outsiderKey: string;
let id: string;
let otherId: string;
let token: string;

beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  nobody = client(server.url, null);
  const form = await makeForm(server.url);
  const { body } = await submitFiles(form.endpoint, [
    { field: 'a', filename: 'Zoë "CV".txt', type: 'text/plain', content },
    { field: 'b', filename: 'b.png', type: 'image/png', content: onePixelPng },
  ]);
  [id, otherId] = body.files.map((file: { id: string }) => file.id);
  token = new URL((await api.get(`/api/v1/files/${id}`)).body.download_url).searchParams.get('token') ?? '';
  outsiderKey = (await makeAccount(server, 'enterprise', 'Outsider')).api_key;
});
afterAll(() => server.dispose());

describe('the download', () => {
  it('redirects with 302 to a signed URL that needs no further credential', async () => {
    const answer = await api.get(`/api/v1/files/${id}/download`);
    expect(answer.status).toBe(302);
    const location = answer.headers.get('location') ?? '';
    expect(new URL(location).origin).toBe(server.url);
    const bytes = await fetch(location);
    expect(bytes.status).toBe(200);
    expect(await bytes.text()).toBe(content);
  });

  it('works for a client that follows redirects, by key and by token', async () => {
    const byKey = await fetch(`${server.url}/api/v1/files/${otherId}/download`, {
      headers: { authorization: 'Bearer test-key-0123456789abcdef' },
    });
    expect(new Uint8Array(await byKey.arrayBuffer())).toEqual(onePixelPng);
    const { download_url: url } = (await api.get(`/api/v1/files/${id}`)).body;
    expect(await (await fetch(url)).text()).toBe(content);
  });

  it('hands the content out as a download that no browser runs', async () => {
    const { headers } = await fetch(`${server.url}/api/v1/files/${id}/download?token=${token}`);
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('content-disposition')).toContain("filename*=UTF-8''Zo%C3%AB%20%22CV%22.txt");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/\bsandbox\b/);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(content)));
  });

  it.each([
    ['HTML', 'x.html', 'text/html', '<script>alert(1)</script>'],
    [
      'SVG',
      'x.svg',
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    ],
    ['JavaScript', 'x.js', 'text/javascript', 'alert(1)'],
    ['XML', 'x.xml', 'application/xml', '<?xml version="1.0"?><x/>'],
  ])('names no type under which %s would run', async (_, filename, type, text) => {
    const form = await makeForm(server.url);
    const { body } = await submitFiles(form.endpoint, [{ field: 'f', filename, type, content: text }]);
    const { download_url: url } = (await api.get(`/api/v1/files/${body.files[0].id}`)).body;
    const { headers } = await fetch(url);
    expect(headers.get('content-type')).not.toMatch(/html|svg|xml|script/);
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  it('gives the signed URL another token than download_url has', async () => {
    const location = (await api.get(`/api/v1/files/${id}/download`)).headers.get('location') ?? '';
    const short = new URL(location).searchParams.get('token') ?? '';
    expectProblem(await nobody.get(`/api/v1/files/${id}?token=${short}`), 403, denied);
    expectProblem(await nobody.get(`/api/v1/files/${id}/download?token=${short}`), 403, denied);
    const content = await request(location.replace(short, token));
    expectProblem(content, 403, denied);
  });

  it('does not hand out content of another file by changing the signed URL', async () => {
    const location = (await api.get(`/api/v1/files/${id}/download`)).headers.get('location') ?? '';
    expectProblem(await request(location.replace(id, otherId)), 403, denied);
    expectProblem(await request(location.replace(/token=.*/, 'token=x')), 403, denied);
  });
});

describe.each(['', '/download'])('GET /api/v1/files/{id}%s', (leg) => {
  const path = (of = id) => `/api/v1/files/${of}${leg}`;
  const good = leg === '' ? 200 : 302;

  it('takes the key', async () => {
    expect((await api.get(path())).status).toBe(good);
  });

  it('takes the token, as often as it is shown', async () => {
    for (let shown = 0; shown < 3; shown += 1)
      expect((await nobody.get(`${path()}?token=${token}`)).status).toBe(good);
  });

  it('takes a read-only key', async () => {
    const { api_key: key } = (await api.post('/api/v1/api-keys', { name: 'R', scope: 'read' })).body;
    expect((await client(server.url, key).get(path())).status).toBe(good);
  });

  it('returns 401 to no credential, whether the file exists or not', async () => {
    for (const of of [id, unknownId, 'no-uuid'])
      expectProblem(await nobody.get(path(of)), 401, 'Invalid API key');
  });

  it('returns 401 to a wrong key', async () => {
    expectProblem(await client(server.url, 'wrong-wrong-wrong-wrong').get(path()), 401, 'Invalid API key');
  });

  it("returns 403 to another account's key", async () => {
    expectProblem(await client(server.url, outsiderKey).get(path()), 403, denied);
  });

  it('returns 404 for an unknown file', async () => {
    expectProblem(await api.get(path(unknownId)), 404, 'File not found');
  });

  it.each([
    ['nonsense', () => 'nonsense'],
    ['an empty one', () => ''],
    ['a shortened one', () => token.slice(0, -1)],
    [
      'one with a letter changed',
      () => `${token.slice(0, -5)}${token.at(-5) === 'A' ? 'B' : 'A'}${token.slice(-4)}`,
    ],
    ['one with more behind it', () => `${token}A`],
    ['one with a later expiry', () => token.replace(/^\w+/, 'zzzzzzzzz')],
    ['a very long one', () => 'a'.repeat(5000)],
  ])('answers 403 to a wrong token: %s', async (_, wrong) => {
    expectProblem(await nobody.get(`${path()}?token=${encodeURIComponent(wrong())}`), 403, denied);
  });

  it('refuses a token that is given twice', async () => {
    for (const who of [nobody, api])
      expectFaults(await who.get(`${path()}?token=${token}&token=${token}`), ['token']);
  });

  it("returns 403 to another file's token", async () => {
    expectProblem(await nobody.get(`${path(otherId)}?token=${token}`), 403, denied);
  });

  it('returns 403 to a token for a file that does not exist', async () => {
    expectProblem(await nobody.get(`${path(unknownId)}?token=${token}`), 403, denied);
  });

  it('does not take a token as a bearer', async () => {
    expectProblem(await client(server.url, token).get(path()), 401, 'Invalid API key');
  });
});

describe('a token', () => {
  it('opens nothing but reading its file', async () => {
    expectProblem(
      await request(`${server.url}/api/v1/files/${id}?token=${token}`, { method: 'DELETE' }),
      401,
      'Invalid API key',
    );
    for (const path of ['/api/v1/projects', '/api/v1/account', '/api/v1/api-keys']) {
      expectProblem(await nobody.get(`${path}?token=${token}`), 401, 'Invalid API key');
    }
    expect((await api.get(`/api/v1/files/${id}`)).status).toBe(200);
  });

  it('ends after FILE_TOKEN_TTL, and does not open the files of another installation', async () => {
    const brief = await startServer({ env: { FILE_TOKEN_TTL: '1s' } });
    const form = await makeForm(brief.url);
    const { body } = await submitFiles(form.endpoint, [
      { field: 'a', filename: 'a.txt', type: 'text/plain', content: 'x' },
    ]);
    const own = client(brief.url);
    const { download_url: url } = (await own.get(`/api/v1/files/${body.files[0].id}`)).body;
    const foreign = url.replace(/token=.*/, `token=${token}`);
    expectProblem(await request(foreign), 403, denied);
    await expect.poll(async () => (await request(url)).status, { interval: 100 }).toBe(403);
    expectProblem(await request(url), 403, denied);
    const { download_url: fresh } = (await own.get(`/api/v1/files/${body.files[0].id}`)).body;
    expect(fresh).not.toBe(url);
    await brief.dispose();
  });
});
