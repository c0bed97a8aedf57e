/** Rules of fields: what they reject, in which words, and that nothing is stored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart } from '../../support/bodies.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, postUrlencoded } from '../../support/visitor.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const json = { accept: 'application/json' };
type Rule = Record<string, unknown>;
const formWith = (fields: readonly Rule[], more: Rule = {}): Promise<MadeForm> =>
  makeForm(server.url, { form: { fields, ...more } });

const storedIn = async ({ formId }: MadeForm) =>
  (await api.get(`/api/v1/forms/${formId}/submissions`)).body.data;

/** The errors as `field: code`. Empty when the submission was accepted. */
async function verdict(form: MadeForm, data: unknown): Promise<readonly string[]> {
  const { status, body, text } = await postJson(form.endpoint, data);
  if (status === 200) return [];
  expect(status, text).toBe(422);
  return body.fields.map(({ field, code }: Rule) => `${field}: ${code}`);
}

describe('a form with rules', () => {
  it('names everything that is wrong at once, in the order of the rules, and stores nothing', async () => {
    const form = await formWith([
      { name: 'name', type: 'text', label: 'Your name', required: true },
      { name: 'email', type: 'email', required: true },
      { name: 'age', type: 'integer', min: 18 },
      { name: 'note', type: 'textarea', max_length: 3 },
    ]);
    const answer = await postJson(form.endpoint, { note: 'long', age: '7', email: 'ada@' });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      error: 'Some fields are not valid',
      code: 'invalid_fields',
      fields: [
        { field: 'name', code: 'required', message: 'Please fill in this field.' },
        {
          field: 'email',
          code: 'type_email',
          message: 'Please enter an e-mail address, such as name@example.com.',
        },
        { field: 'age', code: 'too_small', message: 'Please enter 18 or more.' },
        { field: 'note', code: 'too_long', message: 'Please enter no more than 3 characters.' },
      ],
    });
    expect(await storedIn(form)).toEqual([]);
    const { days, examples } = (await api.get(`/api/v1/forms/${form.formId}/rejections`)).body;
    expect(days.at(-1).reasons.fields + (days.at(-2)?.reasons.fields ?? 0)).toBe(1);
    expect(examples[0]).toMatchObject({
      reason: 'fields',
      seen: 'name: required, email: type_email, age: too_small, note: too_long',
    });
    expect(await verdict(form, { name: 'Ada', email: 'ada@example.com', age: 18, note: '' })).toEqual([]);
    expect(await storedIn(form)).toMatchObject([{ data: { name: 'Ada', age: 18 } }]);
  });

  const nothing = ['', '  ', null, []];
  it.each<[Rule, readonly unknown[], readonly [string, unknown][]]>([
    [
      { type: 'text' },
      ['x', 5, true, ...nothing],
      [
        ['too_many', ['a', 'b']],
        ['too_many', { a: 1 }],
      ],
    ],
    [
      { type: 'text', min_length: 2, max_length: 3 },
      ['ab', '😀😀😀', 'a\r\nb', ...nothing],
      [
        ['too_short', 'a'],
        ['too_long', 'abcd'],
      ],
    ],
    [
      { type: 'email' },
      ['ada@example.com', ...nothing],
      ['ada', 'ada@localhost', 'a b@example.com', 'ada@example.com\n', 5, true].map((v) => ['type_email', v]),
    ],
    [
      { type: 'url' },
      ['https://example.com', 'HTTP://x/y?z'],
      ['example.com', 'javascript:alert(1)', 'https://', 'https://a b', 5].map((v) => ['type_url', v]),
    ],
    [
      { type: 'number', min: 0, max: 10 },
      [0, '10', '1e1', '.5', ' '],
      [
        ['too_small', -1],
        ['too_large', '10.5'],
        ...['1e999', '0x10', 'NaN', '1,5', '--1', true, '١'].map((v): [string, unknown] => [
          'type_number',
          v,
        ]),
      ],
    ],
    [
      { type: 'integer' },
      [1, '-2'],
      [
        ['type_number', 1.5],
        ['type_number', '1.0'],
      ],
    ],
    [
      { type: 'date' },
      ['2024-02-29', '0001-01-01'],
      [
        ...['2023-02-29', '1900-02-29', '2024-13-01', '2024-04-31', '29.02.2024', '02/29/2024', '2024-2-9'],
        ...['20240229', '2024-02-29T10:00', '2024-02-29Z', 'today', 20240229],
      ].map((v) => ['type_date', v]),
    ],
    [{ type: 'time' }, ['00:00', '23:59:59'], ['24:00', '9:00', '10:00Z'].map((v) => ['type_date', v])],
    [{ type: 'boolean' }, [true, false, 'on', '0'], ['maybe', 1, 'ON'].map((v) => ['not_a_choice', v])],
    [
      { type: 'choice', choices: ['a', 'b'] },
      ['a', ''],
      [
        ['not_a_choice', 'c'],
        ['not_a_choice', 'A'],
        ['too_many', ['a']],
      ],
    ],
    [
      { type: 'choice', choices: ['a', 'b'], multiple: true },
      ['a', ['a', 'b'], []],
      [
        ['not_a_choice', ['a', 'c']],
        ['not_a_choice', [['a']]],
      ],
    ],
    [{ type: 'file' }, ['', null], [['file_type', 'text']]],
    [{ type: 'text', required: true }, ['x', 0, false], nothing.map((v) => ['required', v])],
  ])('judges values by %j', async (rule, right, wrong) => {
    const form = await formWith([{ name: 'f', ...rule }]);
    for (const value of right) expect(await verdict(form, { f: value }), JSON.stringify(value)).toEqual([]);
    for (const [code, value] of wrong)
      expect(await verdict(form, { f: value }), JSON.stringify(value)).toEqual([`f: ${code}`]);
  });

  it('refuses an infinite number', async () => {
    const form = await formWith([{ name: 'f', type: 'number' }]);
    const { status, body } = await postJson(form.endpoint, '{"f":1e999}');
    expect([status, body.fields[0].code]).toEqual([422, 'type_number']);
  });

  it('judges files, and knows them from text', async () => {
    const form = await formWith([
      { name: 'cv', type: 'file', required: true, accept: ['.txt', 'image/*'], max_bytes: 5 },
      { name: 'more', type: 'file', multiple: true, max_files: 2 },
      { name: 'name', type: 'text' },
    ]);
    const send = async (...parts: ReturnType<typeof filePart>[]) => {
      const { status, body } = await postMultipart(form.endpoint, parts, json);
      return status === 200 ? [] : body.fields.map(({ field, code }: Rule) => `${field}: ${code}`);
    };
    const cv = filePart('cv', 'cv.txt', 'short', 'text/plain');
    expect(await send(cv)).toEqual([]);
    expect(await send(filePart('more', 'a.txt', 'x', 'text/plain'))).toEqual(['cv: required']);
    expect(await send(filePart('cv', 'cv.txt', 'longer', 'text/plain'))).toEqual(['cv: file_too_large']);
    expect(await send(filePart('cv', 'cv.exe', 'x', 'text/plain'))).toEqual(['cv: file_type']);
    expect(await send(cv, cv)).toEqual(['cv: too_many']);
    const one = filePart('more', 'a.txt', 'x', 'text/plain');
    expect(await send(cv, one, one, one)).toEqual(['more: too_many']);
    expect(await send(cv, filePart('name', 'a.txt', 'x', 'text/plain'))).toEqual(['name: file_type']);
    expect(await storedIn(form)).toHaveLength(1);
  });

  it('keeps, drops or rejects fields without a rule', async () => {
    const fields = [{ name: '__proto__', type: 'text' }];
    const body = '{"other": 1.50, "__proto__":"x",  "constructor":"y"}';
    const send = async (mode: string) => {
      const form = await formWith(fields, { unknown_fields: mode });
      const sent = await postJson(form.endpoint, body);
      const { text } = await api.get(`/api/v1/forms/${form.formId}/submissions`);
      return { status: sent.status, answer: sent.body, text };
    };
    const kept = await send('keep');
    expect(kept.status).toBe(200);
    expect(kept.text).toContain(`"data":${body}`);
    const dropped = await send('drop');
    expect(dropped.status).toBe(200);
    expect(dropped.text).toContain('"data":{"__proto__":"x"}');
    const rejected = await send('reject');
    expect(rejected.status).toBe(422);
    expect(rejected.answer.fields).toMatchObject([
      { field: 'other', code: 'unknown_field' },
      { field: 'constructor', code: 'unknown_field' },
    ]);
    expect(rejected.text).toContain('"data":[]');
  });

  it('drops files without a rule, and keeps control fields working', async () => {
    const form = await formWith([{ name: 'name', type: 'text' }], { unknown_fields: 'reject' });
    expect((await postJson(form.endpoint, { name: 'x', _subject: 'Hello', _gotcha: '' })).status).toBe(200);
    const dropping = await formWith([{ name: 'name', type: 'text' }], { unknown_fields: 'drop' });
    const sent = await postMultipart(dropping.endpoint, [filePart('cv', 'cv.txt', 'x', 'text/plain')], json);
    expect([sent.status, sent.body.files]).toEqual([200, []]);
    expect(await storedIn(dropping)).toMatchObject([{ data: {}, files: [] }]);
  });

  it('changes nothing for a form without rules', async () => {
    const form = await makeForm(server.url, { form: { unknown_fields: 'reject' } });
    expect(await verdict(form, { anything: ['at', { all: 1 }] })).toEqual([]);
  });

  it('counts from the next submission on when it changes', async () => {
    const form = await makeForm(server.url);
    expect(await verdict(form, {})).toEqual([]);
    await api.patch(`/api/v1/forms/${form.formId}`, {
      fields: [{ name: 'a', type: 'text', required: true }],
    });
    expect(await verdict(form, {})).toEqual(['a: required']);
    await api.patch(`/api/v1/forms/${form.formId}`, { fields: [] });
    expect(await verdict(form, {})).toEqual([]);
  });

  it('tells a bot nothing, and asks for the CAPTCHA only of what is valid', async () => {
    const fields = [{ name: 'a', type: 'text', required: true }];
    const form = await formWith(fields);
    expect((await postJson(form.endpoint, { _gotcha: 'x' })).status).toBe(200);
    const guarded = await formWith(fields, { captcha_enabled: true });
    expect((await postJson(guarded.endpoint, {})).body.code).toBe('invalid_fields');
    expect((await postJson(guarded.endpoint, { a: 'x' })).body.code).toBe('captcha_failed');
  });
});

