/** How fields are stored: order, repetition, numbers, names, reserved fields, empty files, metadata. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, type Part, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { dataText, getSubmission, kept } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, postUrlencoded } from '../../support/visitor.js';

const json = { accept: 'application/json' };
let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer();
  form = await makeForm(server.url);
});
afterAll(() => server.dispose());

async function storedFrom(
  answer: Promise<{ status: number; body: { submission_id: string } }>,
): Promise<string> {
  const { status, body } = await answer;
  expect(status).toBe(200);
  return dataText(server, body.submission_id);
}

const fromJson = (text: string) => storedFrom(postJson(form.endpoint, text));
const fromUrlencoded = (text: string) => storedFrom(postUrlencoded(form.endpoint, text, json));
const fromMultipart = (parts: readonly Part[]) => storedFrom(postMultipart(form.endpoint, parts, json));
const texts = (...pairs: readonly (readonly [string, string])[]): Part[] =>
  pairs.map(([name, value]) => textPart(name, value));

/** Sends the pairs in both form encodings. */
async function fromForms(...pairs: readonly (readonly [string, string])[]): Promise<readonly string[]> {
  const encoded = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return Promise.all([fromUrlencoded(encoded.join('&')), fromMultipart(texts(...pairs))]);
}

const both = (text: string): readonly string[] => [text, text];

describe('order', () => {
  it('is kept, also of names that look like numbers', async () => {
    const text = '{"zeta":"1","10":"2","alpha":"3","2":"4","":"5"}';
    expect(await fromJson(text)).toBe(text);
    expect(await fromForms(['zeta', '1'], ['10', '2'], ['alpha', '3'], ['2', '4'])).toEqual(
      both('{"zeta":"1","10":"2","alpha":"3","2":"4"}'),
    );
  });

  it('is kept in the list of submissions too', async () => {
    const own = await makeForm(server.url);
    await postJson(own.endpoint, '{"b":1.0,"10":2,"9":3}');
    const list = await client(server.url).get(`/api/v1/forms/${own.formId}/submissions`);
    expect(list.text).toContain('"data":{"b":1.0,"10":2,"9":3}');
  });
});

describe('repetition', () => {
  it('makes an array, in the place of the first', async () => {
    expect(await fromForms(['c', 'red'], ['name', 'Ada'], ['c', 'green'], ['c', 'blue'])).toEqual(
      both('{"c":["red","green","blue"],"name":"Ada"}'),
    );
  });

  it('name[] is the field name as an array, also when there is one', async () => {
    expect(await fromForms(['tags[]', 'a'], ['tags[]', 'b'], ['one[]', 'c'])).toEqual(
      both('{"tags":["a","b"],"one":["c"]}'),
    );
    expect(await fromForms(['tags', 'a'], ['tags[]', 'b'])).toEqual(both('{"tags":["a","b"]}'));
  });

  it('keeps empty values', async () => {
    expect(await fromForms(['a', ''], ['b', '1'], ['a', ''])).toEqual(both('{"a":["",""],"b":"1"}'));
  });
});

describe('JSON values', () => {
  it('numbers stay as they were written', async () => {
    const text = '{"a":1.0,"b":12345678901234567890,"c":-0,"d":1e400,"e":0.1000,"f":1E+2}';
    expect(await fromJson(text)).toBe(text);
  });

  it('nesting, null, true, false and unicode stay', async () => {
    const text =
      '{"a":{"z":[1,{"y":null}],"b":{}},"c":[],"d":true,"e":false,"f":null,"g":"\\u00e9 é 😀 \\ud83d"}';
    expect(await fromJson(text)).toBe(text);
  });

  it('form encodings carry text only', async () => {
    expect(await fromForms(['n', '1.0'], ['t', 'true'], ['o', '{"a":1}'])).toEqual(
      both('{"n":"1.0","t":"true","o":"{\\"a\\":1}"}'),
    );
  });

  it('an empty submission is one', async () => {
    expect(await fromJson('{}')).toBe('{}');
    expect(await fromUrlencoded('')).toBe('{}');
  });
});

