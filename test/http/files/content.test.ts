/** The bytes of a file: how they are served, in parts and on conditions, and to whom not. Decisions 7. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, request } from '../../support/client.js';
import { startTimeServer } from '../../support/clock.js';
import { expectDeleted, expectFaults, expectProblem, unknownId } from '../../support/contract.js';
import { contentUrl, fetchBytes, problemIn, type SentFile, sendFile, tokenIn } from '../../support/files.js';
import { type RunningServer, startServer } from '../../support/server.js';

const denied = 'Access denied to this file';
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const bytes = Uint8Array.from(randomBytes(1000));
const etag = `"${sha256(bytes)}"`;

let server: RunningServer;
let api: Client;
let nobody: Client;
let file: SentFile;
let url: string;
let lastModified: string;

beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  nobody = client(server.url, null);
  file = await sendFile(server.url, {
    filename: 'Zoë "CV" 100%.bin',
    type: 'application/x-thing',
    content: bytes,
  });
  url = await contentUrl(file);
  lastModified = String((await fetchBytes(url, {}, 'HEAD')).headers['last-modified']);
});
afterAll(() => server.dispose());

describe('the download', () => {
  it('redirects to BASE_URL, whatever Host the caller names, and nobody may keep the redirect', async () => {
    const answer = await fetchBytes(file.downloadUrl, { host: 'evil.example' });
    expect(answer.status).toBe(302);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers.location).toMatch(
      new RegExp(`^${server.url}/api/v1/files/${file.id}/content\\?token=[\\w.-]+$`),
    );
    expect(answer.bytes).toHaveLength(0);
  });

  it('responds to HEAD as to GET', async () => {
    const answer = await fetchBytes(file.downloadUrl, {}, 'HEAD');
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toContain(`/api/v1/files/${file.id}/content?token=`);
  });
});

describe('the content', () => {
  it('comes whole, with exactly these headers', async () => {
    const answer = await fetchBytes(url);
    const { date, connection, 'keep-alive': _, ...headers } = answer.headers;
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(bytes)).toBe(true);
    expect(headers).toEqual({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="Zo_ _CV_ 100_.bin"; filename*=UTF-8''Zo%C3%AB%20%22CV%22%20100%25.bin`,
      'content-length': '1000',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
      etag,
      'last-modified': lastModified,
      'x-request-id': expect.stringMatching(/^[\w.-]+$/),
    });
    const { uploaded_at: uploadedAt } = (await api.get(file.path)).body;
    expect(lastModified).toBe(new Date(uploadedAt).toUTCString());
  });

  it('responds to HEAD with the same headers and no bytes', async () => {
    const [head, get] = [await fetchBytes(url, {}, 'HEAD'), await fetchBytes(url)];
    expect(head.bytes).toHaveLength(0);
    const { date: one, 'x-request-id': oneId, ...headHeaders } = head.headers;
    const { date: other, 'x-request-id': otherId, ...getHeaders } = get.headers;
    expect({ status: head.status, ...headHeaders }).toEqual({ status: 200, ...getHeaders });
  });

  it('ignores a range in a HEAD', async () => {
    const answer = await fetchBytes(url, { range: 'bytes=0-1' }, 'HEAD');
    expect([answer.status, answer.headers['content-length']]).toEqual([200, '1000']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is only read: %s', async (method) => {
    expect([404, 405]).toContain((await fetchBytes(url, {}, method)).status);
    expect((await fetchBytes(url)).bytes.equals(bytes)).toBe(true);
  });

  describe('of an empty file', () => {
    let empty: string;
    beforeAll(async () => {
      empty = await contentUrl(await sendFile(server.url, { content: '' }));
    });

    it.each(['GET', 'HEAD'])('is nothing, and said to be nothing: %s', async (method) => {
      const answer = await fetchBytes(empty, {}, method);
      expect([answer.status, answer.headers['content-length'], answer.bytes.length]).toEqual([200, '0', 0]);
      expect(answer.headers.etag).toBe(`"${sha256(Buffer.alloc(0))}"`);
    });

    it.each(['bytes=0-', 'bytes=0-0', 'bytes=-1'])('has no range %s', async (range) => {
      const answer = await fetchBytes(empty, { range });
      expect(answer.headers['content-range']).toBe('bytes */0');
      expect(problemIn(answer)).toEqual({
        status: 416,
        error: 'The file has no such range',
        code: 'range_not_satisfiable',
        file_size_bytes: 0,
      });
    });
  });
});

