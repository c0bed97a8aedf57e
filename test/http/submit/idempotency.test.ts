/** Idempotency-Key: the same key and body return the first result for a day; one key never makes two submissions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import { kept, keptFiles } from '../../support/kept.js';
import { openRaw, requestHead } from '../../support/raw.js';
import { postJson, postMultipart, postUrlencoded } from '../../support/visitor.js';

const json = { accept: 'application/json' };
const dayMs = 24 * 60 * 60_000;
const usedOtherwise = {
  error: 'Idempotency-Key was already used with a different body',
  code: 'idempotency_key_reused',
};

let server: TimeServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startTimeServer(dayMs + 60_000);
  form = await makeForm(server.url);
});
afterAll(() => server.dispose());

let keys = 0;
const newKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};
const withKey = (key: string) => ({ ...json, 'idempotency-key': key });

describe('the same key and body', () => {
  it('answer the first result, and store once', async () => {
    const before = await kept(server, form.formId);
    const key = newKey();
    const first = await postJson(form.endpoint, { a: 1 }, withKey(key));
    const second = await postJson(form.endpoint, { a: 1 }, withKey(key));
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await kept(server, form.formId)).submissions).toBe(before.submissions + 1);
  });

  it('hold for URL-encoded bodies and for the redirect', async () => {
    const headers = { 'idempotency-key': newKey() };
    const first = await postUrlencoded(form.endpoint, 'a=1&b=2', headers);
    const second = await postUrlencoded(form.endpoint, 'a=1&b=2', headers);
    expect([first.status, second.status]).toEqual([303, 303]);
    expect(second.headers.location).toBe(first.headers.location);
  });

  it('are the same with another boundary, files included, and no second file is kept', async () => {
    const parts = [
      textPart('a', '1'),
      filePart('cv', 'cv.txt', 'my life', 'text/plain'),
      filePart('photo', 'me.bin', Buffer.alloc(300_000, 1), 'application/octet-stream'),
    ];
    const key = newKey();
    const first = await postMultipart(form.endpoint, parts, withKey(key), 'first-boundary');
    expect(first.body.files).toHaveLength(2);
    const files = await keptFiles(server);
    const second = await postMultipart(form.endpoint, parts, withKey(key), 'quite-another-boundary');
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await keptFiles(server)).toSorted()).toEqual(files.toSorted());
    const file = await client(server.url).get(`/api/v1/files/${second.body.files[0].id}`);
    expect(file.status).toBe(200);
  });

  it('are the same whatever chunks the body came in', async () => {
    const key = newKey();
    const first = await postJson(form.endpoint, '{"a":"chunked"}', withKey(key));
    const connection = await openRaw(server.port);
    const head = ['Content-Type: application/json', 'Transfer-Encoding: chunked', `Idempotency-Key: ${key}`];
    connection.write(requestHead('POST', `/f/${form.publicId}`, head));
    for (const piece of ['{"a":', '"chun', 'ked"}'])
      connection.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    connection.write('0\r\n\r\n');
    const second = await connection.answer();
    connection.vanish();
    expect(JSON.parse(second.body)).toEqual(first.body);
  });
});

describe('the same key with another body', () => {
  it('is a conflict and stores nothing', async () => {
    const key = newKey();
    const first = await postJson(form.endpoint, { a: 1 }, withKey(key));
    const before = await kept(server, form.formId);
    for (const body of ['{"a":2}', '{"a":1,"b":1}', '{}']) {
      const answer = await postJson(form.endpoint, body, withKey(key));
      expect([answer.status, answer.body]).toEqual([409, usedOtherwise]);
    }
    expect(await kept(server, form.formId)).toEqual(before);
    expect((await postJson(form.endpoint, { a: 1 }, withKey(key))).body).toEqual(first.body);
  });

  it.each([
    ['other content', filePart('cv', 'cv.txt', 'another life', 'text/plain')],
    ['another file name', filePart('cv', 'other.txt', 'my life', 'text/plain')],
    ['another field', filePart('letter', 'cv.txt', 'my life', 'text/plain')],
    ['no file', textPart('b', '2')],
  ])('is a conflict when a file has %s, and the new file is gone', async (_what, part) => {
    const key = newKey();
    const original = filePart('cv', 'cv.txt', 'my life', 'text/plain');
    expect((await postMultipart(form.endpoint, [original], withKey(key))).status).toBe(200);
    const files = await keptFiles(server);
    const answer = await postMultipart(form.endpoint, [part], withKey(key));
    expect([answer.status, answer.body]).toEqual([409, usedOtherwise]);
    expect((await keptFiles(server)).toSorted()).toEqual(files.toSorted());
  });
});

describe('a key', () => {
  it('belongs to one form', async () => {
    const other = await makeForm(server.url);
    const key = newKey();
    const first = await postJson(form.endpoint, { a: 1 }, withKey(key));
    const second = await postJson(other.endpoint, { a: 2 }, withKey(key));
    expect(second.status).toBe(200);
    expect(second.body.submission_id).not.toBe(first.body.submission_id);
  });

  it('is case-sensitive', async () => {
    const first = await postJson(form.endpoint, { a: 1 }, withKey('Same-Key'));
    const second = await postJson(form.endpoint, { a: 1 }, withKey('same-key'));
    expect(second.body.submission_id).not.toBe(first.body.submission_id);
  });

  it('makes exactly one submission, however many requests come at once', async () => {
    const own = await makeForm(server.url);
    const before = await keptFiles(server);
    const key = newKey();
    const parts = [textPart('a', '1'), filePart('f', 'f.txt', 'x'.repeat(5_000), 'text/plain')];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => postMultipart(own.endpoint, parts, withKey(key), `boundary-${i}`)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect((await kept(server, own.formId)).submissions).toBe(1);
    expect((await keptFiles(server)).length).toBe(before.length + 1);
  });

  it('makes exactly one submission of many different bodies at once; the others are conflicts', async () => {
    const own = await makeForm(server.url);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => postJson(own.endpoint, { i }, withKey(key))),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    expect((await kept(server, own.formId)).submissions).toBe(1);
  });

  it.each([
    ['empty', ''],
    ['with a blank', 'a b'],
    ['longer than 255', 'x'.repeat(256)],
    ['beyond ASCII', 'schl\u00fcssel'],
  ])('that is %s is refused', async (_what, key) => {
    const answer = await postJson(form.endpoint, { a: 1 }, { 'idempotency-key': key });
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error: 'Invalid content type',
        code: 'invalid_idempotency_key',
        detail: expect.stringContaining('1 to 255 printable ASCII characters'),
      },
    ]);
  });

  it('of 255 characters is taken', async () => {
    expect((await postJson(form.endpoint, { a: 1 }, withKey('k'.repeat(255)))).status).toBe(200);
  });

  it('is not spent on a request that was refused', async () => {
    const key = newKey();
    expect((await postJson(form.endpoint, '{', withKey(key))).status).toBe(400);
    expect((await postJson(form.endpoint, { a: 1 }, withKey(key))).status).toBe(200);
  });

  it('is free again after a day', async () => {
    const key = newKey();
    const first = await postJson(form.endpoint, { a: 1 }, withKey(key));
    await server.step();
    const later = await postJson(form.endpoint, { a: 2 }, withKey(key));
    expect(later.status).toBe(200);
    expect(later.body.submission_id).not.toBe(first.body.submission_id);
    expect((await postJson(form.endpoint, { a: 2 }, withKey(key))).body).toEqual(later.body);
  });
});