describe('names that mean something elsewhere', () => {
  it('are ordinary data', async () => {
    const pairs = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'prototype',
      '__defineGetter__',
    ].map((name) => [name, 'x'] as const);
    const expected = `{${pairs.map(([name]) => `"${name}":"x"`).join(',')}}`;
    expect(await fromJson(expected)).toBe(expected);
    expect(await fromForms(...pairs)).toEqual(both(expected));
    const nested = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"polluted":1}}}';
    expect(await fromJson(nested)).toBe(nested);
    expect(await fromForms(['__proto__[polluted]', 'x'], ['a.b', 'y'])).toEqual(
      both('{"__proto__[polluted]":"x","a.b":"y"}'),
    );
    expect(await fromForms(['__proto__', 'x'], ['__proto__', 'y'])).toEqual(both('{"__proto__":["x","y"]}'));
  });
});

describe('reserved fields', () => {
  const reserved = ['_csrf', 'challenge-response', '_challengeToken'];

  it.each(reserved)('%s never reaches the data', async (name) => {
    expect(await fromJson(`{"a":1,"${name}":"secret","b":{"${name}":"inside"}}`)).toBe(
      `{"a":1,"b":{"${name}":"inside"}}`,
    );
    expect(await fromForms(['a', '1'], [name, 'secret'], ['b', '2'])).toEqual(both('{"a":"1","b":"2"}'));
    expect(await fromForms([`${name}[]`, 'secret'], ['b', '2'])).toEqual(both('{"b":"2"}'));
  });

  it.each(['_gotcha', '_honeypot'])('an empty %s is stripped and does no harm', async (name) => {
    expect(await fromJson(`{"${name}":"","a":1}`)).toBe('{"a":1}');
    expect(await fromForms([name, ''], ['a', '1'])).toEqual(both('{"a":"1"}'));
    const own = await makeForm(server.url);
    await postJson(own.endpoint, { [name]: '', a: 1 });
    expect((await kept(server, own.formId)).submissions).toBe(1);
  });

  it('are stripped when the name is written with escapes', async () => {
    expect(await fromJson('{"\\u005fcsrf":"secret","a":1}')).toBe('{"a":1}');
    expect(await fromUrlencoded('%5Fcsrf=secret&a=1')).toBe('{"a":"1"}');
  });
});

describe('files', () => {
  it('a file input left empty is no file', async () => {
    const answer = await postMultipart(
      form.endpoint,
      [textPart('a', '1'), filePart('cv', '', '', 'application/octet-stream')],
      json,
    );
    expect(answer.body.files).toEqual([]);
    const stored = await getSubmission(server, answer.body.submission_id);
    expect(stored.body).toMatchObject({ data: { a: '1' }, files: [] });
    const redirected = await postMultipart(form.endpoint, [filePart('cv', '', '')]);
    expect(redirected.headers.location).not.toContain('files=');
  });

  it('a named file of no bytes is a file', async () => {
    const answer = await postMultipart(form.endpoint, [filePart('cv', 'empty.txt', '', 'text/plain')], json);
    expect(answer.body.files).toEqual([
      { id: expect.any(String), filename: 'empty.txt', type: 'text/plain', size: 0 },
    ]);
  });

  it('several files of one field keep their order, also as name[]', async () => {
    const answer = await postMultipart(
      form.endpoint,
      ['one', 'two', 'three'].map((name) => filePart('docs[]', `${name}.txt`, name, 'text/plain')),
      json,
    );
    const stored = await getSubmission(server, answer.body.submission_id);
    expect(
      stored.body.files.map((file: { field: string; filename: string }) => [file.field, file.filename]),
    ).toEqual([
      ['docs', 'one.txt'],
      ['docs', 'two.txt'],
      ['docs', 'three.txt'],
    ]);
  });
});

describe('metadata', () => {
  const metadataOf = async (headers: Record<string, string>): Promise<unknown> => {
    const { body } = await postJson(form.endpoint, { a: 1 }, headers);
    return (await getSubmission(server, body.submission_id)).body.metadata;
  };

  it('is the address, the user agent, and where it was submitted from', async () => {
    expect(
      await metadataOf({
        'user-agent': 'Test/1.0 ("quoted"; <b>)',
        referer: 'https://example.com/contact?x=1#y',
        origin: 'https://example.com',
      }),
    ).toEqual({
      ip: '127.0.0.1',
      user_agent: 'Test/1.0 ("quoted"; <b>)',
      submitted_from: 'https://example.com/contact?x=1#y',
    });
  });

  it('takes the Origin where there is no Referer', async () => {
    expect(await metadataOf({ origin: 'https://example.com' })).toMatchObject({
      submitted_from: 'https://example.com',
    });
  });

  it('has empty strings for what was not sent', async () => {
    expect(await metadataOf({})).toEqual({ ip: '127.0.0.1', user_agent: '', submitted_from: '' });
  });
});