describe('a range', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=999-999', 999, 999],
    ['bytes=500-', 500, 999],
    ['bytes=0-', 0, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-100', 900, 999],
    ['bytes=-1000', 0, 999],
    ['bytes=-99999999999999999999999999', 0, 999],
    ['bytes=900-99999999999999999999999999', 900, 999],
    ['bytes=000-0009', 0, 9],
    ['BYTES=1-2', 1, 2],
  ])('%s is given with 206', async (range, start, end) => {
    const answer = await fetchBytes(url, { range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end}/1000`);
    expect(answer.headers['content-length']).toBe(String(end - start + 1));
    expect(answer.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
    expect(answer.headers).toMatchObject({
      etag,
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-disposition': expect.stringMatching(/^attachment; /),
    });
  });

  it.each(['bytes=1000-', 'bytes=1000-1001', 'bytes=99999999999999999999999999-', 'bytes=-0'])(
    '%s lies outside: 416 with the size',
    async (range) => {
      const answer = await fetchBytes(url, { range });
      expect(answer.headers['content-range']).toBe('bytes */1000');
      expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
      expect(problemIn(answer)).toEqual({
        status: 416,
        error: 'The file has no such range',
        code: 'range_not_satisfiable',
        file_size_bytes: 1000,
      });
    },
  );

  it.each([
    ['several', 'bytes=0-1,5-6'],
    ['a thousand', `bytes=${Array.from({ length: 1000 }, () => '0-999').join(',')}`],
    ['three thousand', `bytes=${'0-0,'.repeat(3000)}0-0`],
    ['backwards', 'bytes=9-1'],
    ['backwards beyond all numbers', 'bytes=99999999999999999999-9999999999999999999'],
    ['of another unit', 'lines=0-1'],
    ['without unit', '0-1'],
    ['empty', 'bytes='],
    ['a dash', 'bytes=-'],
    ['words', 'bytes=a-b'],
    ['negative twice', 'bytes=-1-2'],
    ['with blanks', 'bytes= 0 - 1'],
    ['hexadecimal', 'bytes=0x0-0x1'],
    ['with a sign', 'bytes=+0-1'],
    ['a fraction', 'bytes=0.5-1'],
  ])('that is %s is answered with the whole file', async (_, range) => {
    const answer = await fetchBytes(url, { range });
    expect([answer.status, answer.headers['content-range']]).toEqual([200, undefined]);
    expect(answer.headers['content-length']).toBe('1000');
    expect(answer.bytes.equals(bytes)).toBe(true);
  });

  it('lets a broken download of 10 MiB go on until it is whole', async () => {
    const large = Uint8Array.from(randomBytes(10 * 1024 * 1024));
    const sent = await sendFile(server.url, { content: large });
    const wanted = sha256(large);
    const parts: Buffer[] = [];
    let have = 0;
    let tag = '';
    // Each download breaks off after about 3 MB. The next one continues where it ended, with its own link.
    while (have < large.length) {
      const stop = new AbortController();
      const response = await fetch(await contentUrl(sent), {
        signal: stop.signal,
        headers: have === 0 ? {} : { range: `bytes=${have}-`, 'if-range': tag },
      });
      expect(response.status).toBe(have === 0 ? 200 : 206);
      tag = response.headers.get('etag') ?? '';
      if (!response.body) throw new Error('no body');
      let leg = 0;
      for await (const piece of response.body) {
        parts.push(Buffer.from(piece));
        leg += piece.length;
        if (leg > 3_000_000) break;
      }
      stop.abort();
      have += leg;
    }
    expect(parts.length).toBeGreaterThan(3);
    expect(sha256(Buffer.concat(parts))).toBe(wanted);
  });
});

describe('a condition', () => {
  const dates = {
    same: () => lastModified,
    before: () => new Date(Date.parse(lastModified) - 1000).toUTCString(),
    after: () => new Date(Date.parse(lastModified) + 1000).toUTCString(),
  };
  const other = `"${'0'.repeat(64)}"`;

  it.each([
    ['If-None-Match with our tag', () => ({ 'if-none-match': etag }), 304],
    ['If-None-Match with our tag as a weak one', () => ({ 'if-none-match': `W/${etag}` }), 304],
    ['If-None-Match with our tag among others', () => ({ 'if-none-match': `${other}, ${etag}` }), 304],
    ['If-None-Match with everything', () => ({ 'if-none-match': '*' }), 304],
    ['If-None-Match with another tag', () => ({ 'if-none-match': other }), 200],
    ['If-None-Match without quotes', () => ({ 'if-none-match': etag.slice(1, -1) }), 200],
    ['If-None-Match with a range', () => ({ 'if-none-match': etag, range: 'bytes=0-1' }), 304],
    ['If-Modified-Since the same', () => ({ 'if-modified-since': dates.same() }), 304],
    ['If-Modified-Since later', () => ({ 'if-modified-since': dates.after() }), 304],
    ['If-Modified-Since earlier', () => ({ 'if-modified-since': dates.before() }), 200],
    ['If-Modified-Since some time', () => ({ 'if-modified-since': 'yesterday' }), 200],
    [
      'If-None-Match before If-Modified-Since',
      () => ({ 'if-none-match': other, 'if-modified-since': dates.same() }),
      200,
    ],
    ['If-Match with our tag', () => ({ 'if-match': etag }), 200],
    ['If-Match with everything', () => ({ 'if-match': '*' }), 200],
    ['If-Match with our tag and a range', () => ({ 'if-match': etag, range: 'bytes=0-1' }), 206],
    ['If-Match with another tag', () => ({ 'if-match': other }), 412],
    ['If-Match with our tag as a weak one', () => ({ 'if-match': `W/${etag}` }), 412],
    ['If-Unmodified-Since the same', () => ({ 'if-unmodified-since': dates.same() }), 200],
    ['If-Unmodified-Since earlier', () => ({ 'if-unmodified-since': dates.before() }), 412],
    [
      'If-Match before If-Unmodified-Since',
      () => ({ 'if-match': etag, 'if-unmodified-since': dates.before() }),
      200,
    ],
    ['If-Range with our tag', () => ({ 'if-range': etag, range: 'bytes=0-1' }), 206],
    ['If-Range with our date', () => ({ 'if-range': dates.same(), range: 'bytes=0-1' }), 206],
    ['If-Range with another tag', () => ({ 'if-range': other, range: 'bytes=0-1' }), 200],
    ['If-Range with our tag as a weak one', () => ({ 'if-range': `W/${etag}`, range: 'bytes=0-1' }), 200],
    ['If-Range with an earlier date', () => ({ 'if-range': dates.before(), range: 'bytes=0-1' }), 200],
    ['If-Range with a later date', () => ({ 'if-range': dates.after(), range: 'bytes=0-1' }), 200],
    ['If-Range without a range', () => ({ 'if-range': other }), 200],
    [
      'If-Range with another tag and a range outside',
      () => ({ 'if-range': other, range: 'bytes=5000-' }),
      200,
    ],
  ])('%s', async (_, headersFor, status) => {
    const headers = headersFor() as Record<string, string>;
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetchBytes(url, headers, method);
      expect(answer.status).toBe(method === 'HEAD' && status === 206 ? 200 : status);
      expect(answer.headers).toMatchObject({ etag, 'last-modified': lastModified });
      if (method === 'HEAD' || status === 304) expect(answer.bytes).toHaveLength(0);
      else if (status === 412) {
        expect(problemIn(answer)).toEqual({
          status: 412,
          error: 'The file is not the one you have',
          code: 'precondition_failed',
        });
      } else expect(answer.bytes.equals(bytes.subarray(0, status === 206 ? 2 : 1000))).toBe(true);
    }
  });

  it('opens nothing that a token does not', async () => {
    const forged = url.replace(/token=.*/, 'token=forged');
    expect((await fetchBytes(forged, { 'if-none-match': '*' })).status).toBe(403);
    expect((await fetchBytes(forged, { 'if-match': '"x"' })).status).toBe(403);
    expect((await fetchBytes(forged, { range: 'bytes=0-0' })).headers['content-range']).toBeUndefined();
  });
});

describe('what a browser could run', () => {
  const html = '<!doctype html><script>alert(1)</script>';
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  it.each([
    ['HTML', 'x.html', 'text/html', html],
    ['HTML with a character set', 'x.html', 'text/html; charset=utf-7', html],
    ['XHTML', 'x.xhtml', 'application/xhtml+xml', `<?xml version="1.0"?>${html}`],
    ['SVG', 'x.svg', 'image/svg+xml', svg],
    ['SVG with a prologue', 'x.svg', 'image/svg+xml', `<?xml version="1.0"?>${svg}`],
    ['JavaScript', 'x.js', 'text/javascript', 'alert(1)'],
    ['a module', 'x.mjs', 'application/javascript', 'alert(1)'],
    ['a style sheet', 'x.css', 'text/css', 'body{}'],
    ['HTML dressed as PNG', 'x.png', 'image/png', html],
    ['SVG dressed as PNG', 'x.png', 'image/png', svg],
    ['XML with a stylesheet', 'x.xml', 'text/xml', '<?xml version="1.0"?><?xml-stylesheet href="x"?><x/>'],
    ['a saved page', 'x.mht', 'multipart/related', html],
  ])('%s is octets to save', async (_, filename, type, content) => {
    const sent = await sendFile(server.url, { filename, type, content });
    const { headers } = await fetchBytes(await contentUrl(sent));
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; /),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('is no page in the text of a refusal either', async () => {
    const answer = await fetchBytes(
      `${server.url}/api/v1/files/<script>/content?token=<script>`.replaceAll('<', '%3C'),
    );
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    expect(answer.bytes.toString()).not.toContain('script');
  });
});

describe('GET /api/v1/files/{id}/content', () => {
  const path = (id: string, token: string): string => `/api/v1/files/${id}/content?token=${token}`;

  it('returns 401 to no token, also with a good key', async () => {
    for (const caller of [nobody, api]) {
      for (const id of [file.id, unknownId, 'no-uuid']) {
        expectProblem(await caller.get(`/api/v1/files/${id}/content`), 401, 'Invalid API key');
      }
    }
  });

  it.each([
    ['nonsense', () => 'nonsense'],
    ['an empty one', () => ''],
    ['a shortened one', () => tokenIn(url).slice(0, -1)],
    ['half of one', () => tokenIn(url).split('.', 1).join('')],
    ['one with more behind it', () => `${tokenIn(url)}A`],
    ['one with a later expiry', () => tokenIn(url).replace(/^\w+/, 'zzzzzzzzz')],
    ['one with its expiry spelt otherwise', () => `0${tokenIn(url)}`],
    ['one in capitals', () => tokenIn(url).toUpperCase()],
    ['the token of the download', () => file.token],
    ['a very long one', () => 'a'.repeat(5000)],
  ])('answers 403 to a wrong token: %s', async (_, wrong) => {
    expectProblem(await nobody.get(path(file.id, wrong())), 403, denied);
  });

  it('returns 403 to a token of another file, also of none', async () => {
    const neighbour = await sendFile(server.url, { content: 'of somebody else' });
    const foreign = tokenIn(await contentUrl(neighbour));
    expectProblem(await nobody.get(path(file.id, foreign)), 403, denied);
    expectProblem(await nobody.get(path(unknownId, foreign)), 403, denied);
    expectProblem(await nobody.get(path('..%2f..%2fetc', foreign)), 403, denied);
  });

  it('is the only leg that its token opens', async () => {
    const token = tokenIn(url);
    expectProblem(await nobody.get(`${file.path}?token=${token}`), 403, denied);
    expectProblem(await nobody.get(`${file.path}/download?token=${token}`), 403, denied);
  });

  it('does not open by the same token given twice', async () => {
    const token = tokenIn(url);
    expectFaults(await nobody.get(`${path(file.id, token)}&token=${token}`), ['token']);
  });

  it('refuses parameters that it does not know, rather than ignoring a typing mistake', async () => {
    expect((await nobody.get(`${path(file.id, tokenIn(url))}&width=5`)).status).toBe(400);
  });
});

it("is not for another account's key, on any leg", async () => {
  const outsider = client(server.url, (await makeAccount(server, 'enterprise', 'Outsider')).api_key);
  expectProblem(await outsider.get(file.path), 403, denied);
  expectProblem(await outsider.get(`${file.path}/download`), 403, denied);
  expectProblem(await outsider.get(`${file.path}/download?w=10`), 403, denied);
});

it('takes the key before the token: a good token does not help a wrong key', async () => {
  const wrong = client(server.url, 'wrong-wrong-wrong-wrong');
  expectProblem(await wrong.get(`${file.path}/download?token=${file.token}`), 401, 'Invalid API key');
});

it('is gone after a deletion, on every leg and with every token that was good', async () => {
  const doomed = await sendFile(server.url, { content: 'soon gone' });
  const content = await contentUrl(doomed);
  expect((await request(content)).status).toBe(200);
  expectDeleted(await api.delete(doomed.path));
  const gone = 'File has been deleted';
  expectProblem(await request(content), 410, gone);
  expectProblem(await request(content, { headers: { range: 'bytes=0-1' } }), 410, gone);
  expectProblem(await request(content, { headers: { 'if-none-match': '*' } }), 410, gone);
  for (const leg of ['', '/download', '/download?w=10']) {
    expectProblem(await api.get(`${doomed.path}${leg}`), 410, gone);
    const joint = leg.includes('?') ? '&' : '?';
    expectProblem(await nobody.get(`${doomed.path}${leg}${joint}token=${doomed.token}`), 410, gone);
    expectProblem(await nobody.get(`${doomed.path}${leg}${joint}token=forged`), 403, denied);
  }
});

describe('time', () => {
  it('ends the content link after a minute and the download link after FILE_TOKEN_TTL', async () => {
    const ticking = await startTimeServer(61_000, { env: { FILE_TOKEN_TTL: '100s' } });
    try {
      const sent = await sendFile(ticking.url, { content: 'for a while' });
      const content = await contentUrl(sent);
      expect((await request(content)).text).toBe('for a while');
      await ticking.step();
      expectProblem(await request(content), 403, denied);
      expect((await request(await contentUrl(sent))).text).toBe('for a while');
      await ticking.step();
      expectProblem(await request(sent.downloadUrl), 403, denied);
      expectProblem(await request(`${ticking.url}${sent.path}?token=${sent.token}`), 403, denied);
      expect((await client(ticking.url).get(`${sent.path}/download`)).status).toBe(302);
    } finally {
      await ticking.dispose();
    }
  });
});
