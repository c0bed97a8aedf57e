/** A process that opens the store at the given path, and for each line that it reads runs a step of its search index, and says so. */
import { createInterface } from 'node:readline';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';

const engine = await openSqlite({
  path: process.argv[2],
  readers: 1,
  now: Date.now,
  mayMigrate: false,
  onFatal() {},
});
for await (const _ of createInterface(process.stdin)) {
  await engine.indexStep();
  process.stdout.write('step\n');
}
await engine.close();
