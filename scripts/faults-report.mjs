/**
 * `node scripts/faults-report.mjs [ID …]`: repeats every fault of the report, and writes how often each was caused and what was
 * lost into docs/explanation/durability.json; `npm run docs` generates docs/explanation/faults.md from it. With ids, only those.
 *
 * CRASH_CYCLES (12) and SIM_SEEDS (2000) make it longer; each is more than the tests do before every change.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { casedFaults, countedFaults } from './faults/list.mjs';
import { updateResults } from './faults/results.mjs';
import { runTests } from './sabotage/run-tests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const asked = process.argv.slice(2);
const all = [...countedFaults, ...casedFaults];
const wanted = asked.length > 0 ? all.filter(({ id }) => asked.includes(id)) : all;
const isCounted = (one) => countedFaults.includes(one);
const say = (text) => process.stdout.write(text);
const { CRASH_CYCLES = '12', SIM_SEEDS = '2000' } = process.env;

/** Sums the counts that the tests recorded. What no test counts has no sum. */
function sumOf(file) {
  const sum = {};
  if (!existsSync(file)) return sum;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { id: _, ...counts } = JSON.parse(line);
    for (const [key, count] of Object.entries(counts)) sum[key] = (sum[key] ?? 0) + count;
  }
  return sum;
}

let red = 0;
const folder = mkdtempSync(join(tmpdir(), 'inlet-faults-'));
try {
  for (const [index, one] of wanted.entries()) {
    say(`${String(index + 1).padStart(2)}/${wanted.length}  ${one.id.padEnd(20)} `);
    const file = join(folder, one.id);
    const tests = await runTests(root, one.files, one.names, {
      ...{ FAULT_COUNTS_FILE: file, CRASH_CYCLES, SIM_SEEDS },
    });
    const failed = tests.filter(({ passed }) => !passed);
    red += failed.length;
    const counts = isCounted(one) ? sumOf(file) : null;
    const done = { cases: tests.length, failed: failed.length, ...counts };
    updateResults(root, (results) => {
      results.faults[one.id] = done;
    });
    say(`${JSON.stringify(done)}\n`);
    for (const { name, said } of failed) say(`\n${name}\n${said}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(red > 0 ? 1 : 0);
