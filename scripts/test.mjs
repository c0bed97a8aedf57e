/**
 * `npm test` runs the fast tier, `npm run test:slow` the rest; files or folders as arguments run from any tier.
 * `npm run test:postgres` runs all tests that also run on PostgreSQL, only there. `npm run test:node -- 22` runs all HTTP tests of
 * the fast tier on that version of Node. Files as further arguments limit both to these. It installs what is missing where it may
 * (as root on Debian). Otherwise, tests that need a missing tool do not run and are listed at the end; with CI=true that is a
 * failure, because a test that did not run did not pass.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  nodeFolder,
  nodePackage,
  nodeProgram,
  nodeProject,
  nodeVersions,
  planOf,
  root,
} from './test-plan.mjs';

const say = (text) => process.stderr.write(`${text}\n`);
const [tierWord, ...words] = process.argv.slice(2);

/** `npm run test:node -- 22`: the first word is a version, not a word for the test runner. */
function nodeTier() {
  const wanted = `node${words.shift() ?? ''}`;
  const tiers = nodeVersions.map(nodeProject);
  if (tiers.includes(wanted)) return wanted;
  say(`Usage: npm run test:node -- VERSION, one of ${tiers.map((name) => name.slice(4)).join(', ')}`);
  process.exit(1);
}

const isPart = words.some((word) => /^(test|src|web)\b/.test(word));
const tier = tierWord === 'node' ? nodeTier() : isPart && tierWord !== 'postgres' ? 'all' : tierWord;
const isCi = process.env.CI === 'true';
const commandFor = ({ packages }) =>
  packages.length === 0
    ? 'git fetch --unshallow'
    : `sudo apt-get install --no-install-recommends ${packages.join(' ')}`;

function install(packages) {
  say(`Installing ${packages.join(', ')} for the tests …`);
  const quiet = {
    stdio: ['ignore', 'ignore', 2],
    // The tests start their own servers; in runlevel 1, the packages do not start the system's.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  };
  spawnSync('apt-get', ['update', '-qq'], quiet);
  // One by one, so that each line shows the progress, and an unavailable package does not prevent installing the others.
  for (const [index, name] of packages.entries()) {
    say(`  ${name} (${index + 1} of ${packages.length})`);
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], quiet);
  }
}

/** Installs the other versions of Node that the projects run on: packages that contain one program each. */
async function installNodes(projects) {
  for (const version of nodeVersions) {
    if (!Object.hasOwn(projects, nodeProject(version))) continue;
    if (existsSync(nodeProgram(version))) continue;
    const folder = nodeFolder(version);
    say(`Installing Node ${version} for the tests …`);
    mkdirSync(folder, { recursive: true });
    const words = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--prefer-offline'];
    const install = spawn('npm', [...words, `${nodePackage}@${version}`], { stdio: ['ignore', 'ignore', 2] });
    const [code] = await once(install, 'exit');
    if (code !== 0) throw new Error(`Node ${version} cannot be installed from the npm registry`);
  }
}

/** The test runner would build it too, but not while other versions of Node are being installed. */
async function buildWithSite() {
  const build = spawn(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-needed'], {
    stdio: 'inherit',
  });
  const [code] = await once(build, 'exit');
  if (code !== 0) process.exit(1);
}

const isMissing = (tool) => !tool.isThere();
let plan = planOf(tier);
const wanted = plan.tools.filter(isMissing).flatMap(({ packages }) => packages);
if (wanted.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  install(wanted);
  plan = planOf(tier);
}
const installable = [...plan.missing.keys()].filter(({ packages }) => packages.length > 0);
if (isCi && installable.length > 0) {
  say('The tests need more than is installed:');
  for (const tool of installable) say(`  ${commandFor(tool)}`);
  process.exit(1);
}
await Promise.all([installNodes(plan.projects), ...(tier === 'slow' ? [buildWithSite()] : [])]);

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(process.execPath, [vitest, 'run', ...words], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, INLET_TEST_TIER: tier },
});

if (plan.missing.size > 0) {
  say('\nNot run, because a tool is missing:');
  for (const [tool, files] of plan.missing) {
    say(`  ${tool.name}: ${files.length} ${files.length === 1 ? 'file' : 'files'}. ${commandFor(tool)}`);
  }
}
process.exit(run.status ?? 1);
