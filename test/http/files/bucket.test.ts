/** Files in a bucket: where downloads lead, and what happens to submissions while the bucket is unavailable. Decisions 7. */
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, request, submitJson } from '../../support/client.js';
import { expectDeleted } from '../../support/contract.js';
import { type FaultyLink, openFaultyLink } from '../../support/faulty-link.js';
import { contentUrl, fetchBytes, type SentFile, sendFile } from '../../support/files.js';
import { picture } from '../../support/pictures.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { bucketSettings, type ObjectStore, startObjectStore } from '../../support/services/object-store.js';
import { submitFiles } from '../../support/upload.js';

let objects: ObjectStore;
let link: FaultyLink;
let server: RunningServer;
let api: Client;
const bytes = Uint8Array.from(randomBytes(300_000));

beforeAll(async () => {
  objects = await startObjectStore();
  link = await openFaultyLink(objects.port);
  const through = { ...objects, endpoint: link.url };
  server = await startServer({ env: bucketSettings(through, await objects.newBucket()) });
  api = client(server.url);
});
afterAll(async () => {
  await server?.dispose();
  await link?.close();
  await objects?.dispose();
});

const locationOf = async (file: SentFile, query = ''): Promise<string> =>
  (await api.get(`${file.path}/download${query}`)).headers.get('location') ?? '';

const slowDownBody =
  '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>';
const slowDown = [
  'HTTP/1.1 503 Slow Down',
  'Content-Type: application/xml',
  `Content-Length: ${slowDownBody.length}`,
  'Connection: close',
  '',
  slowDownBody,
].join('\r\n');

