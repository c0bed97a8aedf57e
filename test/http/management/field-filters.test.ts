/** Lists filtered and sorted by what was submitted, the list of the account, and the export of a selection. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { parseCsv } from '../../support/csv.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const submit = async (form: MadeForm, data: unknown): Promise<string> => {
  const answer = await submitJson(form.endpoint, data);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.submission_id;
};

const filled = async (...submissions: readonly unknown[]) => {
  const form = await makeForm(server.url);
  const ids: string[] = [];
  for (const data of submissions) ids.push(await submit(form, data));
  return { form, ids };
};

type Query = Readonly<Record<string, string>>;
const pathOf = (form: MadeForm, query: Query): string =>
  `/api/v1/forms/${form.formId}/submissions?${new URLSearchParams(query)}`;

/** All pages to the end. */
async function walk(path: string, query: Query = {}) {
  const pages: Record<string, unknown>[][] = [];
  let cursor: string | null = null;
  do {
    const asked = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
    const answer = await api.get(`${path}?${asked}`);
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer.body.data);
    cursor = answer.body.next_cursor;
  } while (cursor !== null && pages.length < 200);
  return pages;
}

const valuesOf = async (form: MadeForm, query: Query, field = 'n') =>
  (await walk(`/api/v1/forms/${form.formId}/submissions`, query))
    .flat()
    .map(({ data }) => (data as Record<string, unknown>)[field]);

describe('field.NAME', () => {
  it('keeps what shows exactly this text, regardless of case', async () => {
    const { form } = await filled(
      { n: 1, city: 'Łódź' },
      { n: 2, city: 'łódź 2' },
      { n: 3, city: 'ŁÓDŹ' },
      { n: 4 },
    );
    expect(await valuesOf(form, { 'field.city': 'łódź' })).toEqual([3, 1]);
    expect(await valuesOf(form, { 'field.city.contains': 'ódŹ' })).toEqual([3, 2, 1]);
    expect(await valuesOf(form, { 'field.city': '' })).toEqual([4]);
    expect(await valuesOf(form, { 'field.city': '%' })).toEqual([]);
  });

  it('goes by the value as a table shows it', async () => {
    const { form } = await filled(
      { n: 1, v: 12.5 },
      { n: 2, v: ['a', 'b'] },
      { n: 3, v: true },
      { n: 4, v: null },
      { n: 5, v: { a: 1 } },
    );
    for (const [text, n] of [
      ['12.5', 1],
      ['A, b', 2],
      ['true', 3],
      ['{"a":1}', 5],
    ] as const)
      expect(await valuesOf(form, { 'field.v': text }), text).toEqual([n]);
  });

  it('takes several conditions, up to five, and other filters', async () => {
    const { form } = await filled(
      { n: 1, a: 'x', b: 'y' },
      { n: 2, a: 'x', b: 'z' },
      { n: 3, a: 'w', b: 'y' },
    );
    expect(await valuesOf(form, { 'field.a': 'x', 'field.b': 'y' })).toEqual([1]);
    expect(await valuesOf(form, { 'field.a': 'x', q: 'z' })).toEqual([2]);
    expect(await valuesOf(form, { 'field.a': 'x', folder: 'archive' })).toEqual([]);
    const five = Object.fromEntries(['1', '2', '3', '4', '5'].map((name) => [`field.${name}`, '']));
    expect((await valuesOf(form, five)).length).toBe(3);
    expectFaults(await api.get(pathOf(form, { ...five, 'field.a': '' })), ['field.']);
  });

  it('takes names of any characters', async () => {
    const names = [
      '__proto__',
      'constructor',
      'a"b',
      "a'b",
      'a.b',
      'a%_b',
      'a\\b',
      '$',
      'ł 🦆',
      'a[0]',
      '\u0000',
      '\ud800',
    ];
    const form = await makeForm(server.url);
    for (const name of names)
      await submit(form, JSON.parse(`{${JSON.stringify(name)}:"hit","n":${JSON.stringify(name)}}`));
    for (const name of names.slice(0, -2)) {
      expect(await valuesOf(form, { [`field.${name}`]: 'hit' }), name).toEqual([name]);
      expect(await valuesOf(form, { [`field.${name}.contains`]: 'HI' }), name).toEqual([name]);
      expect((await valuesOf(form, { sort: `field.${name}` })).length, name).toBe(names.length);
    }
    expect(await valuesOf(form, { 'field.toString': 'hit' })).toEqual([]);
  });

  it('says what is wrong with a name or a value', async () => {
    const { form } = await filled();
    expectFaults(await api.get(pathOf(form, { 'field.': 'x' })), ['field.']);
    expectFaults(await api.get(pathOf(form, { 'field..contains': 'x' })), ['field.']);
    expectFaults(await api.get(pathOf(form, { [`field.${'a'.repeat(201)}`]: 'x' })), ['field.']);
    expectFaults(await api.get(pathOf(form, { 'field.a': 'x'.repeat(501) })), ['field.a']);
    expectFaults(await api.get(`${pathOf(form, { 'field.a': 'x' })}&field.a=y`), ['field.a']);
    expect((await api.get(pathOf(form, { [`field.${'a'.repeat(200)}`]: 'x'.repeat(500) }))).status).toBe(200);
  });

  it('pages without gap or repetition, also together with words', async () => {
    const { form, ids } = await filled(
      ...Array.from({ length: 17 }, (_, n) => ({ n, kind: n % 3 ? 'odd one' : 'third' })),
    );
    const expected = ids.filter((_, n) => n % 3 === 0).reverse();
    for (const query of [
      { 'field.kind': 'third' },
      { 'field.kind': 'third', q: 'third' },
      { 'field.kind.contains': 'hi', q: 'thi' },
    ]) {
      const pages = await walk(`/api/v1/forms/${form.formId}/submissions`, { ...query, limit: '2' });
      expect(
        pages.flat().map(({ id }) => id),
        JSON.stringify(query),
      ).toEqual(expected);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(2);
    }
  });

  it('narrows an export', async () => {
    const { form } = await filled({ n: 1, a: 'x' }, { n: 2, a: 'y', other: 1 }, { n: 3, a: 'X' });
    const answer = await api.get(`/api/v1/forms/${form.formId}/submissions/export?field.a=x`);
    const [header = [], ...rows] = parseCsv(answer.text);
    expect(header).not.toContain('other');
    expect(rows.map((row) => row[header.indexOf('n')])).toEqual(['3', '1']);
    const lines = await api.get(`/api/v1/forms/${form.formId}/submissions/export?format=jsonl&field.a=y`);
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).data.n),
    ).toEqual([2]);
  });
});

