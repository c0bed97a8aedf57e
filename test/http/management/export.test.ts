/** The export of a form: CSV that spreadsheets read safely, JSON lines that equal the objects. Decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, instant } from '../../support/contract.js';
import { cellsOf, parseCsv, quotesMatter, quotesMeanNothing } from '../../support/csv.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const exported = async (form: MadeForm, format?: string) => {
  const answer = await api.get(
    `/api/v1/forms/${form.formId}/submissions/export${format === undefined ? '' : `?format=${format}`}`,
  );
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

/** The rows as objects keyed by the header. */
const table = async (form: MadeForm): Promise<Record<string, string>[]> => {
  const [header = [], ...rows] = parseCsv((await exported(form, 'csv')).text);
  for (const row of rows) expect(row).toHaveLength(header.length);
  expect(new Set(header).size).toBe(header.length);
  return rows.map((row) => Object.fromEntries(row.map((cell, column) => [header[column] ?? '', cell])));
};

const filled = async (...submissions: unknown[]): Promise<MadeForm> => {
  const form = await makeForm(server.url);
  for (const data of submissions) expect((await submitJson(form.endpoint, data)).status).toBe(200);
  return form;
};

describe('CSV', () => {
  it('is a download with a type and a name', async () => {
    const { headers } = await exported(await filled({ a: 1 }), 'csv');
    expect(headers.get('content-type')).toMatch(/^text\/csv; *charset=utf-8$/i);
    expect(headers.get('content-disposition')).toMatch(/^attachment; *filename="?contact.*\.csv"?/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is what is given when no format is named', async () => {
    const form = await filled({ a: 1 });
    expect((await exported(form)).text).toBe((await exported(form, 'csv')).text);
  });

  it('has a row for each submission, newest first, with id, time and metadata', async () => {
    const form = await makeForm(server.url);
    const ids: string[] = [];
    for (const name of ['first', 'second', 'third']) {
      const headers = { 'user-agent': 'Agent/1', referer: `https://example.com/${name}` };
      ids.unshift((await submitJson(form.endpoint, { name }, headers)).body.submission_id);
    }
    const rows = await table(form);
    expect(rows.map((row) => row.submission_id)).toEqual(ids);
    expect(rows.map((row) => row.name)).toEqual(['third', 'second', 'first']);
    for (const row of rows) {
      expect(row.created_at).toMatch(instant);
      expect(row).toMatchObject({ ip: '127.0.0.1', user_agent: 'Agent/1' });
      expect(row.submitted_from).toBe(`https://example.com/${row.name}`);
    }
  });

  it('has a column for every field that any submission has', async () => {
    const rows = await table(await filled({ a: '1' }, { b: '2' }, { a: '3', c: '4' }));
    expect(rows.map(({ a, b, c }) => [a, b, c])).toEqual([
      ['3', '', '4'],
      ['', '2', ''],
      ['1', '', ''],
    ]);
  });

  it.each([
    ['commas', 'a, b, c'],
    ['quotes', 'say "hello" and "" again'],
    ['a quote alone', '"'],
    ['line feeds', 'one\ntwo\n\nthree'],
    ['Windows line ends', 'one\r\ntwo'],
    ['semicolons and tabs inside', 'a;b\tc'],
    ['other scripts', 'Привет 你好 مرحبا'],
    ['emoji', '👩‍👩‍👧 🎉'],
    ['accents', 'Ünïcödé — “quotes”'],
    ['blanks around it', '  padded  '],
    ['an empty text', ''],
    ['markup', '<script>alert(1)</script>'],
    ['a long text', 'x'.repeat(100_000)],
  ])('keeps %s', async (_, text) => {
    const rows = await table(await filled({ before: 'b', text, after: 'a' }));
    expect(rows).toMatchObject([{ before: 'b', text, after: 'a' }]);
  });

  it.each([
    '=1+1',
    '=HYPERLINK("http://evil.example")',
    '+1+1',
    '+49-170-1234567',
    '+1 234/5678',
    '-A1',
    '@x',
    '\tx',
    '\rx',
    '＝1+1',
    '＋1',
    '－1',
    '＠x',
  ])('makes %j harmless for a spreadsheet without losing it', async (text) => {
    const form = await filled({ text });
    const [row] = await table(form);
    expect(row?.text).toMatch(/^[^=+\-@\t\r\n＝＋－＠]/);
    expect(row?.text?.endsWith(text)).toBe(true);
    const { data } = (await api.get(`/api/v1/submissions/${row?.submission_id}`)).body;
    expect(data.text).toBe(text);
  });

  it('leaves numbers and phone numbers as they were typed', async () => {
    const typed = {
      a: '-12.5',
      b: '+3',
      c: '-1,234.56',
      d: '+49 170 1234567',
      e: '+1 (555) 123-4567',
      f: -5,
    };
    const [row] = await table(await filled(typed));
    expect(row).toMatchObject({ ...typed, f: '-5' });
  });

  it.each([';', '\t'])('has no formula for a spreadsheet that splits at %j', async (separator) => {
    const hidden = [`a${separator}=1+1`, 'a\n@x', `a${separator} "=1"`, `-1${separator}`, `"${separator}=1"`];
    const form = await filled({ [`name${separator}=1`]: 'x', ...hidden }, { last: `${separator}＝1` });
    const { text } = await exported(form, 'csv');
    for (const read of [quotesMatter, quotesMeanNothing]) {
      for (const cell of cellsOf(text, separator, read)) {
        expect(cell).not.toMatch(/^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u);
      }
    }
  });

  it('begins with a byte order mark for Excel, if it is asked for', async () => {
    const form = await filled({ name: 'Zoë' });
    const path = `/api/v1/forms/${form.formId}/submissions/export`;
    // As bytes, because reading it as text drops the mark.
    const bytes = async (query: string) =>
      Buffer.from(
        await (
          await fetch(server.url + path + query, { headers: { authorization: `Bearer ${apiKey}` } })
        ).arrayBuffer(),
      );
    const plain = await bytes('');
    expect(await bytes('?bom=1')).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]));
    expect(await bytes('?format=csv&bom=1')).toEqual(await bytes('?bom=1'));
    for (const query of ['bom=0', 'bom=', 'bom=true', 'format=jsonl&bom=1']) {
      expectFaults(await api.get(`${path}?${query}`), ['bom']);
    }
  });

  it('makes names of fields, names of files and metadata harmless as well', async () => {
    const form = await makeForm(server.url);
    await submitFiles(
      form.endpoint,
      [{ field: 'f', filename: '=cmd.txt', type: 'text/plain', content: 'x' }],
      { '=1+1': 'name' },
    );
    await submitJson(form.endpoint, { a: ['=1', '=2'] }, { 'user-agent': '=2+2', referer: '@SUM(1)' });
    for (const row of parseCsv((await exported(form, 'csv')).text)) {
      for (const cell of row) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    }
  });

  it.each([
    ['a number', 5, '5'],
    ['a negative number, as text that no formula begins', -5, /^[^=+@]*-?5$/],
    ['true', true, 'true'],
    ['null', null, ''],
    ['a list of texts', ['red', 'green'], /red.*green/],
    ['an object', { a: { b: 1 } }, /\{"a":\{"b":1\}\}/],
  ])('writes %s', async (_, value, expected) => {
    const [row] = await table(await filled({ value }));
    if (typeof expected === 'string') expect(row?.value).toBe(expected);
    else expect(row?.value).toMatch(expected);
  });

  it('does not confuse fields that are named like its own columns', async () => {
    const form = await filled({ submission_id: 'mine', ip: 'also mine', created_at: 'never', files: 'none' });
    const { text } = await exported(form, 'csv');
    const [header = [], row = []] = parseCsv(text);
    expect(row).toHaveLength(header.length);
    for (const value of ['mine', 'also mine', 'never', 'none', '127.0.0.1']) expect(row).toContain(value);
  });

  it('keeps fields that are named like parts of an object', async () => {
    const form = await makeForm(server.url);
    await fetch(form.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"__proto__":"p","constructor":"c","toString":"t"}',
    });
    const [header = [], row = []] = parseCsv((await exported(form, 'csv')).text);
    for (const [name, value] of [
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['toString', 't'],
    ] as const) {
      expect(row[header.indexOf(name)]).toBe(value);
    }
  });

  it('names the files', async () => {
    const form = await makeForm(server.url);
    await submitFiles(form.endpoint, [
      { field: 'a', filename: 'one.txt', type: 'text/plain', content: '1' },
      { field: 'b', filename: 'two, "zwei".txt', type: 'text/plain', content: '2' },
    ]);
    const [row] = await table(form);
    expect(row?.files).toContain('one.txt');
    expect(row?.files).toContain('two, "zwei".txt');
  });

  it('of an empty form is its header', async () => {
    const rows = parseCsv((await exported(await makeForm(server.url), 'csv')).text);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain('submission_id');
  });
});

