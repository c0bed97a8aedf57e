/** `npm start`: builds what is missing, then serves, in one process so that signals reach the service. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const parent = process.ppid;
const built = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('./build.mjs', import.meta.url)), '--if-needed'],
  {
    stdio: ['ignore', 2, 2],
  },
);
if (built.status !== 0) process.exit(built.status ?? 1);
// npm was stopped during the build; not every shell passes that on.
if (process.ppid !== parent) process.exit(1);
await import('../dist/bundle/main.js');
