/** The fields seen in a form's submissions: learned as they arrive, and the columns of its export. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectProblem, instant } from '../../support/contract.js';
import { parseCsv } from '../../support/csv.js';
import { changeStored } from '../../support/engine.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const send = async (form: MadeForm, ...submissions: unknown[]): Promise<void> => {
  for (const data of submissions) {
    const answer = await submitJson(form.endpoint, data);
    expect(answer.status, answer.text).toBe(200);
  }
};

const fieldsOf = async (form: MadeForm) => {
  const answer = await api.get(`/api/v1/forms/${form.formId}/fields`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

const kindsOf = async (form: MadeForm): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await fieldsOf(form)).data.map(({ name, kinds }: { name: string; kinds: string[] }) => [
      name,
      kinds.join(' '),
    ]),
  );

const suggesting = (type: string, label: string, name = label.toLowerCase()) => ({
  suggested: { name, type, label },
});

const headerOf = async (form: MadeForm, query = ''): Promise<readonly string[]> => {
  const { text } = await api.get(`/api/v1/forms/${form.formId}/submissions/export${query}`);
  return parseCsv(text)[0] ?? [];
};

const untilLearned = (form: MadeForm) =>
  expect.poll(async () => (await fieldsOf(form)).is_complete, { timeout: 60_000 }).toBe(true);

describe('GET /api/v1/forms/{id}/fields', () => {
  it('has nothing for a form without submissions', async () => {
    const form = await makeForm(server.url);
    await untilLearned(form);
    expect(await fieldsOf(form)).toEqual({ data: [], sample: 0, is_truncated: false, is_complete: true });
  });

  it('names each field with its kinds, how often it is filled, and when it was seen', async () => {
    const form = await makeForm(server.url);
    await send(form, { email: 'a@example.com', note: '' }, { email: 'b@example.com', age: 7 });
    const { data, sample } = await fieldsOf(form);
    expect(sample).toBe(2);
    const seen = {
      first_seen_at: expect.stringMatching(instant),
      last_seen_at: expect.stringMatching(instant),
    };
    expect(data).toEqual([
      {
        name: 'email',
        kinds: ['email'],
        count: 2,
        share: 1,
        values: [],
        ...seen,
        ...suggesting('email', 'Email'),
      },
      {
        name: 'note',
        kinds: [],
        count: 0,
        share: 0,
        values: [],
        ...seen,
        ...suggesting('textarea', 'Note', 'note'),
      },
      {
        name: 'age',
        kinds: ['number'],
        count: 1,
        share: 0.5,
        values: [],
        ...seen,
        ...suggesting('integer', 'Age'),
      },
    ]);
  });

  it.each([
    ['text', ['Hello', 'a\nb', '01234', '1e999', '2024-13', 'x@', 'javascript:alert(1)']],
    ['number', [1, -2.5, '42', '-0.5']],
    ['email', ['ada@example.com']],
    ['url', ['https://example.com/a?b', 'http://x']],
    ['date', ['2024-02-29', '2024-02-29T10:00']],
    ['boolean', [true, false, 'on', 'true']],
    ['list', [['a'], { a: 1 }, []]],
    ['', [null, '']],
  ])('tells %s by its values', async (kind, values) => {
    const form = await makeForm(server.url);
    await send(form, Object.fromEntries(values.map((value, i) => [`f${i}`, value])));
    expect(await kindsOf(form)).toEqual(Object.fromEntries(values.map((_, i) => [`f${i}`, kind])));
  });

  it('adds up the kinds, and knows files', async () => {
    const form = await makeForm(server.url);
    await send(form, { a: '1' }, { a: 'one' }, { a: ['x'] });
    await submitFiles(form.endpoint, [{ field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'x' }]);
    expect(await kindsOf(form)).toEqual({ a: 'text number list', cv: 'file' });
    const { data } = await fieldsOf(form);
    expect(data[1]).toMatchObject({ name: 'cv', count: 1, share: 0.25 });
  });

  it('shows the values of what looks like a choice, and of nothing else', async () => {
    const form = await makeForm(server.url);
    for (let i = 0; i < 6; i += 1)
      await send(form, { topic: i < 4 ? 'sales' : 'support', email: 'ada@example.com', name: `Person ${i}` });
    await send(form, { topic: 'once' });
    const { data } = await fieldsOf(form);
    expect(data.map(({ name, kinds, values }: Record<string, unknown>) => [name, kinds, values])).toEqual([
      [
        'topic',
        ['text', 'choice'],
        [
          { value: 'sales', count: 4 },
          { value: 'support', count: 2 },
        ],
      ],
      ['email', ['email'], []],
      ['name', ['text'], []],
    ]);
  });

  it('forgets values with the submissions that held them', async () => {
    const form = await makeForm(server.url);
    for (let i = 0; i < 6; i += 1) await send(form, { topic: 'secret' });
    expect(JSON.stringify(await fieldsOf(form))).toContain('secret');
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    for (const { id } of data) expect((await api.delete(`/api/v1/submissions/${id}`)).status).toBe(204);
    const after = await fieldsOf(form);
    expect(after.data).toMatchObject([{ name: 'topic', values: [], count: 0, share: 0 }]);
    expect(JSON.stringify(after)).not.toContain('secret');
  });

  it('takes names that mean something to programs for what they are', async () => {
    const form = await makeForm(server.url);
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '',
      ' ',
      '10',
      '2',
      'a\u0000b',
      '\ud800',
    ];
    const body = `{${names.map((name) => `${JSON.stringify(name)}:"x"`).join(',')}}`;
    const sent = await fetch(form.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(sent.status).toBe(200);
    const { data } = await fieldsOf(form);
    expect(data.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort());
    await untilLearned(form);
    const { text } = await api.get(`/api/v1/forms/${form.formId}/submissions/export`);
    expect(parseCsv(text)).toHaveLength(2);
  });

  it('stops at 1,000 names, and the export still has everything', async () => {
    const form = await makeForm(server.url);
    for (let from = 0; from < 10_000; from += 500)
      await send(form, {
        steady: 'x',
        ...Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${from + i}`, 'v'])),
      });
    const { data, is_truncated } = await fieldsOf(form);
    expect(data).toHaveLength(1_000);
    expect(is_truncated).toBe(true);
    await untilLearned(form);
    const [header = [], ...rows] = parseCsv(
      (await api.get(`/api/v1/forms/${form.formId}/submissions/export`)).text,
    );
    expect(header).toContain('steady');
    expect(rows).toHaveLength(20);
    const others = header.indexOf('other_fields');
    const shown = rows.map((row) => [
      ...header.filter((name, column) => /^n\d+$/.test(name) && row[column] === 'v'),
      ...Object.keys(JSON.parse(row[others] ?? '{}')),
    ]);
    expect(new Set(shown.flat()).size).toBe(10_000);
  });

  it('suggests rules that can be set as they are, and accept what arrived', async () => {
    const form = await makeForm(server.url);
    const arrived = Array.from({ length: 10 }, (_, i) => ({
      email: `ada${i}@example.com`,
      topic: i % 2 === 0 ? 'sales' : 'support',
      days: i % 2 === 0 ? ['mon', 'tue'] : ['tue'],
      ...(i > 0 && { note: `Line\n${i}` }),
      odd: [i],
    }));
    await send(form, ...arrived);
    const { data } = await fieldsOf(form);
    const rules = data.flatMap(({ suggested }: { suggested?: object }) => suggested ?? []);
    expect(rules).toEqual([
      { name: 'email', type: 'email', label: 'Email', required: true },
      { name: 'topic', type: 'choice', choices: ['sales', 'support'], label: 'Topic', required: true },
      {
        name: 'days',
        type: 'choice',
        choices: ['tue', 'mon'],
        multiple: true,
        label: 'Days',
        required: true,
      },
      { name: 'note', type: 'textarea', label: 'Note' },
    ]);
    const set = await api.patch(`/api/v1/forms/${form.formId}`, { fields: rules });
    expect(set.status, set.text).toBe(200);
    await send(form, ...arrived);
    expect((await submitJson(form.endpoint, { ...arrived[0], email: 'ada' })).status).toBe(422);
  });

  it('is for its account alone', async () => {
    const form = await makeForm(server.url);
    const other = client(server.url, (await makeAccount(server, 'pro')).api_key);
    expectProblem(await other.get(`/api/v1/forms/${form.formId}/fields`), 404, 'Form not found');
  });
});

describe('the export', () => {
  it('has the fields in the order in which they were first seen, also those of deleted submissions', async () => {
    const form = await makeForm(server.url);
    await send(form, { b: 1, a: 2 }, { c: 3, a: 4 });
    await submitFiles(form.endpoint, [{ field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'x' }]);
    await untilLearned(form);
    const fixed = ['files', 'ip', 'user_agent', 'submitted_from'];
    expect(await headerOf(form)).toEqual(['submission_id', 'created_at', 'b', 'a', 'c', ...fixed]);
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    for (const { id } of data) await api.delete(`/api/v1/submissions/${id}`);
    expect(await headerOf(form)).toEqual(['submission_id', 'created_at', 'b', 'a', 'c', ...fixed]);
  });

  it('has only its own fields if it is filtered', async () => {
    const form = await makeForm(server.url);
    await send(form, { b: 'x' }, { a: 'y' });
    await untilLearned(form);
    expect(await headerOf(form, '?field.a=y')).not.toContain('b');
    expect(await headerOf(form, '?folder=spam')).not.toContain('b');
    expect(await headerOf(form, '?folder=all')).toContain('b');
  });

  it('is complete while older submissions are still being learned, and after', async () => {
    const form = await makeForm(server.url);
    await send(form, { old: 'x' });
    await server.end();
    await changeStored(
      server.dataDir,
      "DELETE FROM form_fields; DELETE FROM instance WHERE name = 'fields_learned'",
    );
    // Its upkeep starts after five seconds, so the first export may well come before.
    const slow = await startServer({ dataDir: server.dataDir, port: server.port });
    expect(await headerOf(form)).toContain('old');
    await send(form, { fresh: 'y' });
    expect(await headerOf(form)).toEqual(expect.arrayContaining(['old', 'fresh']));
    await untilLearned(form);
    expect(Object.keys(await kindsOf(form))).toEqual(['old', 'fresh']);
    expect(await headerOf(form)).toEqual(expect.arrayContaining(['old', 'fresh']));
    await slow.end();
    server = await startServer({ dataDir: server.dataDir, port: server.port });
    await send(form, { old: 'x', third: 'z' });
    expect(Object.keys(await kindsOf(form))).toEqual(['old', 'fresh', 'third']);
  });
});
