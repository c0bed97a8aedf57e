/**
 * Directus as a form endpoint: one collection that the public may add to. The empty database is created once, when the peer
 * is installed, and copied for each run.
 */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { runToEnd, start } from '../../servers/processes.mjs';

const collection = 'contact';
export const directusPath = `/items/${collection}`;

const entryOf = (folder) => join(folder, 'node_modules', 'directus', 'cli.js');
const templateOf = (folder) => join(folder, 'template.db');
const admin = { email: 'admin@example.com', password: 'bench-password-0123456789' };

/** Shown in the report. Everything else has Directus's defaults: no cache, no e-mail, no extensions. */
export const settings = {
  DB_CLIENT: 'sqlite3',
  RATE_LIMITER_ENABLED: 'false',
  LOG_LEVEL: 'warn',
  TELEMETRY: 'false',
  WEBSOCKETS_ENABLED: 'false',
  NODE_ENV: 'production',
};

export const described = `${Object.entries(settings)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n')}
# Database: PRAGMA journal_mode = WAL; synchronous stays at SQLite's own default, FULL.
# Collection "${collection}": id (uuid), name, email, message, age, topics; accountability off, so no activity or revision rows.
# Policy "Public": create on this collection and nothing else; an answer is 204 without a body.`;

const environment = (database, port, url) => ({
  ...settings,
  DB_FILENAME: database,
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: url,
  KEY: '01900000-0000-4000-8000-000000000000',
  SECRET: 'bench-secret-0123456789-0123456789',
  ADMIN_EMAIL: admin.email,
  ADMIN_PASSWORD: admin.password,
});

const startOn = (folder, database) =>
  start(
    entryOf(folder),
    ['start'],
    (port, url) => environment(database, port, url),
    '/server/ping',
    [],
    // Directus writes its extensions folder and looks for its settings file in the working directory.
    { cwd: folder, startTimeoutMs: 90_000 },
  );

export async function startDirectus(folder, dataDir) {
  mkdirSync(dataDir, { recursive: true });
  const database = join(dataDir, 'directus.db');
  copyFileSync(templateOf(folder), database);
  return startOn(folder, database);
}

async function ask(server, method, path, body, token) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text).data;
}

const field = (name, type) => ({ field: name, type, schema: {}, meta: {} });

async function makeCollection(server) {
  const { access_token: token } = await ask(server, 'POST', '/auth/login', admin);
  const id = {
    field: 'id',
    type: 'uuid',
    schema: { is_primary_key: true, length: 36 },
    meta: { special: ['uuid'] },
  };
  await ask(
    server,
    'POST',
    '/collections',
    {
      collection,
      schema: {},
      meta: { accountability: null },
      fields: [
        id,
        field('name', 'string'),
        field('email', 'string'),
        field('message', 'text'),
        field('age', 'integer'),
        { ...field('topics', 'json'), meta: { special: ['cast-json'] } },
      ],
    },
    token,
  );
  // The policy of anonymous requests is the one that is assigned to no role and no user.
  const access = await ask(
    server,
    'GET',
    '/access?filter[role][_null]=true&filter[user][_null]=true',
    null,
    token,
  );
  await ask(
    server,
    'POST',
    '/permissions',
    {
      policy: access[0].policy,
      collection,
      action: 'create',
      fields: ['*'],
      permissions: {},
      validation: {},
    },
    token,
  );
}

/** Leaves an empty collection in a database in WAL mode, which is stored in the file itself. */
export async function prepare(folder) {
  const database = templateOf(folder);
  await runToEnd(process.execPath, [entryOf(folder), 'bootstrap'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment(database, 0, 'http://127.0.0.1') },
  });
  const server = await startOn(folder, database);
  try {
    await makeCollection(server);
    const answer = await fetch(server.url + directusPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada', topics: ['engines'] }),
    });
    if (!answer.ok) throw new Error(`the public may not create: ${answer.status} ${await answer.text()}`);
  } finally {
    await server.end();
  }
  const db = new DatabaseSync(database);
  db.exec(`DELETE FROM ${collection}; PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
}
