/**
 * `npm run fuzz -- --minutes 10 [--target multipart] [--seed N]`: the fuzzer of test/fuzz, for longer than the tests run it.
 * It is TypeScript, as the tests are, and needs none of their services: it is put together here and run without the runner.
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
  // Files are found from where a module stands, and all modules stand in one file now.
  transform: { define: { 'import.meta.url': 'globalThis.__sourceUrl' } },
  logLevel: 'warn',
});
// Beside the sources of the tests, two folders below the root, as they are.
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
