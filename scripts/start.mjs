/**
 * `npm start`: builds what is missing, then serves, in one process so that signals reach the service. It does not wait for the
 * documentation, which takes longer to build than everything else: /docs is available once it is built.
 */
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const parent = process.ppid;
const build = [fileURLToPath(new URL('./build.mjs', import.meta.url)), '--if-needed'];
const built = spawnSync(process.execPath, [...build, '--without-site'], { stdio: ['ignore', 2, 2] });
if (built.status !== 0) process.exit(built.status ?? 1);
// npm was stopped during the build; not every shell passes that on.
if (process.ppid !== parent) process.exit(1);

const site = spawn(process.execPath, build, { stdio: 'ignore' });
site.on('error', () => {});
site.unref();
process.once('exit', () => site.kill());
await import('../dist/bundle/main.js');
