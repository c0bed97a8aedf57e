/**
 * `npm test`: sets up what the tests need, then runs all of them. Arguments go to the test runner.
 * Most tests use what TEST_DATABASE_URL and TEST_REDIS_URL name, else servers of our own. The servers' programs are needed
 * either way: some tests stop, freeze and crash theirs. What is missing is installed, where we may, or stops the run: a
 * test that did not run is no green one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const onPath = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
const isRoot = process.getuid?.() === 0;
const say = (text) => process.stderr.write(`${text}\n`);

/** Debian keeps the server's programs off the path. */
function hasPostgres() {
  const versions = '/usr/lib/postgresql';
  return (
    existsSync(versions) &&
    readdirSync(versions).some((version) => existsSync(join(versions, version, 'bin', 'initdb')))
  );
}

/** Debian packages whose programs the tests drive. */
const tools = [
  {
    package: 'chromium',
    isThere: () => ['chromium', 'chromium-browser', 'google-chrome'].some(onPath),
  },
  { package: 'strace', isThere: () => onPath('strace') },
  // A sample for receivers is run in it.
  { package: 'python3', isThere: () => onPath('python3') },
  { package: 'postgresql', isThere: hasPostgres },
  { package: 'pgbouncer', isThere: () => onPath('pgbouncer') || existsSync('/usr/sbin/pgbouncer') },
  {
    package: 'redis-server',
    isThere: () => ['redis-server', 'valkey-server'].some(onPath),
  },
  // The Ceph gateway: an S3 server that checks signatures.
  { package: 'radosgw', isThere: () => onPath('radosgw') },
  { package: 'ceph-mon', isThere: () => onPath('ceph-mon') },
  { package: 'ceph-osd', isThere: () => onPath('ceph-osd') },
  { package: 'ceph-common', isThere: () => onPath('ceph') },
];

// The tests stand before the examples in deploy/. Debian keeps servers off the path of ordinary users.
for (const name of ['nginx', 'caddy', 'haproxy']) {
  tools.push({ package: name, isThere: () => onPath(name) || existsSync(join('/usr/sbin', name)) });
}

const missing = () => tools.filter(({ isThere }) => !isThere()).map((tool) => tool.package);

function install(names) {
  say(`Installing ${names.join(', ')} for the tests …`);
  const quiet = {
    stdio: ['ignore', 'ignore', 2],
    // The tests start servers of their own; in runlevel 1 the packages do not start the machine's.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  };
  spawnSync('apt-get', ['update', '-qq'], quiet);
  // One by one: each line shows how far it is, and one that cannot be had does not keep the others away.
  for (const [index, name] of names.entries()) {
    say(`  ${name} (${index + 1} of ${names.length})`);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], quiet);
  }
}

if (missing().length > 0 && isRoot && onPath('apt-get')) install(missing());

const wanted = missing();
if (wanted.length > 0) {
  say(`The tests need more than is installed: sudo apt-get install ${wanted.join(' ')}`);
  process.exit(1);
}

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
