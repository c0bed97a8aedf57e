/** A process that opens the store at the given path, runs one step of its search index after another, and prints each. */
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';

const engine = await openSqlite({
  path: process.argv[2],
  readers: 1,
  now: Date.now,
  mayMigrate: false,
  onFatal() {},
});
while (await engine.indexStep()) process.stdout.write('step\n');
process.stdout.write('end\n');
await engine.close();
