/** File names that climb, inject or deceive: stored as harmless names, and downloaded with one clean header. */
import { relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, type Part, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { expectUnharmed } from '../../support/harm.js';
import { getSubmission, keptFiles } from '../../support/kept.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { postMultipart, type VisitorAnswer, visit } from '../../support/visitor.js';

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer();
  form = await makeForm(server.url);
});
afterAll(async () => {
  await expectUnharmed(server);
  await server.dispose();
});

async function download(id: string): Promise<VisitorAnswer> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const leg = await visit(`${server.url}/api/v1/files/${id}/download`, { method: 'GET', headers });
  expect(leg.status).toBe(302);
  return visit(leg.headers.location ?? '', { method: 'GET' });
}

/** A part whose disposition is sent verbatim, escapes and errors included. */
const rawPart = (disposition: string): Part => ({
  headers: [`Content-Disposition: form-data; name="f"; ${disposition}`, 'Content-Type: text/plain'],
  content: 'content',
});

async function upload(part: Part): Promise<{ filename: string; answer: VisitorAnswer }> {
  const answer = await postMultipart(form.endpoint, [part], { accept: 'application/json' });
  expect(answer.status).toBe(200);
  const [{ id, filename }] = answer.body.files;
  const stored = await getSubmission(server, answer.body.submission_id);
  expect(stored.body.files[0].filename).toBe(filename);
  const metadata = await client(server.url).get(`/api/v1/files/${id}`);
  expect(metadata.body.original_filename).toBe(filename);
  return { filename, answer: await download(id) };
}

/** The exact name that a client of RFC 6266 would save. */
function savedAs({ headers }: VisitorAnswer): string {
  const disposition = String(headers['content-disposition']);
  const [, plain, encoded] =
    /^attachment; filename="([\x20-\x21\x23-\x5b\x5d-\x7e]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/.exec(
      disposition,
    ) ?? [];
  expect([disposition, plain]).not.toEqual([disposition, undefined]);
  expect(plain).not.toMatch(/[/\\]/);
  return decodeURIComponent(encoded ?? '');
}

const tooLong = `${'x'.repeat(300)}.pdf`;

describe('a file name', () => {
  it.each([
    ['climbing', filePart('f', '../../etc/passwd', 'content'), 'passwd'],
    ['climbing in the other system', filePart('f', '..\\..\\windows\\system.ini', 'content'), 'system.ini'],
    ['absolute', filePart('f', '/etc/shadow', 'content'), 'shadow'],
    ['a drive', rawPart('filename="C:\\fakepath\\cv.pdf"'), 'cv.pdf'],
    ['only dots', filePart('f', '..', 'content'), 'file'],
    ['only a slash', filePart('f', '../', 'content'), 'file'],
    ['line breaks', filePart('f', 'a\r\nSet-Cookie: x=1\r\n\r\n<html>.txt', 'content'), undefined],
    ['line breaks, encoded', rawPart("filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1.txt"), undefined],
    ['quotes', filePart('f', 'my "best" photo.png', 'content'), 'my "best" photo.png'],
    [
      'a quote that ends the parameter',
      filePart('f', 'a"; filename="b.exe', 'content'),
      'a"; filename="b.exe',
    ],
    ['NUL', filePart('f', 'cv.pdf\0.exe', 'content'), 'cv.pdf.exe'],
    ['control characters', filePart('f', 'a\u001b[31m\u0007b\u009f.txt', 'content'), 'a[31mb.txt'],
    ['a right-to-left override', filePart('f', 'invoice\u202egpj.exe', 'content'), 'invoicegpj.exe'],
    ['an isolate', filePart('f', 'a\u2067b\u2069.txt', 'content'), 'ab.txt'],
    ['emoji', filePart('f', 'party 🎉.png', 'content'), 'party 🎉.png'],
    ['other alphabets', filePart('f', 'résumé 履歴書.pdf', 'content'), 'résumé 履歴書.pdf'],
    [
      'an encoded name',
      rawPart('filename="x.txt"; filename*=UTF-8\'\'na%C3%AFve%20file.txt'),
      'naïve file.txt',
    ],
    ['percent signs', filePart('f', '100%25 %2e%2e%2fsafe.txt', 'content'), '100%25 %2e%2e%2fsafe.txt'],
    [
      'markup',
      filePart('f', '<img src=x onerror=alert(1)>.png', 'content'),
      '<img src=x onerror=alert(1)>.png',
    ],
    ['a reserved name', filePart('f', '__proto__', 'content'), '__proto__'],
    ['300 characters', filePart('f', tooLong, 'content'), `${'x'.repeat(251)}.pdf`],
    ['300 emoji', filePart('f', `${'🎉'.repeat(300)}.png`, 'content'), `${'🎉'.repeat(62)}.png`],
  ])('%s', async (_what, part, expected) => {
    const { filename, answer } = await upload(part);
    if (expected !== undefined) expect(filename).toBe(expected);
    expect(filename).not.toMatch(/[\p{Cc}/\\]/u);
    expect(Buffer.byteLength(filename)).toBeLessThanOrEqual(255);
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('content');
    expect(savedAs(answer)).toBe(filename);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['content-security-policy']).toContain('sandbox');
  });

  it('in bytes of an old encoding is no reason to lose the file', async () => {
    const body = Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="f"; filename="\xe9t\xe9.txt"\r\n\r\ncontent\r\n--b--\r\n',
      'latin1',
    );
    const headers = { 'content-type': 'multipart/form-data; boundary=b', accept: 'application/json' };
    const answer = await visit(form.endpoint, { headers, body });
    expect([answer.status, answer.body.files[0].filename]).toEqual([200, 'été.txt']);
  });

  it('never names anything on the disk', async () => {
    const files = await keptFiles(server);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(relative(server.dataDir, file)).toMatch(/^files\/[0-9a-z]{2}\/[0-9a-z-]{8,80}$/);
    }
  });

  it('and a type that browsers run are never served as what they claim', async () => {
    const page = '<!doctype html><script>alert(1)</script>';
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    for (const [name, type, content] of [
      ['a.html', 'text/html', page],
      ['a.svg', 'image/svg+xml', svg],
      ['a.xhtml', 'application/xhtml+xml', page],
      ['a.js', 'text/javascript', 'alert(1)'],
      ['a.png', 'image/png\r\nX-Injected: 1', page],
    ] as const) {
      const { answer } = await upload(filePart('f', name, content, type));
      expect(answer.headers['content-type']).not.toMatch(/html|svg|script|xml/);
      expect(answer.headers['content-disposition']).toMatch(/^attachment/);
      expect(answer.headers['x-injected']).toBeUndefined();
    }
  });
});

describe('a field name', () => {
  it.each(['__proto__', 'constructor', '../../x', 'a"b', '<script>', 'a\r\nb', '🎉'])(
    '%j is kept as data',
    async (name) => {
      const parts = [textPart(name, 'text'), filePart(name, 'f.txt', 'content', 'text/plain')];
      const answer = await postMultipart(form.endpoint, parts, { accept: 'application/json' });
      expect(answer.status).toBe(200);
      const stored = await getSubmission(server, answer.body.submission_id);
      expect(Object.entries(stored.body.data)).toEqual([[name, 'text']]);
      expect(stored.body.files[0].field).toBe(name);
    },
  );
});
