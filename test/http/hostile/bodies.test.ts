/** Bodies that lie, never end, or try to cost more than they are worth. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody, textPart } from '../../support/bodies.js';
import { type MadeForm, makeForm } from '../../support/client.js';
import { expectRefusal, expectUnharmed } from '../../support/harm.js';
import { kept, keptFiles, waitUntil } from '../../support/kept.js';
import { openRaw, requestHead } from '../../support/raw.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, postUrlencoded, type VisitorAnswer, visit } from '../../support/visitor.js';

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer();
  form = await makeForm(server.url);
});
afterEach(async () => {
  expect(await kept(server, form.formId)).toEqual({ submissions: 0, files: 0 });
  await expectUnharmed(server);
});
afterAll(() => server.dispose());

const sendAs = (
  type: string,
  body: string | Buffer,
  more: Record<string, string> = {},
): Promise<VisitorAnswer> =>
  visit(form.endpoint, { headers: { 'content-type': type, accept: 'application/json', ...more }, body });

const mebibyte = 1024 * 1024;

describe('JSON', () => {
  it.each([
    ['an open brace', '{'],
    ['a cut string', '{"a":"b'],
    ['a cut escape', '{"a":"\\u00'],
    ['a comma at the end', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{"a":1/* */}'],
    ['two values', '{"a":1}{"b":2}'],
    ['NaN', '{"a":NaN}'],
    ['a control character', '{"a":"\u0001"}'],
    ['closed too often', '{"a":1}}}}}}'],
    ['brackets that cross', '{"a":[1}]'],
    ['an array', '[{"a":1}]'],
    ['text', 'hello'],
    ['only blanks', ' \n\t '],
  ])('broken: %s', async (_what, text) => {
    const answer = await sendAs('application/json', text);
    expectRefusal(answer, [400]);
    expect(answer.body.error).toBe('Invalid content type');
  });

  it('bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xfe, 0xc0, 0xaf]),
      Buffer.from('"}'),
    ]);
    expectRefusal(await sendAs('application/json', bytes), [400]);
    expectRefusal(await sendAs('application/json', Buffer.from('{"a":1}', 'utf16le')), [400]);
  });

  it.each([
    ['deep arrays', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
    ['deep arrays, never closed', `{"a":${'['.repeat(1_000_000)}`],
    ['deep objects', '{"a":'.repeat(200_000)],
    ['many fields', `{${Array.from({ length: 60_000 }, (_, i) => `"f${i}":1`).join(',')}}`],
    ['one long name', `{"${'n'.repeat(900_000)}":1}`],
    ['colliding whitespace', `{${' '.repeat(1_000_000)}`],
    ['backslashes', `{"a":"${'\\'.repeat(1_000_001)}`],
    ['quotes', '"'.repeat(1_000_000)],
    ['colons', ':'.repeat(1_000_000)],
    ['many objects', `{"a":[${'{},'.repeat(340_000)}1]}`],
    ['many lists', `{"a":[${'[],'.repeat(50_000)}1]}`],
  ])('huge within the limit of bytes: %s', async (_what, text) => {
    const start = performance.now();
    expectRefusal(await sendAs('application/json', text), [400, 413]);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('many huge bodies at once', async () => {
    const text = `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
    const answers = await Promise.all(Array.from({ length: 40 }, () => sendAs('application/json', text)));
    for (const answer of answers) expectRefusal(answer, [413]);
  });

  it('a body without end', async () => {
    const connection = await openRaw(server.port);
    const head = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
    connection.write(requestHead('POST', `/f/${form.publicId}`, head));
    const chunk = `10000\r\n${'['.repeat(0x10000)}\r\n`;
    for (let i = 0; i < 200 && connection.answers().length === 0; i += 1) {
      connection.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const answer = await connection.answer();
    expectRefusal({ status: answer.status, text: answer.body }, [413]);
    await connection.closed;
  });
});

describe('URL-encoded', () => {
  const type = 'application/x-www-form-urlencoded';
  it.each([
    ['half a million empty pairs', 'a&'.repeat(500_000)],
    ['100,000 names', Array.from({ length: 100_000 }, (_, i) => `f${i}=`).join('&')],
    ['one long name', 'n'.repeat(1_000_000)],
    ['nested brackets', `a${'[b]'.repeat(300_000)}=1`],
  ])('%s', async (_what, text) => {
    expectRefusal(await sendAs(type, text), [400, 413]);
  });

  it('bytes that are no UTF-8', async () => {
    expectRefusal(await sendAs(type, Buffer.from([0x61, 0x3d, 0xff, 0xfe])), [400]);
  });

  it('more than a megabyte', async () => {
    expectRefusal(await postUrlencoded(form.endpoint, `a=${'x'.repeat(2 * mebibyte)}`), [413]);
  });
});

describe('multipart', () => {
  const whole = multipartBody('b', [
    textPart('a', '1'),
    filePart('f', 'f.bin', Buffer.alloc(300_000, 1), 'application/octet-stream'),
    textPart('z', '2'),
  ]);
  const type = 'multipart/form-data; boundary=b';

  it.each([
    ['nothing', 0],
    ['the first dash', 1],
    ['the first boundary', 5],
    ['the middle of a part header', 30],
    ['the middle of the file', 150_000],
    ['the last part', whole.length - 20],
    ['just before the last boundary’s dashes', whole.length - 4],
  ])('cut after %s', async (_what, length) => {
    expectRefusal(await sendAs(type, whole.subarray(0, length)), [400]);
  });

  it.each([71, 252, 253, 1_000, 10_000])('a boundary of %d bytes', async (length) => {
    const boundary = 'b'.repeat(length);
    const body = multipartBody(boundary, [textPart('a', '1')]);
    const answer = await sendAs(`multipart/form-data; boundary=${boundary}`, body);
    expectRefusal(answer, [400]);
    expect(answer.body.detail).toContain('boundary');
  });

  it.each(['""', '"\\"', '"a\tb"', '"a b "', '<script>', '"a\u00e9"'])(
    'the boundary %s',
    async (boundary) => {
      expectRefusal(await sendAs(`multipart/form-data; boundary=${boundary}`, whole), [400]);
    },
  );

  it.each([
    ['no disposition', '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--\r\n'],
    ['no header at all', '--b\r\n\r\nx\r\n--b--\r\n'],
    ['no name', '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n'],
    ['a file without a name', '--b\r\nContent-Disposition: form-data; filename="x"\r\n\r\nx\r\n--b--\r\n'],
    ['another disposition', '--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--b--\r\n'],
    ['an open quote', '--b\r\nContent-Disposition: form-data; name="a\r\n\r\nx\r\n--b--\r\n'],
    ['another boundary', '--c\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--c--\r\n'],
    ['JSON', '{"a":1}'],
    ['a header block of 100 kB', `--b\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\nx\r\n--b--\r\n`],
    ['1,000 headers in one part', `--b\r\n${'X-A: b\r\n'.repeat(1_000)}\r\nx\r\n--b--\r\n`],
    ['a header called __proto__', '--b\r\n__proto__: x\r\n\r\nx\r\n--b--\r\n'],
    ['a header called constructor', '--b\r\nconstructor: x\r\ntoString: y\r\n\r\nx\r\n--b--\r\n'],
    [
      'a name that is no UTF-8',
      Buffer.from('--b\r\nContent-Disposition: form-data; name="\xff"\r\n\r\nx\r\n--b--\r\n', 'latin1'),
    ],
  ])('malformed: %s', async (_what, body) => {
    expectRefusal(await sendAs(type, body), [400, 413]);
  });

  it('100,000 empty parts', async () => {
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
    expectRefusal(await sendAs(type, `${part.repeat(100_000)}--b--\r\n`), [413]);
  });

  it('clients that vanish in the middle of a file leave nothing', async () => {
    const head = multipartBody('b', [filePart('f', 'f.bin', '', 'application/octet-stream')]);
    const start = head.subarray(0, head.indexOf('\r\n\r\n') + 4);
    const connections = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const connection = await openRaw(server.port);
        const headers = [`Content-Type: ${type}`, 'Content-Length: 5000000'];
        connection.write(requestHead('POST', `/f/${form.publicId}`, headers));
        connection.write(Buffer.concat([start, Buffer.alloc(700_000, 1)]));
        return connection;
      }),
    );
    await waitUntil(async () => (await keptFiles(server)).length === connections.length);
    for (const [i, connection] of connections.entries()) {
      // Half of them disconnect, half claim to be done although they are not.
      if (i % 2 === 0) connection.vanish();
      else connection.finish();
    }
    await waitUntil(async () => (await keptFiles(server)).length === 0);
  });

  it('a client that vanishes between the files leaves none of them', async () => {
    const file = filePart('f', 'f.bin', Buffer.alloc(100_000, 1), 'application/octet-stream');
    const body = multipartBody('b', [file, file, file]);
    const connection = await openRaw(server.port);
    const headers = [`Content-Type: ${type}`, `Content-Length: ${body.length + 1_000_000}`];
    connection.write(requestHead('POST', `/f/${form.publicId}`, headers));
    connection.write(body.subarray(0, body.length - 20));
    await waitUntil(async () => (await keptFiles(server)).length >= 2);
    connection.vanish();
    await waitUntil(async () => (await keptFiles(server)).length === 0);
  });
});

describe('a refusal', () => {
  it('is read by a client that is still sending', async () => {
    const inactive = await makeForm(server.url, { form: { is_active: false } });
    const huge = (bytes: number) => [filePart('f', 'f.bin', Buffer.alloc(bytes, 1))];
    for (let i = 0; i < 5; i += 1) {
      expect((await postMultipart(inactive.endpoint, huge(15 * mebibyte))).status).toBe(403);
      expect((await postMultipart(form.endpoint, huge(30 * mebibyte))).status).toBe(413);
      const text = `{"a":"${'x'.repeat(5 * mebibyte)}"}`;
      expect((await postJson(form.endpoint, text, { 'transfer-encoding': 'chunked' })).status).toBe(413);
    }
  });
});

describe('compressed bodies', () => {
  it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, identity', 'GZIP', 'x-gzip'])(
    '%s is refused',
    async (coding) => {
      const body = gzipSync(Buffer.from('{"a":1}'));
      const answer = await sendAs('application/json', body, { 'content-encoding': coding });
      expectRefusal(answer, [400]);
      expect(answer.body).toMatchObject({
        error: 'Invalid content type',
        detail: expect.stringContaining('Encoding'),
      });
    },
  );

  it('a bomb is not inflated', async () => {
    const body = gzipSync(Buffer.alloc(200 * mebibyte, 0x20));
    expectRefusal(await sendAs('application/json', body, { 'content-encoding': 'gzip' }), [400]);
    expectRefusal(await sendAs('application/json', body), [400]);
  });

  it('`identity` is no compression', async () => {
    const own = await makeForm(server.url);
    const answer = await postJson(own.endpoint, { a: 1 }, { 'content-encoding': 'identity' });
    expect(answer.status).toBe(200);
  });
});
