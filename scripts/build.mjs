/**
 * Builds dist/ from src/, client/ and web/. First module by module, which is what the contract tests import; then dist/bundle,
 * which is what runs: the service and the pure JavaScript it uses, in a few files. Loaded module by module, it took 1.5 s to
 * start instead of 0.9 s. Meanwhile, a separate process builds the documentation site (scripts/build-site.mjs). --if-needed builds
 * only what is missing or out of date. --server-only skips the dashboard and the site. --without-site leaves an existing site as
 * it is.
 *
 * `--break=NAME --out=FOLDER` builds nothing here, but a deliberately broken program in another folder, to check that the tests
 * notice (scripts/sabotage.mjs).
 */
import './require-node.mjs';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { takeTurn } from './build-turn.mjs';
import { collectPackages, writeNotices } from './bundled-packages.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const siteStamp = join(dist, '.site-built');

const newestIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((newest, entry) => Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);

/** Whether a part was built after the last change of its sources. */
function isFresh(builtAt, folders, files) {
  if (!existsSync(builtAt)) return false;
  const sources = folders.map((name) => newestIn(join(root, name)));
  const others = files.map((name) => statSync(join(root, name)).mtimeMs);
  return statSync(builtAt).mtimeMs > Math.max(...sources, ...others);
}

const isProgramFresh = () =>
  isFresh(stamp, ['src', 'client', 'web'], ['package.json', 'tsconfig.json', 'tsconfig.build.json']);
const isSiteFresh = () =>
  isFresh(siteStamp, ['docs', 'web/src/ui'], ['package.json', 'scripts/build-site.mjs']);

/** Runs in parallel: it takes as long as everything else and depends on none of it. */
function startSite() {
  process.stderr.write('Building the documentation …\n');
  rmSync(siteStamp, { force: true });
  const child = spawn(process.execPath, [join(root, 'scripts', 'build-site.mjs')], {
    stdio: ['ignore', 2, 2],
  });
  return once(child, 'exit').then(([code]) => {
    if (code !== 0) process.exit(code ?? 1);
  });
}

/** Removes everything but the site, which may be up to date or being built. */
function clearDist() {
  const kept = ['site', 'site.br', '.site-built', '.site-packages.json', '.building'];
  const names = existsSync(dist) ? readdirSync(dist) : [];
  for (const name of names.filter((each) => !kept.includes(each)))
    rmSync(join(dist, name), { recursive: true, force: true });
}

/** One file each, as a classic script that adds no names to the global scope. */
async function buildBrowserScripts(packages) {
  const { rolldown } = await import('rolldown');
  for (const [name, entry] of [
    ['inlet.js', 'inlet.ts'],
    ['inlet-solver.js', 'solver.ts'],
    ['inlet-embed.js', 'embed.ts'],
  ]) {
    const script = await rolldown({
      input: join(root, 'client', entry),
      platform: 'browser',
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
      transform: { target: 'es2019' },
      tsconfig: join(root, 'client', 'tsconfig.json'),
      logLevel: 'warn',
    });
    const file = join(dist, 'client', name);
    collectPackages(packages, await script.write({ file, format: 'iife', minify: true }));
  }
}

/** Compressed once, here, at the highest level: the service only sends the files. */
async function buildDashboard(packages) {
  // NODE_ENV is set because the caller may be a test run: React would then be built with all its warnings, 70 kB more.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const web = join(root, 'web');
  collectPackages(packages, await build({ root: web, logLevel: 'warn' }), web);
  const assets = join(dist, 'web', 'assets');
  // Fonts are already compressed.
  for (const name of readdirSync(assets).filter((each) => !each.endsWith('.woff2'))) {
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(readFileSync(join(assets, name))));
  }
}

const wordAfter = (name) =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? null;
const isServerOnly = process.argv.includes('--server-only');
const isLazy = process.argv.includes('--if-needed');

/** The other packages that each part uses. One list per part, because one may be built without the other. */
const packageLists = ['program', 'site'].map((part) => join(dist, `.${part}-packages.json`));
const [ofProgram] = packageLists;

function writeNoticesOfParts() {
  const lists = packageLists.filter(existsSync).map((file) => JSON.parse(readFileSync(file, 'utf8')));
  writeNotices(dist, new Set(lists.flat()));
}

async function buildProgram() {
  process.stderr.write('Building Inlet …\n');
  if (!isServerOnly) clearDist();
  const compiled = spawnSync(
    process.execPath,
    // A partial build must be quick: types are checked by the full build.
    [compiler, '-p', join(root, 'tsconfig.build.json'), ...(isServerOnly ? ['--noCheck'] : [])],
    { stdio: ['ignore', 2, 2] },
  );
  if (compiled.status !== 0) process.exit(compiled.status ?? 1);
  const migrations = join(root, 'src', 'adapters', 'sql', 'migrations');
  cpSync(migrations, join(dist, 'adapters', 'sql', 'migrations'), { recursive: true });

  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: {
      main: join(dist, 'main.js'),
      'sqlite-thread': join(dist, 'adapters', 'sql', 'sqlite', 'sqlite-thread.js'),
      'file-thread': join(dist, 'adapters', 'blobs', 'file-thread.js'),
      'codec-process': join(dist, 'adapters', 'imaging', 'codec-process.js'),
    },
    platform: 'node',
    // Packages that are native, have files beside their code, or are CommonJS that loads its parts at run time.
    external: [
      /^node:/,
      '@photostructure/sqlite',
      '@node-rs/argon2',
      /^@aws-sdk\//,
      'ioredis',
      'pg',
      'sharp',
    ],
    logLevel: 'warn',
  });
  const folder = join(dist, 'bundle');
  const written = {
    dir: folder,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: true,
    comments: false,
    // With a single character beyond Latin-1, V8 stores a file as two bytes per character: 4.5 MB more. Lines and names stay,
    // for stack traces.
    minify: { compress: false, mangle: false, codegen: { asciiOnly: true, removeWhitespace: false } },
  };
  const packages = new Set();
  collectPackages(packages, await bundle.write(written));
  cpSync(migrations, join(folder, 'migrations'), { recursive: true });

  await buildBrowserScripts(packages);
  if (!isServerOnly) {
    await buildDashboard(packages);
    writeFileSync(ofProgram, JSON.stringify([...packages]));
  }

  // This is the command `inlet`. What links to it may not make it executable again after a rebuild.
  chmodSync(join(folder, 'main.js'), 0o755);
  writeFileSync(stamp, '');
}

if (wordAfter('break') !== null) {
  const { buildBroken } = await import('./sabotage/broken-tree.mjs');
  buildBroken(root, wordAfter('break'), wordAfter('out'));
} else {
  const wanted = () => ({
    isProgramWanted: !isLazy || !isProgramFresh(),
    isSiteWanted: !isServerOnly && !process.argv.includes('--without-site') && (!isLazy || !isSiteFresh()),
  });
  const isAnyWanted = Object.values(wanted()).includes(true);
  if (isAnyWanted && !existsSync(compiler)) {
    process.stderr.write('The compiler is not installed. Run: npm ci --include=dev\n');
    // Installing without development tools is not an error in itself; starting without a build is.
    process.exit(process.env.npm_lifecycle_event === 'prepare' ? 0 : 1);
  }
  if (isAnyWanted) await takeTurn(join(dist, '.building'));
  // Another build may have done it meanwhile.
  const { isProgramWanted, isSiteWanted } = wanted();
  const site = isSiteWanted ? startSite() : null;
  if (isProgramWanted) await buildProgram();
  await site;
  if (!isServerOnly && (isProgramWanted || isSiteWanted)) writeNoticesOfParts();
}