describe('sort', () => {
  it('sorts by time, both ways, also with conditions and words', async () => {
    const { form } = await filled(...Array.from({ length: 5 }, (_, n) => ({ n, word: 'common' })));
    for (const query of [{}, { q: 'common' }, { 'field.word': 'common' }]) {
      expect(await valuesOf(form, { ...query, sort: '-created_at', limit: '2' })).toEqual([4, 3, 2, 1, 0]);
      expect(await valuesOf(form, { ...query, sort: 'created_at', limit: '2' })).toEqual([0, 1, 2, 3, 4]);
    }
  });

  it('sorts numbers by value, then texts; without the field they come last, equal ones newest first', async () => {
    const { form } = await filled(
      ...[
        { n: 'a', v: 10 },
        { n: 'b', v: '9' },
        { n: 'c', v: 'Émile' },
        { n: 'd' },
        { n: 'e', v: 'adam' },
        { n: 'f', v: '9' },
      ],
      { n: 'g', v: '' },
    );
    for (const limit of ['1', '2', '100']) {
      expect((await valuesOf(form, { sort: 'field.v', limit })).join('')).toBe('fbaecgd');
      expect((await valuesOf(form, { sort: '-field.v', limit })).join('')).toBe('ceafbgd');
    }
  });

  it('continues where it was, whatever arrives or goes in between', async () => {
    const { form, ids } = await filled(...['b', 'd', 'f', 'h'].map((v) => ({ v })));
    const first = await api.get(pathOf(form, { sort: 'field.v', limit: '2' }));
    await api.delete(`/api/v1/submissions/${ids[1]}`);
    for (const v of ['a', 'e']) await submit(form, { v });
    const rest = await api.get(pathOf(form, { sort: 'field.v', cursor: first.body.next_cursor }));
    expect(rest.body.data.map((item: { data: { v: string } }) => item.data.v)).toEqual(['e', 'f', 'h']);
    expect(rest.body.next_cursor).toBeNull();
  });

  it('takes long and strange values in its cursors', async () => {
    const { form } = await filled(
      ...['🦆', 'ﷺ'.repeat(300), '\ud800', ' '.repeat(300)].map((v, n) => ({ v, n })),
    );
    expect((await valuesOf(form, { sort: 'field.v', limit: '1' })).toSorted()).toEqual([0, 1, 2, 3]);
  });

  it('rejects what it does not know, and cursors of another order', async () => {
    const { form } = await filled({ a: 1 }, { a: 2 });
    for (const sort of ['', 'name', 'field.', '-', `field.${'a'.repeat(201)}`])
      expectFaults(await api.get(pathOf(form, { sort })), ['sort']);
    const { next_cursor } = (await api.get(pathOf(form, { limit: '1' }))).body;
    expectFaults(await api.get(pathOf(form, { sort: 'field.a', cursor: next_cursor })), ['cursor']);
    for (const cursor of ['x', Buffer.from(`${'0'.repeat(36)} zz`).toString('base64url')])
      expectFaults(await api.get(pathOf(form, { sort: 'field.a', cursor })), ['cursor']);
  });

  it('is part of a saved view, as are conditions', async () => {
    const query = { sort: '-field.a', 'field.a.contains': 'x' };
    const made = await api.post('/api/v1/views', { name: 'Sorted', query });
    expect(made.status, made.text).toBe(201);
    expect(made.body.query).toEqual(query);
    expectFaults(await api.post('/api/v1/views', { name: 'Wrong', query: { sort: 'name' } }), ['sort']);
  });
});

