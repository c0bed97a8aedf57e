/** Full-text search over submissions: the `q` of decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
let form: MadeForm;
const named = new Map<string, string>();

const texts: Record<string, unknown> = {
  ada: { name: 'Ada Lovelace', city: 'London', note: 'Analytical engine' },
  jose: { name: 'José Ñúñez', city: 'Málaga', note: 'Straße und Café' },
  olga: { name: 'Ольга Петрова', city: 'Москва' },
  nested: { order: { lines: [{ item: 'Widgetron' }, { item: 'Gadgetron' }] } },
  mail: { email: 'grace.hopper@navy.example', phone: '+49 (30) 123456' },
  number: { amount: 987654321 },
  hindi: { text: 'नमस्ते दुनिया' },
  thai: { text: 'สวัสดีครับ' },
  arabic: { text: 'كِتَاب جَدِيد' },
  wide: { text: 'ＡＢＣ１２３' },
  cherokee: { text: 'ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ' },
  georgian: { text: 'ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ' },
  bengali: { text: 'বা\u09dcি' },
  apart: { text: 'йод 한국'.normalize('NFD') },
};

beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  form = await makeForm(server.url);
  for (const [name, data] of Object.entries(texts)) {
    named.set(name, (await submitJson(form.endpoint, data)).body.submission_id);
  }
});
afterAll(() => server.dispose());

const find = async (q: string, more = '', of = form) => {
  const answer = await api.get(`/api/v1/forms/${of.formId}/submissions?q=${encodeURIComponent(q)}${more}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { data: { id: string }[]; next_cursor: string | null };
};
const names = async (q: string): Promise<string[]> => {
  const ids = new Set((await find(q)).data.map((item) => item.id));
  return [...named].filter(([, id]) => ids.has(id)).map(([name]) => name);
};

it.each([
  ['a word', 'Lovelace', ['ada']],
  ['another case', 'LOVELACE', ['ada']],
  ['the beginning of a word', 'love', ['ada']],
  ['no accents where there are some', 'jose nunez malaga', ['jose']],
  ['accents where there are none', 'Lóndön', ['ada']],
  ['accents as they stand', 'José Café', ['jose']],
  ['Cyrillic in another case', 'ПЕТРОВА', ['olga']],
  ['the beginning of a Cyrillic word', 'моск', ['olga']],
  ['several words in any order', 'engine ada', ['ada']],
  ['words of several fields', 'Ada London Analytical', ['ada']],
  ['one word that fits and one that does not', 'Ada Moscow', []],
  ['nothing that is there', 'zyzzyva', []],
  ['the middle of a word', 'ovelac', []],
  ['a nested value', 'gadgetron', ['nested']],
  ['a part of an e-mail address', 'hopper', ['mail']],
  ['a whole e-mail address', 'grace.hopper@navy.example', ['mail']],
  ['digits of a telephone number', '123456', ['mail']],
  ['a number', '987654321', ['number']],
  ['a word with marks within it', 'नमस्ते', ['hindi']],
  ['the beginning of such a word', 'दुनि', ['hindi']],
  ['the letters of such a word in another order', 'मनस्ते', []],
  ['a script without spaces, from the beginning', 'สวัส', ['thai']],
  ['vowels as they stand', 'كِتَاب', ['arabic']],
  ['letters whose small ones came later', 'ᏣᎳᎩ', ['cherokee']],
  ['capitals that came later', 'ᲡᲐᲥᲐᲠᲗ', ['georgian']],
  ['letters that are always taken apart', 'বা\u09dcি', ['bengali']],
  ['composed letters that were sent taken apart', 'йод 한국', ['apart']],
  ['letters taken apart as they were sent', 'йод'.normalize('NFD'), ['apart']],
  ['wide letters as they stand', 'ＡＢＣ', ['wide']],
  ['wide letters where there are common ones', 'ＬＯＶＥＬＡＣＥ', ['ada']],
])('finds %s', async (_, q, expected) => {
  expect(await names(q)).toEqual(expected);
});

it.each([
  '"',
  '""',
  '*',
  '"ada',
  'ada"',
  'AND',
  'OR',
  'NOT',
  'NEAR(',
  'NEAR(ada london, 1)',
  '-ada',
  'name:',
  ':',
  'data : ada',
  '{data}: ada',
  '^ada',
  'ada*',
  '(ada',
  'ada)',
  'ada + london',
  "'; DROP TABLE submissions; --",
  '%',
  '_',
  '\\',
  '\u0000',
  '🎉',
  'a'.repeat(500),
  'a '.repeat(250),
])('is not upset by %j', async (q) => {
  await find(q);
});

it.each([
  ['-ada', ['ada']],
  ['ada*', ['ada']],
  ['"Ada" (London)', ['ada']],
  ['^ada', ['ada']],
])('takes the signs of %s for signs, not for operators', async (q, expected) => {
  expect(await names(q)).toEqual(expected);
});

it('takes AND, OR and NOT for words', async () => {
  expect(await names('ada AND london')).toEqual([]);
  expect(await names('ada OR olga')).toEqual([]);
  expect(await names('ada NOT olga')).toEqual([]);
});

it.each(['', '   '])('shows everything for the empty text %j', async (q) => {
  expect(await names(q)).toEqual([...named.keys()]);
});

it('refuses a text without end', async () => {
  const answer = await api.get(`/api/v1/forms/${form.formId}/submissions?q=${'a'.repeat(5000)}`);
  expect(answer.status).toBe(400);
  expect(answer.body.details[0].path).toBe('q');
});

it('keeps to its form and its project', async () => {
  const other = await makeForm(server.url);
  const { submission_id: id } = (await submitJson(other.endpoint, { name: 'Ada Elsewhere' })).body;
  expect(await names('ada')).toEqual(['ada']);
  expect((await find('ada', '', other)).data.map((item) => item.id)).toEqual([id]);
  const { body } = await api.get(`/api/v1/projects/${form.projectId}/submissions?q=ada`);
  expect(body.data.map((item: { id: string }) => item.id)).toEqual([named.get('ada')]);
});

it('does not find by reserved fields, field names of the service or metadata it does not show', async () => {
  const { endpoint, formId } = await makeForm(server.url);
  await submitJson(endpoint, { hello: 'world', _csrf: 'csrftokenvalue' });
  expect((await api.get(`/api/v1/forms/${formId}/submissions?q=csrftokenvalue`)).body.data).toEqual([]);
});

describe('many hits', () => {
  it('are found at once, newest first, in pages without gaps while new ones arrive', async () => {
    const many = await makeForm(server.url);
    const newestFirst: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const { submission_id: id } = (await submitJson(many.endpoint, { text: `needle ${n}` })).body;
      newestFirst.unshift(id);
      // Found by the first request after its own response.
      expect((await find('needle', '&limit=1', many)).data[0]?.id).toBe(id);
      await submitJson(many.endpoint, { text: `hay ${n}` });
    }
    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await find('needle', `&limit=7${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, many);
      walked.push(...page.data.map((item) => item.id));
      cursor = page.next_cursor;
      await submitJson(many.endpoint, { text: 'needle late' });
    }
    expect(walked).toEqual(newestFirst);
  });

  it('go together with since and until', async () => {
    const { data } = (await api.get(`/api/v1/submissions/${named.get('jose')}`)).body;
    expect(data.name).toBe('José Ñúñez');
    const { created_at: since } = (await api.get(`/api/v1/submissions/${named.get('ada')}`)).body;
    expect((await find('ada', `&since=${since}`)).data).toHaveLength(1);
    expect((await find('ada', `&until=${since}`)).data).toHaveLength(0);
  });
});

it('answers a cursor of the plain list with 400, never with wrong pages', async () => {
  const plain = await api.get(`/api/v1/forms/${form.formId}/submissions?limit=2`);
  const search = await find('g', '&limit=1');
  expect(search.next_cursor).not.toBeNull();
  for (const query of [`q=ada&cursor=${plain.body.next_cursor}`, `cursor=${search.next_cursor}`]) {
    const answer = await api.get(`/api/v1/forms/${form.formId}/submissions?${query}`);
    expect(answer.status, answer.text).toBe(400);
  }
});
