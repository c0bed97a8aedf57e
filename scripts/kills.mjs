/**
 * `npm run kills -- --times 1000`: kills the server that many times under load, and checks each time whether anything that it
 * acknowledged is lost. It works in batches on fresh data, so that the thousandth kill takes no longer than the first, and
 * reports progress after each.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './test-plan.mjs';

const mostCycles = 20;
/** Each cycle of the tests kills about three times: without idempotency keys, with them, and while webhooks are sent. */
const killsPerCycle = 3;
const { values } = parseArgs({ options: { times: { type: 'string', default: '100' } } });
const times = Number(values.times);
if (!Number.isInteger(times) || times < 1) {
  process.stderr.write('--times takes a whole number of at least 1\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'inlet-kills-'));
const countsFile = join(folder, 'counts');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const files = ['test/crash/sigkill.test.ts', 'test/crash/delivery.test.ts'];

/** Runs one batch. Returns the counts; throws when a test failed. */
function kill(cycles) {
  writeFileSync(countsFile, '');
  const run = spawnSync(process.execPath, [vitest, 'run', '--project', 'embedded', ...files], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CRASH_CYCLES: String(cycles), FAULT_COUNTS_FILE: countsFile },
  });
  if (run.status !== 0) {
    process.stderr.write(run.stdout + run.stderr);
    throw new Error('A test failed; its output is above, with the seed that repeats it (CRASH_SEED)');
  }
  const lines = readFileSync(countsFile, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const sum = { kills: 0, acknowledged: 0, lost: 0 };
const started = Date.now();
try {
  while (sum.kills < times) {
    const cycles = Math.min(mostCycles, Math.ceil((times - sum.kills) / killsPerCycle));
    for (const { faults, acknowledged, lost } of kill(cycles)) {
      sum.kills += faults;
      sum.acknowledged += acknowledged;
      sum.lost += lost;
    }
    const seconds = (Date.now() - started) / 1000;
    const left = Math.max(0, (seconds / sum.kills) * (times - sum.kills));
    process.stdout.write(
      `${sum.kills} of ${times} kills, ${sum.acknowledged} submissions acknowledged, ${sum.lost} lost; ` +
        `${Math.round(seconds)} s, about ${Math.ceil(left)} s left\n`,
    );
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
