/**
 * Figure: how long the service's event loop is blocked under a mix of all kinds of load, and by what; and how long the
 * database's writer takes for one piece of work.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { seedDeliveries } from '../data/backlog.mjs';
import { seed } from '../data/seed.mjs';
import { startReceivers } from '../load/faulty-receivers.mjs';
import { adminSettings, createMixedLoad } from '../load/mixed-load.mjs';
import { progress, round } from '../numbers.mjs';
import { api, removeFolder, startInlet } from '../servers/processes.mjs';
import { bucketsOf, bucketsSince, quantileBound, scrape } from '../servers/prometheus.mjs';

const goalMs = 20;
const sizes = {
  full: { rows: 20_000, backlog: 2_000, warmSeconds: 5, seconds: 10 },
  quick: { rows: 2_000, backlog: 200, warmSeconds: 0, seconds: 2 },
};
const rates = {
  ...{ json: 200, large: 1, urlencoded: 50, file: 8, picture: 1, honeypot: 10 },
  ...{ list: 8, search: 4, export: 0.1, variant: 4, numbers: 1, deliveries: 2, signIn: 0.5 },
};

const ms = (seconds) => (seconds === undefined || seconds === null ? null : round(seconds * 1000, 1));

/**
 * Event loop delays from /metrics. The quantiles are upper bounds, since the process started or since the earlier result
 * `since`. The maxima are those since the last scrape of /metrics, by any client.
 */
export async function loopDelays(server, since = null) {
  const numbers = await scrape(server);
  const buckets = bucketsOf(numbers, 'inlet_event_loop_delay_seconds');
  const counted = since ? bucketsSince(buckets, since.buckets) : buckets;
  const longest = (cause) => ms(numbers.get(`inlet_event_loop_blocked_seconds_max{cause="${cause}"}`));
  const writer = bucketsOf(numbers, 'inlet_writer_turn_seconds');
  const turns = since ? bucketsSince(writer, since.writer) : writer;
  const over = (bound) =>
    (counted.at(-1)?.count ?? 0) - (counted.find((one) => one.bound === bound)?.count ?? 0);
  return {
    p50Ms: ms(quantileBound(counted, 0.5)),
    p99Ms: ms(quantileBound(counted, 0.99)),
    maxMs: longest('all'),
    workMaxMs: longest('work'),
    gcMaxMs: longest('gc'),
    cpuWaitMaxMs: longest('cpu_wait'),
    ticks: counted.at(-1)?.count ?? 0,
    ticksOver20Ms: over(0.02),
    writerP99Ms: ms(quantileBound(turns, 0.99)),
    buckets,
    writer,
  };
}

/** How long the event loop's thread was ready but did not run. The cause is a busy machine, not the program. */
const waitedForCpuMs = (pid) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;

const longestOf = (samples, name) => samples.reduce((most, sample) => Math.max(most, sample[name] ?? 0), 0);

async function underLoad(server, form, { warmSeconds, seconds }) {
  const answers = {};
  const load = await createMixedLoad({
    server: () => server,
    formOf: () => form,
    answered(kind, status) {
      const name = `${kind} ${status}`;
      answers[name] = (answers[name] ?? 0) + 1;
    },
    acknowledged() {},
  });
  try {
    // Loads everything that is loaded on first use.
    const warmUntil = performance.now() + warmSeconds * 1000;
    await load.run(rates, () => performance.now() > warmUntil);
    const before = await loopDelays(server);
    const waitedBefore = waitedForCpuMs(server.pid);
    const endsAt = performance.now() + seconds * 1000;
    const samples = [];
    const sampling = (async () => {
      while (performance.now() < endsAt) {
        await pause(Math.min(1_000, Math.max(0, endsAt - performance.now())));
        const { buckets, writer, ...sample } = await loopDelays(server, before);
        samples.push(sample);
      }
    })();
    for (const name of Object.keys(answers)) delete answers[name];
    const leftOut = await load.run(rates, () => performance.now() > endsAt);
    await sampling;
    const last = samples.at(-1);
    return {
      answers,
      leftOut,
      seconds,
      waitedForCpuMs: round(waitedForCpuMs(server.pid) - waitedBefore, 0),
      p50Ms: last.p50Ms,
      p99Ms: last.p99Ms,
      ticks: last.ticks,
      ticksOver20Ms: last.ticksOver20Ms,
      writerP99Ms: last.writerP99Ms,
      maxMs: longestOf(samples, 'maxMs'),
      workMaxMs: longestOf(samples, 'workMaxMs'),
      gcMaxMs: longestOf(samples, 'gcMaxMs'),
      cpuWaitMaxMs: longestOf(samples, 'cpuWaitMaxMs'),
      samples,
    };
  } finally {
    await load.close();
  }
}

export async function run({ quick, nodeArguments = [] }) {
  const size = quick ? sizes.quick : sizes.full;
  progress(`event-loop: ${size.rows} submissions and ${size.backlog} webhooks that wait`);
  const receivers = await startReceivers();
  const { dataDir, form, growTo } = await seed(size.rows);
  try {
    await growTo(size.rows);
    await seedDeliveries(dataDir, [{ form, url: receivers.urls.healthy, count: size.backlog }]);
    const server = await startInlet(dataDir, adminSettings, nodeArguments);
    try {
      await api(server, 'PATCH', `/api/v1/forms/${form.formId}`, { webhook_url: receivers.urls.healthy });
      const found = await underLoad(server, form, size);
      const { maxMs, workMaxMs, gcMaxMs, cpuWaitMaxMs, p50Ms, p99Ms, writerP99Ms } = found;
      progress(
        `event-loop: at most ${workMaxMs} ms by our work, ${gcMaxMs} by garbage, ${cpuWaitMaxMs} without processor`,
      );
      return {
        rows: [
          {
            figure: 'event loop, longest held up by our own work under mixed load',
            value: `${workMaxMs} ms (with garbage, at most ${gcMaxMs} ms of it, and waiting for a processor, at most ${cpuWaitMaxMs} ms: ${maxMs} ms)`,
            goal: `< ${goalMs} ms`,
            met: workMaxMs < goalMs,
          },
          {
            figure: 'event loop, delay p50 and p99 under mixed load',
            value: `≤ ${p50Ms} and ≤ ${p99Ms} ms`,
            goal: '',
            met: null,
          },
          {
            figure: 'database writer, one turn p99 under mixed load',
            value: `≤ ${writerP99Ms} ms`,
            goal: '',
            met: null,
          },
        ],
        plots: [
          {
            name: 'event-loop',
            title: 'Longest hold-up of the event loop under mixed load',
            x: { label: 'seconds' },
            y: { label: 'ms, the longest of each second' },
            goal: { value: goalMs, label: `goal: ${goalMs} ms` },
            lines: [
              ['our own work', 'workMaxMs'],
              ['garbage', 'gcMaxMs'],
              ['no processor', 'cpuWaitMaxMs'],
            ].map(([label, name]) => ({
              label,
              points: found.samples.map((sample, i) => [i + 1, sample[name]]),
            })),
          },
        ],
        rates,
        ...found,
      };
    } finally {
      await server.end();
    }
  } finally {
    await receivers.close();
    await removeFolder(dataDir);
  }
}
