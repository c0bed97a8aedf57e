/**
 * The soak: node bench/soak.mjs [--minutes N | --seconds N] [--rate N] [--out FOLDER]
 *
 * Runs the built program under everything that people do with it, with endpoints that fail in every way and with restarts. At
 * the end, compares a ledger of what was acknowledged with what is stored. Exits with 1 when a check fails.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startReceivers } from './load/faulty-receivers.mjs';
import { adminSettings, createMixedLoad } from './load/mixed-load.mjs';
import { progress, round } from './numbers.mjs';
import { apiKey, makeForm, removeFolder, startInlet, temporaryFolder } from './servers/processes.mjs';
import { checkAnswers, checkDeliveries, checkLedger, checkResources } from './soak/checks.mjs';
import { createLedger } from './soak/ledger.mjs';
import { writeReport } from './soak/report.mjs';
import { sampleOf } from './soak/samples.mjs';

const usage = 'node bench/soak.mjs [--minutes N | --seconds N] [--rate N] [--out FOLDER]\n';
const webhookTimeout = '2s';
const retryDelays = '1s,2s,4s,8s';
const keep = 2_000;
const settleMs = 60_000;
const leastSeconds = 5;

/** Per hundred of `--rate`. Far below what one core can take, so that faults show and not the load. */
const shares = {
  ...{ json: 60, urlencoded: 15, file: 4, picture: 1, large: 0.5, honeypot: 4 },
  ...{ list: 4, search: 4, export: 0.1, variant: 4, numbers: 0.5, deliveries: 1, signIn: 0.1 },
};
/** How many of a thousand submissions go to each endpoint. One that hangs blocks its own lane for the whole timeout. */
const perThousand = { healthy: 940, failing: 20, refusing: 20, cutting: 10, slow: 8, hanging: 2 };

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        seconds: { type: 'string' },
        rate: { type: 'string', default: '50' },
        out: { type: 'string' },
      },
    });
    const seconds = Number(values.seconds ?? Number(values.minutes ?? 10) * 60);
    const rate = Number(values.rate);
    if (!(seconds >= leastSeconds)) throw new Error(`a soak takes ${leastSeconds} seconds at least`);
    if (!(rate >= 5 && rate <= 1_000))
      throw new Error('--rate is a number of requests a second, from 5 to 1000');
    return { seconds, rate, out: values.out ?? fileURLToPath(new URL('./results/', import.meta.url)) };
  } catch (error) {
    process.stderr.write(`${error.message}\n${usage}`);
    process.exit(2);
  }
}

function revision() {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const found = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: folder, encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : 'unknown';
}

/** One form for each endpoint. `any` chooses one at random, weighted by `perThousand`. */
async function makeForms(server, urls) {
  const forms = {};
  for (const [receiver, url] of Object.entries(urls)) {
    forms[receiver] = { receiver, ...(await makeForm(server, { webhook_url: url })) };
  }
  const draw = Object.entries(perThousand).flatMap(([receiver, count]) => Array(count).fill(forms[receiver]));
  return {
    forms: Object.values(forms),
    any: () => draw[Math.floor(Math.random() * draw.length)],
    healthy: forms.healthy,
  };
}

const { seconds, rate, out } = readArguments();
const build = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
if (spawnSync(process.execPath, [build, '--if-needed'], { stdio: ['ignore', 2, 2] }).status !== 0)
  process.exit(1);