describe('JSON lines', () => {
  it('equal the objects that get answers, newest first', async () => {
    const form = await filled({ a: 1 }, { b: ['x', { y: 'line\nbreak' }] });
    await submitFiles(form.endpoint, [{ field: 'f', filename: 'f.txt', type: 'text/plain', content: 'f' }]);
    const { text, headers } = await exported(form, 'jsonl');
    expect(headers.get('content-type')).toMatch(/^application\/(x-ndjson|jsonl)\b/);
    expect(headers.get('content-disposition')).toMatch(/^attachment; *filename="?contact.*\.jsonl"?/);
    expect(text.endsWith('\n')).toBe(true);
    const lines = text.trimEnd().split('\n');
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    expect(lines.map((line) => JSON.parse(line))).toEqual(data);
    for (const line of lines) {
      expect((await api.get(`/api/v1/submissions/${JSON.parse(line).id}`)).text).toBe(line);
    }
  });

  it('of an empty form are none', async () => {
    expect((await exported(await makeForm(server.url), 'jsonl')).text).toBe('');
  });
});

it('has every submission of a form with more than one page of them', async () => {
  const form = await makeForm(server.url);
  const total = 550;
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < total) {
      const n = next++;
      expect((await submitJson(form.endpoint, { n })).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: 16 }, send));
  const rows = await table(form);
  expect(new Set(rows.map((row) => row.n)).size).toBe(total);
  expect(rows).toHaveLength(total);
  const lines = (await exported(form, 'jsonl')).text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(rows.map((row) => row.submission_id));
});

it('is found by the public id of the form', async () => {
  const form = await filled({ a: 1 });
  const answer = await api.get(`/api/v1/forms/${form.publicId}/submissions/export?format=csv`);
  expect(answer.text).toBe((await exported(form, 'csv')).text);
});

it.each(['xml', 'CSV', '', 'json'])('refuses the format "%s"', async (format) => {
  const { formId } = await makeForm(server.url);
  expectFaults(await api.get(`/api/v1/forms/${formId}/submissions/export?format=${format}`), ['format']);
});
