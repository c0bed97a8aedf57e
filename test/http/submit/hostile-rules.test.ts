/** Rules that no one would write, and values made to break rules. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { postJson, visit } from '../../support/visitor.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

type Rule = Record<string, unknown>;
const formWith = (fields: readonly Rule[], more: Rule = {}): Promise<MadeForm> =>
  makeForm(server.url, { form: { fields, ...more } });
const rulesOf = async ({ formId }: MadeForm) => (await api.get(`/api/v1/forms/${formId}`)).body.fields;

/** Sends JSON text verbatim: some numbers cannot be written by JSON.stringify. */
const patchText = ({ formId }: MadeForm, body: string) =>
  visit(`${server.url}/api/v1/forms/${formId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
  });

describe('names that mean something to programs', () => {
  const names = [
    ...[
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'valueOf',
      'prototype',
      'length',
      '10',
      '2',
    ],
    ...[' ', 'a.b', 'a[b]', '$ref', 'né', '🎉', '\u202egnp.exe', 'a\u0000b', '\ud800', 'x'.repeat(200)],
  ];
  const fields = names.map((name) => ({ name, type: 'text', required: true }));

  it('are names of rules like all others, and stay as they were written', async () => {
    const form = await formWith(fields, { unknown_fields: 'reject' });
    expect(await rulesOf(form)).toEqual(fields);
    // Properties that every object inherits are not values.
    const empty = await postJson(form.endpoint, '{}');
    expect(empty.status).toBe(422);
    expect(empty.body.fields.map(({ field, code }: Rule) => [field, code])).toEqual(
      names.map((name) => [name, 'required']),
    );
    const data = `{${names.map((name) => `${JSON.stringify(name)}:"v"`).join(',')}}`;
    expect((await postJson(form.endpoint, data)).status).toBe(200);
    expect((await api.get(`/api/v1/forms/${form.formId}/submissions`)).text).toContain(`"data":${data}`);
  });

  it('are properties of the schema, and do not break types, snippets and the page', async () => {
    const form = await formWith(fields);
    const schema = (await api.get(`/api/v1/forms/${form.formId}/schema`)).text;
    for (const name of names) expect(schema).toContain(`${JSON.stringify(name)}:{"type"`);
    const types = await api.get(`/api/v1/forms/${form.formId}/types.ts`);
    expect([types.status, types.text.includes('"__proto__": string')]).toEqual([200, true]);
    expect((await api.get(`/api/v1/forms/${form.formId}/snippets`)).status).toBe(200);
    const page = await postJson(form.endpoint, '{}', { accept: 'text/html' });
    expect(page.status).toBe(422);
  });

  it('are rejected as unknown fields by their names', async () => {
    const form = await formWith([{ name: 'a', type: 'text' }], { unknown_fields: 'reject' });
    const { status, body } = await postJson(
      form.endpoint,
      '{"__proto__":{"a":"x"},"constructor":1,"toString":2}',
    );
    expect([status, body.fields.map(({ field }: Rule) => field)]).toEqual([
      422,
      ['__proto__', 'constructor', 'toString'],
    ]);
  });
});

describe('numbers without an end', () => {
  it.each(['min', 'max', 'min_length', 'max_files', 'max_bytes'])('are no %s', async (setting) => {
    const form = await formWith([{ name: 'kept', type: 'text' }]);
    const type = { min: 'number', max: 'number', min_length: 'text' }[setting] ?? 'file';
    for (const number of ['1e999', '-1e999']) {
      const body = `{"fields":[{"name":"a","type":"${type}","multiple":${type === 'file'},"${setting}":${number}}]}`;
      const { status, text } = await patchText(form, body);
      expect([status, text]).toEqual([400, expect.stringContaining(`fields.0.${setting}`)]);
    }
    expect(await rulesOf(form)).toEqual([{ name: 'kept', type: 'text' }]);
  });

  it.each([
    ...[
      'text',
      'textarea',
      'email',
      'url',
      'tel',
      'number',
      'integer',
      'date',
      'time',
      'boolean',
      'file',
      'hidden',
    ],
    'choice',
  ])('are no %s', async (type) => {
    const form = await formWith([
      { name: 'f', type, ...(type === 'choice' && { choices: ['1e999', 'Infinity'] }) },
    ]);
    for (const value of ['1e999', '-1e999', '[1e999]', '{"a":1e999}'])
      expect((await postJson(form.endpoint, `{"f":${value}}`)).status, value).toBe(422);
    expect((await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data).toEqual([]);
  });
});

describe('many choices', () => {
  it('are checked like few', async () => {
    // Nearly as much as the rules of a form may contain.
    const fields = Array.from({ length: 14 }, (_, i) => ({
      name: `f${i}`,
      type: 'choice',
      choices: Array.from({ length: 500 }, (_, j) => `c${j}`),
      multiple: true,
    }));
    const form = await formWith(fields);
    const all = Object.fromEntries(fields.map(({ name, choices }) => [name, choices]));
    expect((await postJson(form.endpoint, all)).status).toBe(200);
    const { status, body } = await postJson(form.endpoint, { ...all, f13: [...(all.f13 ?? []), 'c500'] });
    expect([status, body.fields]).toMatchObject([422, [{ field: 'f13', code: 'not_a_choice' }]]);
    const { text } = await api.get(`/api/v1/forms/${form.formId}/snippets`);
    expect(text).toContain('<option>c499</option>');
  });

  it.each([5_000, 20_000])('are too many: %i', async (count) => {
    const form = await formWith([{ name: 'kept', type: 'text' }]);
    const choices = Array.from({ length: count }, (_, i) => `c${i}`);
    const fields = [{ name: 'a', type: 'choice', choices }];
    expectFaults(await api.patch(`/api/v1/forms/${form.formId}`, { fields }), ['fields.0.choices']);
    expect(await rulesOf(form)).toEqual([{ name: 'kept', type: 'text' }]);
  });
});

it('as many rules as a form may have can have as many settings as fit', async () => {
  const fields = Array.from({ length: 200 }, (_, i) => ({
    ...{ name: `field_${i}`, type: 'text', label: `Field ${i}`, required: true, min_length: 2 },
    ...{ max_length: 100, placeholder: 'As in your passport', help: 'As long as you like' },
  }));
  expect(await rulesOf(await formWith(fields))).toEqual(fields);
});

it('contradictions of many rules are named one by one, each with both settings, and change nothing', async () => {
  const form = await formWith([{ name: 'kept', type: 'text' }]);
  const answer = await api.patch(`/api/v1/forms/${form.formId}`, {
    fields: [
      { name: 'a', type: 'number', min: 2, max: 1 },
      { name: 'b', type: 'integer', min: 1.1, max: 1.9 },
      { name: 'c', type: 'text', min_length: 5, max_length: 4 },
      { name: 'd', type: 'text', required: true, max_length: 0 },
      { name: 'e', type: 'choice' },
      { name: 'f', type: 'file', max_files: 2 },
      { name: 'g', type: 'date', min: 1 },
      { name: 'a', type: 'text' },
      { name: '_next', type: 'text' },
    ],
  });
  expect(answer.status).toBe(400);
  expect(answer.body.details.map(({ path, message }: Rule) => `${path}: ${message}`)).toEqual([
    'fields.0.min: min contradicts max: 2 is more than 1',
    'fields.1.min: min contradicts max: there is no integer from 1.1 to 1.9',
    'fields.2.min_length: min_length contradicts max_length: 5 is more than 4',
    'fields.3.max_length: max_length contradicts required: a value has a character at least',
    'fields.4.choices: choices contradicts type: a field of type choice needs some',
    'fields.5.max_files: max_files contradicts multiple: without it a field takes one file',
    'fields.6.min: min contradicts type: a field of type date has none',
    'fields.7.name: name contradicts fields.0.name, which is the same',
    'fields.8.name: is reserved: a field of this name steers Inlet and is never part of the data',
  ]);
  expect(await rulesOf(form)).toEqual([{ name: 'kept', type: 'text' }]);
});