const settings = { ...adminSettings, WEBHOOK_TIMEOUT: webhookTimeout, WEBHOOK_RETRY_DELAYS: retryDelays };
const rates = Object.fromEntries(Object.entries(shares).map(([kind, share]) => [kind, (share * rate) / 100]));
// Unlike a signal, an exit also ends the servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const startedAt = new Date();
const dataDir = await temporaryFolder();
const receivers = await startReceivers();
const ledger = createLedger();
/** Submissions to the healthy endpoint. Even the deleted ones must have arrived. */
const toHealthy = [];
const answers = {};
const samples = [];
const restarts = [];
let server = await startInlet(dataDir, settings);
let isAway = false;
/** When the last restart ended. */
let backAt = 0;
let isOver = false;
let exitCode = 1;
let load = null;
try {
  const { forms, any, healthy } = await makeForms(server, receivers.urls);
  const reads = new Set(['list', 'search', 'export', 'deliveries']);
  load = await createMixedLoad({
    server: () => server,
    formOf: (kind) => (reads.has(kind) ? healthy : any()),
    answered(kind, status, ms, headers) {
      const name = `${kind} ${status === 0 ? 'no answer' : status}`;
      answers[name] = (answers[name] ?? 0) + 1;
      if (status === 503 && headers['retry-after'] === undefined) {
        answers['503 without Retry-After'] = (answers['503 without Retry-After'] ?? 0) + 1;
      }
      // Only a restart may leave a request without a response, and only one that was sent before the restart ended.
      if (status === 0 && !isAway && performance.now() - ms > backAt)
        answers['no answer outside of restarts'] = (answers['no answer outside of restarts'] ?? 0) + 1;
    },
    acknowledged(submission) {
      ledger.acknowledged(submission);
      if (submission.form.receiver === 'healthy') toHealthy.push(submission);
    },
  });

  const end = () => {
    isOver = true;
  };
  const from = performance.now();
  const elapsed = () => (performance.now() - from) / 1000;
  const halfAt = seconds / 2;

  const watching = (async () => {
    let told = 0;
    for (let next = 1; !isOver; next += 1) {
      await pause(Math.max(0, (next - elapsed()) * 1000));
      if (isOver) return;
      try {
        samples.push({ at: round(elapsed(), 1), ...(await sampleOf(server, dataDir)) });
      } catch (error) {
        if (!isAway) progress(`soak: no sample: ${error.message}`);
      }
      if (elapsed() - told < Math.min(30, Math.max(5, seconds / 20))) continue;
      told = elapsed();
      const last = samples.at(-1);
      progress(
        `soak: ${round(elapsed(), 0)} of ${seconds} s: ${ledger.count()} acknowledged, ${receivers.arrived.size} delivered, ` +
          `${last?.rssMiB} MiB, ${last?.descriptors} descriptors, queue ${last?.queueAgeSeconds} s, loop ${last?.loopMs} ms`,
      );
    }
  })();

  const deleting = (async () => {
    while (!isOver) {
      await pause(500);
      for (;;) {
        const olderThan = Date.now() - 120_000;
        const ids = ledger.removable({ keep, olderThan, hasArrived: (id) => receivers.arrived.has(id) });
        if (ids.length === 0 || isOver) break;
        const answer = await load.send('delete', '/api/v1/submissions/delete', {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ids }),
        });
        ledger.removed(ids, answer?.status === 200);
        if (answer?.status !== 200) break;
      }
    }
  })();

  /** In the first half only, so that the second half shows the memory and descriptors of a single process. */
  const restarting = (async () => {
    const count = Math.max(1, Math.min(5, Math.floor(seconds / 60)));
    for (let i = 1; i <= count; i += 1) {
      await pause(Math.max(0, ((halfAt * i) / (count + 1) - elapsed()) * 1000));
      const at = elapsed();
      isAway = true;
      await server.end();
      const stopSeconds = round(elapsed() - at, 2);
      server = await startInlet(dataDir, settings);
      isAway = false;
      backAt = performance.now();
      restarts.push({ at: round(at, 1), stopSeconds, awaySeconds: round(elapsed() - at, 2) });
      progress(
        `soak: restarted at ${round(at, 0)} s, away for ${restarts.at(-1).awaySeconds} s, of which ${stopSeconds} s to stop`,
      );
    }
  })();

  const loading = load.run(rates, () => isOver || elapsed() >= seconds);
  // A part that fails ends the others, so that everything is stopped and removed.
  const parts = [loading.then(() => restarting).finally(end), restarting, watching, deleting];
  for (const part of parts) part.catch(end);
  await Promise.all(parts);
  const leftOut = await loading;
  const endAt = Math.min(seconds, elapsed());

  progress('soak: the load has ended; what waits is sent');
  const settledBy = performance.now() + settleMs;
  while (performance.now() < settledBy && toHealthy.some(({ id }) => !receivers.arrived.has(id)))
    await pause(200);

  const checks = [
    ...(await checkLedger({ server, forms, ledger })),
    checkDeliveries({ healthy: toHealthy, receivers }),
    ...checkAnswers({ answers, leftOut }),
    ...checkResources({ samples, restarts, halfAt, endAt }),
  ];
  const result = {
    at: startedAt.toISOString(),
    revision: revision(),
    node: process.version,
    cpus: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    command: `npm run soak -- ${seconds % 60 === 0 ? `--minutes ${seconds / 60}` : `--seconds ${seconds}`} --rate ${rate}`,
    ...{ seconds, rate, rates, keep, webhookTimeout, retryDelays, restarts, answers, leftOut },
    ratesTotal: round(
      Object.values(rates).reduce((sum, one) => sum + one, 0),
      1,
    ),
    receivers: receivers.counts,
    checks,
    samples,
  };
  for (const { name, found, holds } of checks) {
    process.stdout.write(`${holds === null ? '     ' : holds ? 'yes  ' : 'NO   '}${name}: ${found}\n`);
  }
  for (const path of writeReport(out, result)) progress(`written to ${path}`);
  exitCode = checks.some(({ holds }) => holds === false) ? 1 : 0;
} finally {
  isOver = true;
  await load?.close();
  await server.end();
  await receivers.close();
  await removeFolder(dataDir);
}
process.exit(exitCode);
