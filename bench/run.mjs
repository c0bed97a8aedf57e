/**
 * Runs the figures: node bench/run.mjs [--quick] [--no-peers] [--rows N] [--minutes N] [name...]
 * or creates the page of one run: node bench/run.mjs publish [results.json]
 * Progress goes to stderr, a Markdown table to stdout, all measurements to results/.
 */
import { spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clockText, progress, round, startClock } from './numbers.mjs';
import { expectedSeconds, limitSeconds, names, usualNames } from './plan.mjs';
import { failedFigure, tableMarkdown, writeReport } from './report/report.mjs';
import { endRunning, removeFolder } from './servers/processes.mjs';

const usage =
  `node bench/run.mjs [--quick] [--no-peers] [--rows N] [--minutes N] [${names.join('|')} ...]\n` +
  'node bench/run.mjs publish [results.json]\n';
/** How long a figure has to clean up after its processes were killed. */
const clearUpMs = 30_000;

function readArguments() {
  const { values, positionals } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      rows: { type: 'string' },
      minutes: { type: 'string' },
    },
    allowPositionals: true,
  });
  if (positionals[0] === 'publish') return { publish: true, file: positionals[1] };
  const rows = Number(values.rows ?? (values.quick ? 10_000 : 1_000_000));
  // A quarter more than planned, for slower machines. That is enough for a million rows; more rows get two hours.
  const usualMinutes = (1.25 * expectedSeconds(usualNames, values.quick)) / 60;
  const minutes = Number(values.minutes ?? (rows > 1_000_000 ? 120 : usualMinutes));
  const wrong = positionals.filter((name) => !names.includes(name));
  if (wrong.length > 0) throw new Error(`Unknown: ${wrong.join(', ')}`);
  if (!Number.isInteger(rows) || rows < 5_000) throw new Error('--rows is a whole number of at least 5000');
  if (!(minutes > 0)) throw new Error('--minutes is a number above 0');
  return {
    quick: values.quick,
    rows,
    minutes,
    peerMode: values['no-peers'] ? 'none' : values.quick ? 'installed' : 'install',
    chosen: positionals.length === 0 ? usualNames : names.filter((name) => positionals.includes(name)),
  };
}

/** Installs peers before the clock starts, because that must not count as measuring. */
async function findPeers(modules, mode) {
  const { findPeer } = await import('./peers/install.mjs');
  const wanted = new Set(Object.values(modules).flatMap((each) => each.peers ?? []));
  const found = {};
  for (const name of wanted) found[name] = await findPeer(name, mode);
  return found;
}

/** One folder for all figures that need existing submissions. Each grows it to the size it needs. */
function seedOnce(rows) {
  let data = null;
  return {
    seeded: async () => {
      const { seed } = await import('./data/seed.mjs');
      data ??= seed(rows);
      return data;
    },
    // Failed seeding has cleaned up after itself. Its error is ignored here, so that the run does not report it twice.
    remove: () =>
      data?.then(
        ({ dataDir }) => removeFolder(dataDir),
        () => {},
      ),
  };
}

/** Returns the figure, or why there is none: its time was up, or the error it failed with. */
async function runFigure(name, run, given, seconds) {
  if (seconds <= 0) return failedFigure(name, 'not run: the time of the whole run was over');
  let timer;
  const tooLong = new Promise((resolve) => {
    timer = setTimeout(() => resolve('too long'), seconds * 1000);
  });
  const work = run(given);
  const outcome = await Promise.race([work, tooLong]).catch((error) => error);
  clearTimeout(timer);
  if (outcome instanceof Error) return failedFigure(name, `failed: ${outcome.message}`);
  if (outcome !== 'too long') return outcome;
  progress(`${name}: ${seconds} s are over, ending it`);
  // Repeated, because the figure may start more processes while it ends.
  const ending = setInterval(endRunning, 100);
  await Promise.race([work.catch(() => {}), pause(clearUpMs, undefined, { ref: false })]);
  clearInterval(ending);
  return failedFigure(name, `failed: it took longer than ${seconds} s`);
}

async function measure({ quick, rows, minutes, peerMode, chosen }) {
  const build = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
  if (spawnSync(process.execPath, [build, '--if-needed'], { stdio: ['ignore', 2, 2] }).status !== 0) return 1;
  const { describeMachine, revision } = await import('./servers/machine.mjs');
  const modules = Object.fromEntries(
    await Promise.all(chosen.map(async (name) => [name, await import(`./figures/${name}.mjs`)])),
  );
  const peers = await findPeers(modules, peerMode);
  const data = seedOnce(rows);
  const results = {
    at: new Date().toISOString(),
    revision: revision(),
    quick,
    ...describeMachine(),
    loadAverageBefore: loadavg().map((value) => round(value)),
    figures: {},
  };
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  try {
    for (const [i, name] of chosen.entries()) {
      startClock(startedAt, elapsed() + expectedSeconds(chosen.slice(i), quick));
      progress(`${name}: about ${expectedSeconds([name], quick)} s`);
      const from = elapsed();
      const seconds = Math.round(limitSeconds(name, quick, minutes * 60 - from, minutes * 60));
      const given = { quick, rows, seeded: data.seeded, peers };
      results.figures[name] = await runFigure(name, modules[name].run, given, seconds);
      results.figures[name].tookSeconds = round(elapsed() - from, 1);
      progress(`${name}: took ${results.figures[name].tookSeconds} s`);
    }
  } finally {
    await data.remove();
  }
  results.tookSeconds = round(elapsed(), 1);
  results.loadAverageAfter = loadavg().map((value) => round(value));
  process.stdout.write(tableMarkdown(results));
  progress(`written to ${writeReport(results)} in ${clockText(results.tookSeconds)}`);
  return Object.values(results.figures).some(({ failed }) => failed) ? 1 : 0;
}

async function main() {
  let wanted;
  try {
    wanted = readArguments();
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    return 1;
  }
  if (!wanted.publish) return measure(wanted);
  const { publish } = await import('./report/publish.mjs');
  try {
    for (const path of publish(wanted.file)) progress(`wrote ${path}`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

// Unlike a signal, an exit also ends the servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
process.exit(await main());
