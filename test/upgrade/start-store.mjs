/** A process that prints "ready", waits for input, opens the store at the given path and exits with 0. */
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';

process.stdin.once('data', async () => {
  const engine = await openSqlite({
    path: process.argv[2],
    readers: 1,
    now: Date.now,
    mayMigrate: true,
    onFatal() {},
  });
  await engine.check();
  await engine.close();
  process.exit(0);
});
process.stdout.write('ready');
