/** The limits of a body: at the limit it is accepted, one above it is rejected by name, and nothing is left behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, type Part, textPart } from '../../support/bodies.js';
import { type MadeForm, makeForm } from '../../support/client.js';
import { kept } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, postUrlencoded, type VisitorAnswer, visit } from '../../support/visitor.js';

const json = { accept: 'application/json' };
const chunked = { ...json, 'transfer-encoding': 'chunked' };
const mebibyte = 1024 * 1024;

let server: RunningServer;
let form: MadeForm;
let small: RunningServer;
let smallForm: MadeForm;

beforeAll(async () => {
  const env = { MAX_FILES: '2', MAX_FILE_BYTES: '50000', MAX_BODY_BYTES: '120000' };
  [server, small] = await Promise.all([startServer(), startServer({ env })]);
  [form, smallForm] = await Promise.all([makeForm(server.url), makeForm(small.url)]);
});
afterAll(() => Promise.all([server.dispose(), small.dispose()]));

type Post = (endpoint: string) => Promise<VisitorAnswer>;

async function expectTaken(post: Post): Promise<void> {
  expect((await post(form.endpoint)).status).toBe(200);
}

async function expectRefused(
  post: Post,
  limit: { limit: number } | { limit_bytes: number },
  where = { server, form },
): Promise<void> {
  const before = await kept(where.server, where.form.formId);
  const answer = await post(where.form.endpoint);
  expect(answer.status).toBe(413);
  expect(answer.body).toEqual({
    error: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^(too_many_[a-z_]+|[a-z_]+_too_large)$/),
    ...limit,
  });
  expect(await kept(where.server, where.form.formId)).toEqual(before);
}

const fields = (count: number): string[] => Array.from({ length: count }, (_, i) => `f${i}`);
const nested = (depth: number): string =>
  // The object itself is the first level.
  `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

describe('1 MiB of text', () => {
  const jsonOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const encodedOf = (bytes: number): string => `a=${'x'.repeat(bytes - 2)}`;

  it('is taken', async () => {
    await expectTaken((to) => postJson(to, jsonOf(mebibyte)));
    await expectTaken((to) => postUrlencoded(to, encodedOf(mebibyte), json));
    await expectTaken((to) => postJson(to, jsonOf(mebibyte), chunked));
  });

  it('and a byte is refused, declared or not', async () => {
    const limit = { limit_bytes: mebibyte };
    await expectRefused((to) => postJson(to, jsonOf(mebibyte + 1)), limit);
    await expectRefused((to) => postJson(to, jsonOf(mebibyte + 1), chunked), limit);
    await expectRefused((to) => postUrlencoded(to, encodedOf(mebibyte + 1), json), limit);
    await expectRefused((to) => postUrlencoded(to, encodedOf(mebibyte + 1), chunked), limit);
  });
});

describe('depth', () => {
  it('32 is taken, 33 refused', async () => {
    await expectTaken((to) => postJson(to, nested(32)));
    await expectRefused((to) => postJson(to, nested(33)), { limit: 32 });
    await expectRefused((to) => postJson(to, `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`), { limit: 32 });
  });
});

describe('fields', () => {
  const jsonOf = (count: number): string =>
    `{${fields(count)
      .map((name) => `"${name}":1`)
      .join(',')}}`;
  const encodedOf = (count: number): string =>
    fields(count)
      .map((name) => `${name}=1`)
      .join('&');

  it('1,000 are taken, 1,001 refused', async () => {
    await expectTaken((to) => postJson(to, jsonOf(1_000)));
    await expectRefused((to) => postJson(to, jsonOf(1_001)), { limit: 1_000 });
    await expectTaken((to) => postUrlencoded(to, encodedOf(1_000), json));
    await expectRefused((to) => postUrlencoded(to, encodedOf(1_001), json), { limit: 1_000 });
  });

  it('repeating one name is no way around', async () => {
    await expectRefused((to) => postUrlencoded(to, 'a=1&'.repeat(1_001), json), { limit: 1_000 });
  });
});

describe('names', () => {
  const limit = { limit_bytes: 256 };
  it.each([
    ['letters', 'n'.repeat(256), 'n'.repeat(257)],
    ['characters of two bytes', 'é'.repeat(128), `${'é'.repeat(128)}a`],
  ])('256 bytes of %s are taken, more are refused', async (_what, longest, tooLong) => {
    await expectTaken((to) => postJson(to, { [longest]: 1 }));
    await expectRefused((to) => postJson(to, { [tooLong]: 1 }), limit);
    await expectTaken((to) => postUrlencoded(to, `${encodeURIComponent(longest)}=1`, json));
    await expectRefused((to) => postUrlencoded(to, `${encodeURIComponent(tooLong)}=1`, json), limit);
    await expectTaken((to) => postMultipart(to, [textPart(longest, '1')], json));
    await expectRefused((to) => postMultipart(to, [textPart(tooLong, '1')], json), limit);
    await expectRefused((to) => postMultipart(to, [filePart(tooLong, 'a.txt', '1')], json), limit);
  });
});

describe('parts of a multipart body', () => {
  const parts = (count: number): Part[] => fields(count).map((name) => textPart(name, '1'));

  it('200 are taken, 201 refused', async () => {
    await expectTaken((to) => postMultipart(to, parts(200), json));
    await expectRefused((to) => postMultipart(to, parts(201), json), { limit: 200 });
  });

  it('files that came before are gone', async () => {
    const file = filePart('f', 'f.bin', Buffer.alloc(200_000, 1), 'application/octet-stream');
    await expectRefused((to) => postMultipart(to, [file, ...parts(200)], json), { limit: 200 });
  });
});

describe('files', () => {
  const where = () => ({ server: small, form: smallForm });
  const file = (bytes: number, name = 'f'): Part =>
    filePart(name, `${name}.bin`, Buffer.alloc(bytes, 1), 'application/octet-stream');

  it('10 of them are taken by default, 11 refused', async () => {
    const files = (count: number): Part[] => fields(count).map((name) => file(10, name));
    await expectTaken((to) => postMultipart(to, files(10), json));
    await expectRefused((to) => postMultipart(to, files(11), json), { limit: 10 });
  });

  it('10 MiB are taken by default, a byte more refused', async () => {
    await expectTaken((to) => postMultipart(to, [file(10 * mebibyte)], json));
    await expectRefused((to) => postMultipart(to, [file(10 * mebibyte + 1)], json), {
      limit_bytes: 10 * mebibyte,
    });
  });

  it('MAX_FILES', async () => {
    const two = [file(10, 'a'), file(10, 'b')];
    expect((await postMultipart(smallForm.endpoint, two, json)).body.files).toHaveLength(2);
    await expectRefused((to) => postMultipart(to, [...two, file(10, 'c')], json), { limit: 2 }, where());
    const withEmpty = [...two, filePart('c', '', '')];
    expect((await postMultipart(smallForm.endpoint, withEmpty, json)).body.files).toHaveLength(2);
  });

  it('MAX_FILE_BYTES', async () => {
    const taken = await postMultipart(smallForm.endpoint, [file(50_000)], json);
    expect(taken.body.files[0].size).toBe(50_000);
    const limit = { limit_bytes: 50_000 };
    await expectRefused((to) => postMultipart(to, [file(50_001)], json), limit, where());
    await expectRefused((to) => postMultipart(to, [file(10, 'a'), file(50_001, 'b')], json), limit, where());
    await expectRefused((to) => postMultipart(to, [file(50_001)], chunked), limit, where());
  });

  it('MAX_BODY_BYTES, declared or not', async () => {
    const much = [file(45_000, 'a'), file(45_000, 'b'), textPart('text', 'x'.repeat(40_000))];
    const limit = { limit_bytes: 120_000 };
    await expectRefused((to) => postMultipart(to, much, json), limit, where());
    await expectRefused((to) => postMultipart(to, much, chunked), limit, where());
  });

  it('a text part of more than 1 MiB is refused as text', async () => {
    const part = textPart('a', 'x'.repeat(mebibyte + 1));
    await expectRefused((to) => postMultipart(to, [part], json), { limit_bytes: mebibyte });
  });
});

describe('after a refusal in the middle of a body', () => {
  it('the same connection is not misread: the rest of the body is no request', async () => {
    const smuggled = `POST /f/${form.publicId} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\r\n`;
    const before = await kept(server, form.formId);
    const answer = await visit(form.endpoint, {
      headers: { 'content-type': 'application/json', ...chunked },
      body: `${'x'.repeat(2 * mebibyte)}${smuggled}`,
    });
    expect(answer.status).toBe(413);
    expect(answer.headers.connection).toBe('close');
    expect(await kept(server, form.formId)).toEqual(before);
  });
});