describe('the list of the account', () => {
  it('has what all its projects received, newest first, with the filters of the other lists', async () => {
    const own = await makeAccount(server, 'pro');
    const forms = [
      await makeForm(server.url, { key: own.api_key }),
      await makeForm(server.url, { key: own.api_key }),
    ] as const;
    const ids: string[] = [];
    for (const n of [0, 1, 2, 3])
      ids.unshift(await submit(forms[n % 2 === 0 ? 0 : 1], { n, word: 'findable' }));
    const list = async (query = '') => {
      const answer = await client(server.url, own.api_key).get(`/api/v1/submissions${query}`);
      expect(answer.status, answer.text).toBe(200);
      return answer.body.data.map(({ id }: { id: string }) => id);
    };
    expect(await list()).toEqual(ids);
    expect(await list('?q=findab')).toEqual(ids);
    expect(await list('?field.n=2')).toEqual([ids[1]]);
    expect(await list('?sort=field.n')).toEqual(ids.toReversed());
    expect(await list('?folder=trash')).toEqual([]);
    await client(server.url, own.api_key).patch(`/api/v1/submissions/${ids[0]}`, {
      is_starred: true,
      folder: 'archive',
    });
    expect(await list('?is_starred=true')).toEqual([ids[0]]);
    expect(await list('?folder=archive')).toEqual([ids[0]]);
    expect(await list('?folder=inbox&limit=2')).toEqual(ids.slice(1, 3));
  });

  it('is empty for an account without projects', async () => {
    const own = await makeAccount(server, 'pro');
    const answer = await client(server.url, own.api_key).get('/api/v1/submissions?q=findable');
    expect(answer.body).toEqual({ data: [], next_cursor: null });
  });
});

describe('the export of a selection', () => {
  const exported = (body: unknown, key = apiKey) =>
    client(server.url, key).post('/api/v1/submissions/export', body);

  it('is the file of the export route, of these alone and in this order', async () => {
    const { form, ids } = await filled({ a: '=1+1' }, { b: 'ł' }, { c: 3 });
    for (const format of ['csv', 'jsonl'] as const) {
      const whole = await api.get(`/api/v1/forms/${form.formId}/submissions/export?format=${format}`);
      const all = await exported({ ids: ids.toReversed(), format });
      expect(all.status, all.text).toBe(200);
      expect(all.text).toBe(whole.text);
      expect(all.headers.get('content-type')).toBe(whole.headers.get('content-type'));
      expect(all.headers.get('content-disposition')).toBe(`attachment; filename="submissions.${format}"`);
    }
    const [header, ...rows] = parseCsv((await exported({ ids: [ids[0], ids[2], ids[0], 'no id'] })).text);
    expect(header?.slice(2, 4)).toEqual(['a', 'c']);
    expect(rows.map(([id]) => id)).toEqual([ids[0], ids[2]]);
    const marked = await fetch(`${server.url}/api/v1/submissions/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ids, bom: '1' }),
    });
    expect([...new Uint8Array(await marked.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  it('has nothing of another account', async () => {
    const { ids } = await filled({ a: 'secret' });
    const own = await makeAccount(server, 'pro');
    expect((await exported({ ids, format: 'jsonl' }, own.api_key)).text).toBe('');
  });

  it('takes 1 to 1000 ids and known formats', async () => {
    const id = '01890000-0000-7000-8000-000000000000';
    expect((await exported({ ids: Array(1000).fill(id) })).status).toBe(200);
    expectFaults(await exported({ ids: Array(1001).fill(id) }), ['ids']);
    expectFaults(await exported({ ids: [] }), ['ids']);
    expectFaults(await exported({ ids: [id], format: 'xml' }), ['format']);
    expectFaults(await exported({ ids: [id], format: 'jsonl', bom: '1' }), ['bom']);
    expectFaults(await exported({ ids: ['x'.repeat(65)] }), ['ids.0']);
  });
});