describe('visitors', () => {
  const fields = [
    { name: 'mail', type: 'email', label: 'Ihre <E-Mail>', required: true },
    { name: 'age', type: 'number', max: 1234.5 },
  ];

  it.each([
    ['en', 'Please fill in this field.', '1,234.5'],
    ['de', 'Bitte füllen Sie dieses Feld aus.', '1.234,5'],
    ['fr', 'Veuillez remplir ce champ.', '1\u202f234,5'],
    ['es', 'Rellene este campo.', '1234,5'],
    ['zh', '请填写此项。', '1,234.5'],
  ])('read JSON messages in %s', async (language, message, limit) => {
    const form = await formWith(fields);
    const headers = { 'accept-language': language };
    const [first, second] = (await postJson(form.endpoint, { age: 2000 }, headers)).body.fields;
    expect(first.message).toBe(message);
    expect(second.message).toContain(limit);
    const named = await postJson(form.endpoint, { age: 2000, _language: language });
    expect(named.body.fields[0].message).toBe(message);
  });

  it.each([
    [
      'en',
      ...['Please tick this box.', 'Please choose one of the options.'],
      ...['Please choose at least one of the options.', 'Please choose a file.'],
    ],
    [
      'de',
      ...['Bitte setzen Sie hier ein Häkchen.', 'Bitte wählen Sie eine der Möglichkeiten.'],
      ...['Bitte wählen Sie mindestens eine der Möglichkeiten.', 'Bitte wählen Sie eine Datei.'],
    ],
    [
      'fr',
      ...['Veuillez cocher cette case.', 'Veuillez choisir une des options.'],
      ...['Veuillez choisir au moins une des options.', 'Veuillez choisir un fichier.'],
    ],
    [
      'es',
      ...['Marque esta casilla.', 'Elija una de las opciones.'],
      ...['Elija al menos una de las opciones.', 'Elija un archivo.'],
    ],
    ['zh', '请勾选此项。', '请选择其中一个选项。', '请至少选择一个选项。', '请选择文件。'],
  ])('read how to give what is missing in %s, whatever its type', async (language, ...messages) => {
    const choices = ['a', 'b'];
    const form = await formWith([
      { name: 'terms', type: 'boolean', required: true },
      { name: 'topic', type: 'choice', choices, required: true },
      { name: 'topics', type: 'choice', choices, multiple: true, required: true },
      { name: 'cv', type: 'file', required: true },
    ]);
    const { fields: wrong } = (await postJson(form.endpoint, {}, { 'accept-language': language })).body;
    expect(wrong.map(({ code }: Rule) => code)).toEqual(Array(4).fill('required'));
    expect(wrong.map(({ message }: Rule) => message)).toEqual(messages);
  });

  it('without JavaScript get a page that lists the errors by label, and leads back', async () => {
    const form = await formWith(fields);
    const answer = await postUrlencoded(form.endpoint, 'mail=&age=x', {
      accept: 'text/html',
      'accept-language': 'de',
      referer: 'https://example.com/contact',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<h1>Bitte prüfen Sie Ihre Angaben</h1>');
    expect(answer.text).toContain(
      '<strong><bdi>Ihre &lt;E-Mail&gt;</bdi></strong> Bitte füllen Sie dieses Feld aus.',
    );
    expect(answer.text).toContain('<bdi>age</bdi></strong> Bitte geben Sie eine Zahl ein.');
    expect(answer.text).toContain('href="https://example.com/contact"');
    // The hint that the back button keeps what was typed.
    expect(answer.text).toContain('class="hint"');
  });
});

describe('settings', () => {
  it('refuses rules that contradict each other, naming both', async () => {
    const form = await makeForm(server.url);
    const answer = await api.patch(`/api/v1/forms/${form.formId}`, {
      fields: [{ name: 'a', type: 'number', min: 2, max: 1 }],
    });
    expectFaults(answer, ['fields.0.min']);
    expect(answer.body.details[0].message).toBe('min contradicts max: 2 is more than 1');
  });

  it.each<[string, unknown, readonly string[]]>([
    ['too many', Array.from({ length: 201 }, (_, i) => ({ name: `f${i}`, type: 'text' })), ['fields']],
    ['an unknown type', [{ name: 'a', type: 'regex' }], ['fields.0.type']],
    ['an unknown setting', [{ name: 'a', type: 'text', pattern: '(a+)+' }], ['fields.0.pattern']],
    ['an empty name', [{ name: '', type: 'text' }], ['fields.0.name']],
    [
      'too many choices',
      [{ name: 'a', type: 'choice', choices: Array.from({ length: 501 }, (_, i) => `c${i}`) }],
      ['fields.0.choices'],
    ],
    [
      'too much of them',
      Array.from({ length: 150 }, (_, i) => ({ name: `f${i}`, type: 'text', help: 'x'.repeat(500) })),
      ['fields'],
    ],
  ])('refuses %s', async (_, fields, paths) => {
    const form = await makeForm(server.url);
    expectFaults(await api.patch(`/api/v1/forms/${form.formId}`, { fields }), [...paths]);
  });

  it('refuses a megabyte of rules', async () => {
    const form = await makeForm(server.url);
    const fields = Array.from({ length: 200 }, (_, i) => ({
      name: `f${i}`,
      type: 'text',
      help: 'x'.repeat(5_500),
    }));
    expect((await api.patch(`/api/v1/forms/${form.formId}`, { fields })).status).toBe(413);
  });
});

describe('output', () => {
  it('gives the rules as a JSON Schema and as types', async () => {
    const form = await formWith(
      [
        { name: 'email', type: 'email', label: 'E-mail */', required: true },
        { name: 'topic', type: 'choice', choices: ['a', 'b'], multiple: true },
      ],
      { unknown_fields: 'reject' },
    );
    const schema = await api.get(`/api/v1/forms/${form.formId}/schema`);
    expect(schema.body).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['email'],
      additionalProperties: false,
      properties: { email: { title: 'E-mail */', format: 'email' }, topic: { anyOf: expect.any(Array) } },
    });
    const types = (await api.get(`/api/v1/forms/${form.formId}/types.ts`)).text;
    expect(types).toContain('  /** E-mail *\\/ */\n  "email": string;\n');
    expect(types).toContain(`  "topic"?: "a" | "b" | ("a" | "b")[] | '' | null | [];`);
    expect(types).toContain('export interface ContactEvent {');
  });
});
