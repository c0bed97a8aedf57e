/**
 * Makes data-folder-0.1.0.json.gz: a data folder written by the program of the previous release, and the responses of that program. Run it
 * once for each release, on a built checkout of the release before:
 *
 *   node test/upgrade/make-data-folder.mjs ../inlet-0.1.0
 *
 * The content is always the same. Only ids, secrets and times differ between two runs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const apiKey = 'test-key-0123456789abcdef';
const user = { email: 'ada@example.com', password: 'an analytical engine' };

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const checkout = process.argv[2];
if (checkout === undefined) throw new Error('Name the folder of a built checkout of the previous release');
const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
const dataDir = mkdtempSync(join(tmpdir(), 'inlet-previous-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
// Nothing listens there, so every webhook is still pending at the end.
const webhookUrl = `http://127.0.0.1:${await freePort()}/hook`;

async function call(method, path, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

async function submit(endpoint, body, headers = {}) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body,
  });
  if (!response.ok) throw new Error(`submission: ${response.status} ${await response.text()}`);
  return response.json();
}

const submitJson = (endpoint, fields) =>
  submit(endpoint, JSON.stringify(fields), { 'content-type': 'application/json' });

function submitFile(endpoint, filename, type, content) {
  const body = new FormData();
  body.set('name', 'Ada');
  body.set('upload', new Blob([content], { type }), filename);
  return submit(endpoint, body);
}

/** Two projects, five forms, sixty submissions, ten files, twenty pending webhooks. */
async function fill() {
  const project = await call('POST', '/api/v1/projects', {
    name: 'Website',
    rate_limit_per_minute: 1_000_000,
  });
  const form = (settings) => call('POST', `/api/v1/projects/${project.id}/forms`, settings);
  const plain = await form({ name: 'Contact', success_redirect: 'https://example.com/thanks' });
  const hooked = await form({ name: 'Orders', webhook_url: webhookUrl });
  const uploads = await form({ name: 'Applications' });
  const trap = await form({ name: 'Newsletter', sandbox_api_key: 'sandbox-0123456789' });
  const load = await form({ name: 'Load', webhook_url: webhookUrl });
  await call('POST', '/api/v1/projects', { name: 'Empty', allowed_origins: ['example.com'] });

  for (let n = 0; n < 30; n += 1) {
    await submitJson(plain.endpoint, {
      n,
      name: `Visitor ${n}`,
      text: 'Grüße, 你好, 👋 '.repeat(n),
      nested: { list: [n, null] },
    });
  }
  for (let n = 0; n < 20; n += 1) await submitJson(hooked.endpoint, { order: n });
  const files = [];
  for (let n = 0; n < 8; n += 1) {
    const content = Buffer.alloc(n * 500, `line of file ${n}\n`);
    files.push(await submitFile(uploads.endpoint, `notes ${n}.txt`, 'text/plain', content));
  }
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const image = await submitFile(uploads.endpoint, 'pixel.png', 'image/png', Buffer.from(pixel, 'base64'));
  const deleted = await submitFile(uploads.endpoint, 'deleted.txt', 'text/plain', 'deleted');
  await call('DELETE', `/api/v1/files/${deleted.files[0].id}`);
  await submitJson(trap.endpoint, { email: 'bot@example.com', _gotcha: 'https://spam.example' });
  await call('POST', '/api/v1/api-keys', { name: 'Build', scope: 'read' });

  const ids = (made) => ({ formId: made.id, publicId: made.public_id });
  const fileIds = [...files, image].map((answer) => answer.files[0].id);
  return {
    projectId: project.id,
    forms: {
      plain: ids(plain),
      hooked: ids(hooked),
      uploads: ids(uploads),
      trap: ids(trap),
      load: ids(load),
    },
    fileIds,
    deletedFileId: deleted.files[0].id,
  };
}

/** Waits until the first attempt of every webhook has failed, so that nothing changes anymore before the end. */
async function untilAttempted(formId) {
  for (;;) {
    const page = await call('GET', `/api/v1/forms/${formId}/deliveries?limit=100`);
    if (page.data.every(({ attempts }) => (attempts.length ?? attempts) > 0)) return;
    await pause(50);
  }
}

async function answers({ projectId, forms, fileIds }) {
  const paths = [
    '/api/v1/projects',
    `/api/v1/projects/${projectId}`,
    `/api/v1/projects/${projectId}/forms`,
    '/api/v1/users',
    '/api/v1/api-keys',
    ...fileIds.map((id) => `/api/v1/files/${id}`),
  ];
  for (const { formId } of [forms.plain, forms.hooked, forms.uploads, forms.trap]) {
    const list = `/api/v1/forms/${formId}/submissions?limit=100`;
    paths.push(`/api/v1/forms/${formId}`, list);
    for (const { id } of (await call('GET', list)).data) paths.push(`/api/v1/submissions/${id}`);
  }
  paths.push(`/api/v1/forms/${forms.plain.formId}/submissions?q=visitor`);
  const found = {};
  for (const path of paths) found[path] = await call('GET', path);
  return JSON.parse(JSON.stringify(found).replaceAll(webhookUrl, '{webhook}').replaceAll(url, '{url}'));
}

function contents() {
  const files = {};
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'inlet.lock') continue;
    const path = join(entry.parentPath, entry.name);
    files[relative(dataDir, path)] = readFileSync(path).toString('base64');
  }
  return files;
}

const child = spawn(process.execPath, [join(resolve(checkout), 'dist/bundle/main.js'), 'serve'], {
  env: {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: url,
    DATA_DIR: dataDir,
    INLET_API_KEY: apiKey,
    INLET_ADMIN_EMAIL: user.email,
    INLET_ADMIN_PASSWORD: user.password,
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const exited = once(child, 'exit');
try {
  while (!(await fetch(`${url}/healthz`).catch(() => null))?.ok) await pause(50);
  const made = await fill();
  await untilAttempted(made.forms.hooked.formId);
  const expected = await answers(made);
  child.kill('SIGTERM');
  const [code] = await exited;
  if (code !== 0) throw new Error(`The service ended with ${code}`);
  const target = fileURLToPath(new URL(`data-folder-${version}.json.gz`, import.meta.url));
  const text = JSON.stringify({ version, user, webhookUrl, ...made, answers: expected, files: contents() });
  writeFileSync(target, gzipSync(text, { level: 9 }));
  process.stdout.write(`${target}\n`);
} finally {
  child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}
