/**
 * `npm test`: sets up what the tests need, then runs all of them. Arguments go to the test runner.
 * What can be installed is installed; what cannot is said, never skipped in silence.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const onPath = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
const isRoot = process.getuid?.() === 0;
const say = (text) => process.stderr.write(`${text}\n`);

/** Debian packages that some tests drive: a browser, and the tracer that shows the order of syncs. */
const tools = [
  {
    package: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    covers: 'test/browser',
  },
  { package: 'strace', commands: ['strace'], covers: 'the system-call variant of test/crash/sync-order' },
];

const missing = () => tools.filter((tool) => !tool.commands.some(onPath));

if (missing().length > 0 && isRoot && onPath('apt-get')) {
  const names = missing().map((tool) => tool.package);
  say(`Installing ${names.join(' and ')} for the tests …`);
  const quiet = {
    stdio: ['ignore', 'ignore', 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], quiet);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], quiet);
}

const excluded = [];
for (const tool of missing()) {
  say(`NOT RUN: ${tool.covers}. It needs ${tool.package}: sudo apt-get install ${tool.package}`);
  if (tool.covers === 'test/browser') excluded.push('--exclude', 'test/browser/**');
}

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(process.execPath, [vitest, 'run', ...excluded, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
