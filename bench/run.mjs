/**
 * Runs the figures: node bench/run.mjs [--quick] [--rows N] [name...]
 * Progress goes to stderr, a Markdown table to stdout, everything that was measured to results/.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { progress, round } from './numbers.mjs';
import { removeFolder } from './processes.mjs';

const names = ['ingest', 'images', 'delivery', 'postgres', 'upload-memory', 'list-page', 'start-up'];
const usage = `node bench/run.mjs [--quick] [--rows N] [${names.join('|')} ...]\n`;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { quick: { type: 'boolean', default: false }, rows: { type: 'string' } },
      allowPositionals: true,
    });
    const rows = Number(values.rows ?? (values.quick ? 50_000 : 1_000_000));
    const wrong = positionals.filter((name) => !names.includes(name));
    if (wrong.length > 0) throw new Error(`Unknown: ${wrong.join(', ')}`);
    if (!Number.isInteger(rows) || rows < 5_000) throw new Error('--rows is a whole number of at least 5000');
    return { quick: values.quick, rows, chosen: positionals.length > 0 ? positionals : names };
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    process.exit(1);
  }
}

const { quick, rows, chosen } = readArguments();
const build = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
if (spawnSync(process.execPath, [build, '--if-needed'], { stdio: ['ignore', 2, 2] }).status !== 0)
  process.exit(1);

/** Which sources were measured; `-dirty` when they were changed since that commit. */
function revision() {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const found = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: folder, encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : 'unknown';
}

/** Seeded once, by the first figure that asks; when only the start-up is measured, a small one will do. */
let data = null;
const seeded = async () => {
  const { seed } = await import('./seed.mjs');
  data ??= seed(chosen.includes('list-page') ? rows : Math.min(rows, 50_000));
  return data;
};

const startedAt = new Date();
const results = {
  at: startedAt.toISOString(),
  revision: revision(),
  node: process.version,
  cpus: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
  loadAverageBefore: loadavg().map((value) => round(value)),
  quick,
  figures: {},
};
try {
  for (const name of names.filter((one) => chosen.includes(one))) {
    const { run } = await import(`./${name}.mjs`);
    const from = performance.now();
    results.figures[name] = await run({ quick, seeded });
    results.figures[name].tookSeconds = round((performance.now() - from) / 1000, 1);
  }
} finally {
  // A seeding that failed has cleaned up after itself; the run then ends with its fault, not with a second one.
  await data?.then(
    ({ dataDir }) => removeFolder(dataDir),
    () => {},
  );
}
results.loadAverageAfter = loadavg().map((value) => round(value));

const table = Object.values(results.figures).flatMap((figure) => figure.rows);
const verdict = (met) => (met === null ? '' : met ? 'yes' : 'NO');
process.stdout.write('| figure | measured | goal | met |\n| --- | --- | --- | --- |\n');
for (const row of table) {
  process.stdout.write(`| ${row.figure} | ${row.value} | ${row.goal} | ${verdict(row.met)} |\n`);
}
const folder = fileURLToPath(new URL('./results/', import.meta.url));
mkdirSync(folder, { recursive: true });
const file = `${folder}${startedAt.toISOString().replaceAll(':', '-')}.json`;
writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
progress(`written to ${file}`);