describe('a download', () => {
  it('leads to the bucket, for a few minutes, under the name and type of the file', async () => {
    const file = await sendFile(server.url, { filename: 'Zoë "CV".txt', content: 'a line' });
    const url = new URL(await contentUrl(file));
    expect(url.origin).toBe(link.url);
    expect(Number(url.searchParams.get('X-Amz-Expires'))).toBe(300);
    const answer = await fetchBytes(url.href);
    expect(answer.status).toBe(200);
    expect(answer.bytes.toString()).toBe('a line');
    expect(answer.headers['content-type']).toBe('text/plain');
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="Zo_ _CV_.txt"; filename*=UTF-8''Zo%C3%AB%20%22CV%22.txt`,
    );
    expect(answer.headers['cache-control']).toBe('private, no-store');
  });

  it.each([
    [
      'picture.svg',
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    ],
    ['page.html', 'text/html', '<script>alert(1)</script>'],
  ])('of %s is octets to keep, never a page', async (filename, type, content) => {
    const file = await sendFile(server.url, { filename, type, content });
    const url = await contentUrl(file);
    const { headers } = await fetchBytes(url);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-disposition']).toMatch(/^attachment; /);
    const shown = await fetchBytes(url.replace('attachment', 'inline'));
    expect(shown.status).toBe(403);
  });

  it('gives ranges and all bytes of a large file', async () => {
    const large = Uint8Array.from(randomBytes(9 * 1024 * 1024));
    const file = await sendFile(server.url, { content: large, type: 'application/x-thing' });
    const url = await contentUrl(file);
    expect((await fetchBytes(url)).bytes.equals(large)).toBe(true);
    const part = await fetchBytes(url, { range: 'bytes=-10' });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(large.subarray(-10))).toBe(true);
  });

  it('ends with its file', async () => {
    const file = await sendFile(server.url, { content: bytes });
    const url = await contentUrl(file);
    expect((await fetchBytes(url)).status).toBe(200);
    expectDeleted(await api.delete(file.path));
    expect((await fetchBytes(url)).status).toBe(404);
    expect((await api.get(`${file.path}/download`)).status).toBe(410);
  });

  it('by HEAD stays with us: a link is signed for GET', async () => {
    const file = await sendFile(server.url, { content: bytes });
    const { headers } = await fetchBytes(file.downloadUrl, {}, 'HEAD');
    const location = String(headers.location);
    expect(location).toContain(`${server.url}${file.path}/content?token=`);
    expect(Number((await fetchBytes(location, {}, 'HEAD')).headers['content-length'])).toBe(bytes.length);
    expect((await fetchBytes(location)).bytes.equals(bytes)).toBe(true);
  });

  it('of a picture is ours while it is new, and leads to the bucket once it is kept', async () => {
    const file = await sendFile(server.url, {
      filename: 'photo.png',
      type: 'image/png',
      content: await picture('png', 400, 300),
    });
    const query = '?w=40&h=30&f=webp';
    const first = await locationOf(file, query);
    expect(first).toContain(`${server.url}${file.path}/content?token=`);
    await expect.poll(() => locationOf(file, query)).toContain(link.url);
    const answer = await fetchBytes(await locationOf(file, query));
    expect(answer.headers['content-type']).toBe('image/webp');
    expect(answer.headers['content-disposition']).toContain('photo.webp');
    expect(await sharp(answer.bytes).metadata()).toMatchObject({ format: 'webp', width: 40, height: 30 });
    expect((await fetchBytes(first)).bytes.equals(answer.bytes)).toBe(true);
    // The original was copied here for reading, and the copy is deleted.
    expect(await readdir(join(server.dataDir, 'files', 'lent'))).toEqual([]);
  });

  it('may be shown by the dashboard', async () => {
    const page = await fetchBytes(`${server.url}/dashboard`);
    expect(page.headers['content-security-policy']).toContain(`img-src 'self' data: ${link.url};`);
  });
});

it('a link never outlives the token that it was asked for with', async () => {
  const short = await startServer({
    env: { ...bucketSettings(objects, await objects.newBucket()), FILE_TOKEN_TTL: '100 s' },
  });
  try {
    const file = await sendFile(short.url, { content: bytes });
    const byToken = new URL(await contentUrl(file));
    expect(Number(byToken.searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(100);
    const answer = await client(short.url).get(`${file.path}/download`);
    const byKey = new URL(answer.headers.get('location') ?? '');
    expect(Number(byKey.searchParams.get('X-Amz-Expires'))).toBe(300);
  } finally {
    await short.dispose();
  }
});

it('with links=off all bytes go through us', async () => {
  const apart = await startServer({ env: bucketSettings(objects, await objects.newBucket(), '&links=off') });
  try {
    const file = await sendFile(apart.url, { content: bytes });
    const url = await contentUrl(file);
    expect(url).toContain(`${apart.url}${file.path}/content?token=`);
    const part = await fetchBytes(url, { range: 'bytes=100-199' });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(bytes.subarray(100, 200))).toBe(true);
    const page = await fetchBytes(`${apart.url}/dashboard`);
    expect(page.headers['content-security-policy']).toContain("img-src 'self' data:;");
  } finally {
    await apart.dispose();
  }
});

describe('while the bucket is unavailable', () => {
  let form: MadeForm;
  let earlier: SentFile;
  const upload = () =>
    submitFiles(form.endpoint, [
      { field: 'upload', filename: 'a.bin', type: 'application/x-thing', content: bytes },
    ]);
  const stored = async (): Promise<number> =>
    (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data.length;
  const ready = async (): Promise<string> => (await request(`${server.url}/readyz`)).body.checks.storage;

  beforeAll(async () => {
    form = await makeForm(server.url);
    earlier = await sendFile(server.url, { content: bytes });
  });

  it.each([
    ['down', { kind: 'down' }],
    ['silent', { kind: 'silent' }],
    ['late by half a minute', { kind: 'late', byMs: 30_000 }],
    ['asking everybody to slow down', { kind: 'answer', text: slowDown }],
    ['cut off at nine tenths', { kind: 'reset', afterBytes: 270_000 }],
    ['damaging what it gets', { kind: 'damage', everyBytes: 100_000 }],
  ] as const)(
    '%s, files are refused and not stored, text is taken, and all goes on afterwards',
    async (_, fault) => {
      const before = await stored();
      link.become(fault);
      const begun = performance.now();
      const refused = await upload();
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(performance.now() - begun).toBeLessThan(20_000);
      const text = await submitJson(form.endpoint, { name: 'Ada' });
      expect(text.status).toBe(200);
      expect(await stored()).toBe(before + 1);

      link.become({ kind: 'none' });
      await expect.poll(async () => (await upload()).status).toBe(200);
      expect(await stored()).toBe(before + 2);
    },
  );

  it('downloads are 503, not absent, and the service says that it is not ready', async () => {
    await expect.poll(ready).toBe('ok');
    const { headers } = await fetchBytes(earlier.downloadUrl, {}, 'HEAD');
    link.become({ kind: 'down' });
    expect((await api.get(`${earlier.path}/download`)).status).toBe(503);
    const content = await fetchBytes(String(headers.location));
    expect(content.status).toBe(503);
    expect(content.headers['retry-after']).toBe('5');
    await expect.poll(ready).not.toBe('ok');
    link.become({ kind: 'none' });
    await expect.poll(ready).toBe('ok');
    expect((await fetchBytes(await contentUrl(earlier))).bytes.equals(bytes)).toBe(true);
  });

  it('the service starts, and serves files once it is back', async () => {
    link.become({ kind: 'down' });
    const through = { ...objects, endpoint: link.url };
    const late = await startServer({ env: bucketSettings(through, await objects.newBucket()) });
    try {
      link.become({ kind: 'none' });
      const file = await sendFile(late.url, { content: bytes });
      expect((await fetchBytes(await contentUrl(file))).bytes.equals(bytes)).toBe(true);
    } finally {
      await late.dispose();
    }
  });

  it('the log names the bucket in few lines, and no key', () => {
    const log = server.output();
    expect(log).toContain('BlobsUnavailable');
    expect(log).not.toContain(objects.secretAccessKey);
    expect(log).not.toContain('X-Amz-Signature');
    expect(log).not.toContain('NodeVersionSupportWarning');
  });
});
