/** Clients generated from /openapi.json: they compile, and work against the server that the document is from. */
import { execFile } from 'node:child_process';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKey, type RunningServer, startServer, temporaryFolder } from '../support/server.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** Both programs take the same steps, and print what they saw. */
const programs = {
  'openapi-fetch.ts': `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const project = await client.POST('/api/v1/projects', { body: { name: 'Website' } });
if (project.error) throw new Error(project.error.code);
const form = await client.POST('/api/v1/projects/{id}/forms', {
  params: { path: { id: project.data.id } },
  body: { name: 'Contact', retention_days: 30 },
});
if (form.error) throw new Error(form.error.code);
const content = new FormData();
content.append('name', 'Ada');
content.append('file', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
const sent = await client.POST('/f/{form_id}', {
  params: { path: { form_id: form.data.public_id } },
  headers: { accept: 'application/json' },
  body: {},
  bodySerializer: () => content,
});
if (sent.error !== undefined || sent.data === undefined) throw new Error('not sent');
const listed = await client.GET('/api/v1/forms/{id}/submissions', {
  params: { path: { id: form.data.id }, query: { limit: 10 } },
});
if (listed.error) throw new Error(listed.error.code);
const exported = await client.GET('/api/v1/forms/{id}/submissions/export', {
  params: { path: { id: form.data.id }, query: { format: 'csv' } },
  parseAs: 'text',
});
const [file] = listed.data.data[0]?.files ?? [];
const downloaded = await client.GET('/api/v1/files/{id}/download', {
  params: { path: { id: file?.id ?? '' } },
  parseAs: 'text',
});
const missing = await client.GET('/api/v1/forms/{id}', { params: { path: { id: 'none' } } });
// @ts-expect-error a field that does not exist
void (() => listed.data.data[0]?.nothing);
console.log(JSON.stringify({
  names: listed.data.data.map(({ data }) => data.name),
  isSent: sent.data.submission_id === listed.data.data[0]?.id,
  lines: exported.data?.trim().split('\\n').length,
  file: downloaded.data,
  code: missing.error?.code,
}));
`,
  'hey-api.ts': `
import { client } from './hey-api/client.gen.js';
import * as api from './hey-api/sdk.gen.js';

const [baseUrl = '', key = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key });
const throwOnError = true;

const { data: project } = await api.createProject({ body: { name: 'Website' }, throwOnError });
const { data: form } = await api.createForm({
  path: { id: project.id },
  body: { name: 'Contact', retention_days: 30 },
  throwOnError,
});
const content = new FormData();
content.append('name', 'Ada');
content.append('file', new Blob(['hello'], { type: 'text/plain' }), 'hello.txt');
const { data: sent } = await api.submitForm({
  path: { form_id: form.public_id },
  body: Object.fromEntries(content),
  bodySerializer: () => content,
  headers: { accept: 'application/json', 'Content-Type': null },
  throwOnError,
});
const { data: listed } = await api.listFormSubmissions({
  path: { id: form.id },
  query: { limit: 10 },
  throwOnError,
});
const { data: exported } = await api.exportSubmissions({
  path: { id: form.id },
  query: { format: 'csv' },
  throwOnError,
});
const [file] = listed.data[0]?.files ?? [];
const { data: downloaded } = await api.downloadFile({ path: { id: file?.id ?? '' }, parseAs: 'blob', throwOnError });
const { error: missing } = await api.getForm({ path: { id: 'none' } });
// @ts-expect-error a field that does not exist
void (() => listed.data[0]?.nothing);
console.log(JSON.stringify({
  names: listed.data.map(({ data }) => data.name),
  isSent: typeof sent === 'object' && sent.submission_id === listed.data[0]?.id,
  lines: exported.trim().split('\\n').length,
  file: await downloaded.text(),
  code: missing?.code,
}));
`,
};

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await temporaryFolder();
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const document = join(folder, 'openapi.json');
  await writeFile(document, await (await fetch(`${server.url}/openapi.json`)).text());
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run(process.execPath, [
    fileURLToPath(new URL('generate-clients.mjs', import.meta.url)),
    document,
    folder,
  ]);
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  const options = [
    '--ignoreConfig',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2023,dom',
  ];
  const files = Object.keys(programs).map((name) => join(folder, name));
  await run(process.execPath, [tsc, ...options, '--types', 'node', ...files], { cwd: folder }).catch(
    (error) => {
      throw new Error(error.stdout);
    },
  );
}, 300_000);
afterAll(async () => {
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

it.each(Object.keys(programs))('%s creates, submits, lists, exports and downloads', async (name) => {
  const program = join(folder, name.replace(/ts$/, 'js'));
  const { stdout } = await run(process.execPath, [program, server.url, apiKey]);
  expect(JSON.parse(stdout)).toEqual({
    names: ['Ada'],
    isSent: true,
    lines: 2,
    file: 'hello',
    code: 'form_not_found',
  });
});
