/** The generated types of a form, checked against the bodies that its webhook receives: the TypeScript compiler accepts what arrives. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { filePart, textPart } from '../../support/bodies.js';
import { client, makeForm } from '../../support/client.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { postJson, postMultipart, postUrlencoded } from '../../support/visitor.js';
import { startHookServer } from '../../support/webhooks.js';

const run = promisify(execFile);
const compiler = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  [server, folder] = await Promise.all([startHookServer(), mkdtemp(join(tmpdir(), 'inlet-types-'))]);
});
afterAll(async () => {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

const rules = [
  { name: 'text', type: 'text', label: 'Ends */ here\u2028', required: true },
  { name: 'textarea', type: 'textarea' },
  { name: 'email', type: 'email', required: true },
  { name: 'emails', type: 'email', multiple: true },
  { name: 'url', type: 'url' },
  { name: 'tel', type: 'tel' },
  { name: 'number', type: 'number' },
  { name: 'integer', type: 'integer', required: true },
  { name: 'date', type: 'date' },
  { name: 'time', type: 'time' },
  { name: 'boolean', type: 'boolean' },
  { name: 'choice', type: 'choice', choices: ['a', '"b"\n\\'], required: true },
  { name: 'choices', type: 'choice', choices: ['x', 'y'], multiple: true },
  { name: 'file', type: 'file' },
  { name: 'files', type: 'file', multiple: true },
  { name: 'hidden', type: 'hidden' },
  { name: '__proto__', type: 'text' },
  { name: 'constructor', type: 'text' },
  { name: 'toString', type: 'text' },
  { name: 'hyphen-ated "name"', type: 'text' },
];

const needed = { text: 'T', email: 'ada@example.com', integer: 1, choice: 'a' };
const full = `{"text":5,"textarea":true,"email":"ada@example.com","emails":["a@b.co","c@d.co"],"url":"https://x",
  "tel":"1","number":1.50,"integer":"7","date":"2024-02-29","time":"10:00","boolean":false,"choice":"\\"b\\"\\n\\\\",
  "choices":["x","y"],"file":"","files":null,"hidden":12,"__proto__":"p","constructor":"c","toString":"s","hyphen-ated \\"name\\"":"h"}`;

/** Sends JSON, forms as a browser does, files and empty inputs. Returns their number. */
async function sendAll(endpoint: string, more: string): Promise<number> {
  const empty = Object.fromEntries(rules.map(({ name }) => [name, '']));
  const nothing = Object.fromEntries(rules.map(({ name }) => [name, null]));
  const lists = Object.fromEntries(rules.map(({ name }) => [name, []]));
  const bodies = [
    JSON.stringify(needed),
    full,
    ...[empty, nothing, lists].map((b) => JSON.stringify({ ...b, ...needed })),
  ];
  const sent = await Promise.all([
    ...bodies.map((body) => postJson(endpoint, body.replace(/}$/, `${more}}`))),
    postUrlencoded(
      endpoint,
      'text=T&email=a%40b.co&integer=1&choice=a&choices=x&choices=y&boolean=on&_subject=Hi',
      {
        accept: 'application/json',
      },
    ),
    postMultipart(
      endpoint,
      [
        ...Object.entries(needed).map(([name, value]) => textPart(name, String(value))),
        filePart('file', 'a.txt', 'a', 'text/plain'),
        ...['b.txt', 'c.txt'].map((name) => filePart('files', name, 'x', 'text/plain')),
      ],
      { accept: 'application/json' },
    ),
  ]);
  for (const { status, text } of sent) expect([status, text]).toEqual([200, expect.any(String)]);
  return sent.length;
}

/** The errors of the compiler, as `file(line): error`. */
async function errorsIn(name: string, program: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, program);
  const options = [
    '--ignoreConfig',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--module',
    'nodenext',
    '--types',
    '',
  ];
  const { stdout } = await run(process.execPath, [compiler, ...options, file], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

it.each([
  ['keep', ',"other":{"deep":[1]}'],
  ['drop', ',"other":{"deep":[1]}'],
  ['reject', ''],
])('compile against real bodies of a form that has every type, unknown fields: %s', async (mode, more) => {
  const receiver = await startAnswering({ status: 200 });
  const form = await makeForm(server.url, {
    form: { webhook_url: receiver.url, fields: rules, unknown_fields: mode },
  });
  const count = await sendAll(form.endpoint, more);
  await expect.poll(() => receiver.requests.length).toBe(count);
  const bodies = receiver.requests.map(({ body }) => body.toString());
  expect(bodies.some((body) => body.includes('"filename":"c.txt"'))).toBe(true);
  const types = (await client(server.url).get(`/api/v1/forms/${form.formId}/types.ts`)).text;
  await writeFile(join(folder, `${mode}.ts`), types);
  const received = (body: string) =>
    `import type { ContactEvent } from './${mode}.js';\nexport const event: ContactEvent[] = [${body}];\n`;
  expect(await errorsIn(`${mode}-received.ts`, received(bodies.join(',\n')))).toBe('');
  // The types do rule something out: none of these could arrive.
  const [body = ''] = bodies.filter((each) => each.includes('"text":5'));
  for (const [from, to] of [
    ['"choices":["x","y"]', '"choices":["z"]'],
    ['"text":5,', ''],
    ['"date":"2024-02-29"', '"date":5'],
    ...(mode === 'keep' ? [] : [['"text":5', '"text":5,"more":1']]),
  ] as const) {
    const wrong = body.replace(from, to);
    expect(wrong).not.toBe(body);
    expect(await errorsIn(`${mode}-wrong.ts`, received(wrong)), to).toMatch(/error TS/);
  }
  await receiver.close();
});
