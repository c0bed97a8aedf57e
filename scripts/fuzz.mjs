/**
 * `npm run fuzz -- --minutes 10 [--target multipart] [--seed N]`: the fuzzer of test/fuzz, for longer than the tests run it.
 * Like the tests, it is TypeScript, but it needs none of their services: it is bundled here and runs without the test runner.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-needed'], {
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(built.status ?? 1);

const bundle = await rolldown({
  input: join(root, 'test', 'fuzz', 'main.ts'),
  platform: 'node',
  external: /^[^./]/,
  // Modules find files relative to their own location, and all of them are now in one file.
  transform: { define: { 'import.meta.url': 'globalThis.__sourceUrl' } },
  logLevel: 'warn',
});
// Two folders below the root, like the sources of the tests.
const folder = join(root, 'dist', 'fuzz');
const file = join(folder, `fuzz-${process.pid}.mjs`);
await bundle.write({ file, format: 'esm' });
globalThis.__sourceUrl = pathToFileURL(join(root, 'test', 'support', 'server.ts')).href;
try {
  const { main } = await import(pathToFileURL(file).href);
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(file, { force: true });
}
