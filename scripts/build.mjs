/** Builds dist/ from src/: compiles, then puts beside the code what is not code. Run it with --if-needed to build only what is missing or old. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');

const newestIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((newest, entry) => Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);

function isFresh() {
  if (!existsSync(stamp)) return false;
  if (!existsSync(join(root, 'src'))) return true; // an installed package carries no sources
  const configs = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map(
    (name) => statSync(join(root, name)).mtimeMs,
  );
  return statSync(stamp).mtimeMs > Math.max(newestIn(join(root, 'src')), ...configs);
}

if (!process.argv.includes('--if-needed') || !isFresh()) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    process.stderr.write('The compiler is not installed. Run: npm ci --include=dev\n');
    process.exit(1);
  }
  process.stderr.write('Building Inlet …\n');
  rmSync(dist, { recursive: true, force: true });
  const compiled = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  if (compiled.status !== 0) process.exit(compiled.status ?? 1);
  const migrations = join('adapters', 'sql', 'migrations');
  cpSync(join(root, 'src', migrations), join(dist, migrations), { recursive: true });
  writeFileSync(stamp, '');
}
