/** The numbers that an operator watches, in Prometheus form. */
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObject,
  Registry,
} from 'prom-client';
import { isLasting } from '../../kernel/lasting-numbers.js';
import type { Blockage } from '../../kernel/loop-watch.js';
import type { MetricsSnapshot, PeerMetrics } from '../../ports/peer-metrics.js';
import { FastHistogram } from './histogram.js';

/** How the parts stand that this process cannot do without. */
export interface Standing {
  readonly parts: Readonly<Record<string, boolean>>;
  /** Those of them that fail only because there is no space left. */
  readonly full: readonly string[];
  /** Why those fail that do, for the operator. */
  readonly reasons: Readonly<Record<string, string>>;
  /** null: the database did not say. */
  readonly queueAgeSeconds: number | null;
  /** Where files are kept. `freeBytes` null: nothing bounds it, or it did not say. */
  readonly storage: { readonly kind: string; readonly freeBytes: number | null };
  /** 0: never. null: there is nothing to back up yet, or the database did not say. */
  readonly lastBackupAt: number | null;
}

export interface Metrics {
  /** One answer of the submission endpoint: `accepted` or the kind of refusal. */
  submission(outcome: string, durationMs: number): void;
  /** One answer of any other path. */
  request(method: string, route: string, status: number, durationMs: number): void;
  batch(entries: number, durationMs: number): void;
  /** One wish for a transformed image: `kept` when it was there already, else how making it ended. */
  image(outcome: string, durationMs: number): void;
  /** One webhook attempt: `succeeded`, `failed`, `gone` or `cancelled`. */
  delivery(outcome: string, durationMs: number): void;
  mail(outcome: string): void;
  /** One upload that lost its place to somebody who waited. */
  uploadEvicted(): void;
  /** One try to sign in: `succeeded`, `failed` or `throttled`. */
  signIn(outcome: string): void;
  /** How late one tick of the event loop came. */
  loopDelay(ms: number): void;
  /** Read when the numbers are asked for: the longest since then. */
  loopBlocked(takeLongest: () => Blockage): void;
  /** One turn of the thread that writes to the embedded database; the first makes the number appear. */
  writerTurn(ms: number): void;
  /** Read when the numbers are asked for. */
  watch(name: string, help: string, read: () => number): void;
  /** Which program this is, and what it does. */
  info(version: string, role: string): void;
  /** Read when the numbers are asked for, more than once for one answer. */
  standing(read: () => Promise<Standing>): void;
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(peers: PeerMetrics | null = null): Metrics {
  const registry = new Registry();
  // Node's own look at the event loop wakes an idle process a hundred times a second; ours (loop-watch) knows more.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });
  addUpStartTime(registry);
  // Counted in a plain map and handed over when asked for: this is on the path of every submission.
  const outcomes = new Map<string, number>();
  new Counter({
    name: 'inlet_submissions_total',
    help: 'Answers of the submission endpoint, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of outcomes) this.inc({ outcome }, count);
    },
  });
  // What was refused is left out: it is quick, and would hide how long those who are served wait.
  const accepted = new FastHistogram(registry, {
    name: 'inlet_submission_duration_seconds',
    help: 'Accepted submissions, from the end of the request head until stored; includes the time the visitor takes to send',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  });
  const requests = new Histogram({
    name: 'inlet_http_request_duration_seconds',
    help: 'Answers of all other paths',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  const batches = new FastHistogram(registry, {
    name: 'inlet_commit_batch_size',
    help: 'Submissions that shared one commit',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  });
  const commits = new FastHistogram(registry, {
    name: 'inlet_commit_duration_seconds',
    help: 'Time from handing a batch to the store until it was synced',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
  });
  const images = new FastHistogram(registry, {
    name: 'inlet_image_duration_seconds',
    help: 'Transformed images that were asked for, by outcome',
    label: 'outcome',
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
  });
  const deliveries = new FastHistogram(registry, {
    name: 'inlet_delivery_duration_seconds',
    help: 'Webhook attempts, by outcome',
    label: 'outcome',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  });
  const mails = new Counter({
    name: 'inlet_mails_total',
    help: 'Tries to send a notification mail, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const signIns = new Counter({
    name: 'inlet_sign_ins_total',
    help: 'Tries to sign in to the dashboard, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const evictions = new Counter({
    name: 'inlet_uploads_evicted_total',
    help: 'Uploads that were ended because they were slow while others waited',
    registers: [registry],
  });
  const loopDelays = new Histogram({
    name: 'inlet_event_loop_delay_seconds',
    help: 'How late a timer of 5 ms (100 ms while idle) fires: how long everybody waits for whatever runs',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  let writerTurns: Histogram | null = null;
  peers?.offer({
    all: () => registry.getMetricsAsJSON(),
    lasting: () => Promise.all(registry.getMetricsAsArray().filter(isLasting).map(valuesOf)),
  });
  return {
    uploadEvicted: () => evictions.inc(),
    signIn: (outcome) => signIns.inc({ outcome }),
    delivery: (outcome, durationMs) => deliveries.observe(durationMs / 1000, outcome),
    mail: (outcome) => mails.inc({ outcome }),
    image: (outcome, durationMs) => images.observe(durationMs / 1000, outcome),
    submission(outcome, durationMs) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'accepted') accepted.observe(durationMs / 1000);
    },
    request: (method, route, status, durationMs) =>
      requests.labels(method, route, String(status)).observe(durationMs / 1000),
    batch(entries, durationMs) {
      batches.observe(entries);
      commits.observe(durationMs / 1000);
    },
    loopDelay: (ms) => loopDelays.observe(ms / 1000),
    loopBlocked: (takeLongest) => watchBlocked(registry, takeLongest),
    writerTurn(ms) {
      writerTurns ??= createWriterTurns(registry);
      writerTurns.observe(ms / 1000);
    },
    watch(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    info(version, role) {
      const info = new Gauge({
        name: 'inlet_info',
        help: 'How many processes of this program run here',
        labelNames: ['version', 'role'],
        registers: [registry],
      });
      info.set({ version, role }, 1);
    },
    standing: (read) => watchStanding(registry, read),
    async render() {
      const all = peers ? aggregated(await peers.gather()) : registry;
      return { contentType: registry.contentType, text: await all.metrics() };
    },
  };
}

/** The library leaves it out where the numbers of several processes are put together; the latest start counts here. */
function addUpStartTime(registry: Registry): void {
  const startTime = registry.getSingleMetric('process_start_time_seconds');
  if (startTime) Object.assign(startTime, { aggregator: 'max' });
}

/** Every metric of the library has it; its types know it only of each kind. */
const valuesOf = (metric: MetricObject): Promise<object> =>
  (metric as unknown as { get(): Promise<object> }).get();

/** Only where there is such a thread. */
const createWriterTurns = (registry: Registry): Histogram =>
  new Histogram({
    name: 'inlet_writer_turn_seconds',
    help: 'How long the one thread that writes to the embedded database is at one piece of work',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });

function watchBlocked(registry: Registry, takeLongest: () => Blockage): void {
  new Gauge({
    name: 'inlet_event_loop_blocked_seconds_max',
    help: 'The longest that the event loop was held up since this was asked last: all of it, and the most by each cause',
    labelNames: ['cause'],
    aggregator: 'max',
    registers: [registry],
    collect() {
      const { ms, workMs, gcMs, waitMs } = takeLongest();
      const causes = { all: ms, work: workMs, gc: gcMs, cpu_wait: waitMs };
      for (const [cause, longestMs] of Object.entries(causes)) this.set({ cause }, longestMs / 1000);
    },
  });
}

/** Where the numbers of several processes are put together, these are no sums: the worst one counts. */
function watchStanding(registry: Registry, read: () => Promise<Standing>): void {
  new Gauge({
    name: 'inlet_ready',
    help: 'Whether a part does its work: 1, or 0 when it fails',
    labelNames: ['part'],
    aggregator: 'min',
    registers: [registry],
    async collect() {
      const { parts } = await read();
      for (const [part, works] of Object.entries(parts)) this.set({ part }, works ? 1 : 0);
    },
  });
  new Gauge({
    name: 'inlet_queue_age_seconds',
    help: 'How long the webhook that is due longest has waited; the same in all processes of an instance',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      // Not 0, which would say that all is well.
      this.set((await read()).queueAgeSeconds ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'inlet_storage_free_bytes',
    help: 'Space that is left where files are kept; not there when nothing bounds it',
    labelNames: ['kind'],
    aggregator: 'min',
    registers: [registry],
    async collect() {
      const { storage } = await read();
      this.reset();
      if (storage.freeBytes !== null) this.set({ kind: storage.kind }, storage.freeBytes);
    },
  });
  new Gauge({
    name: 'inlet_last_backup_timestamp_seconds',
    help: 'When the last backup was made or recorded; 0: never; not there while there are no submissions',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const { lastBackupAt } = await read();
      // Without labels a gauge starts at 0, which would say "never".
      this.remove();
      if (lastBackupAt !== null) this.set(lastBackupAt / 1000);
    },
  });
}

/** Counts, sizes and places in queues are added up; of delays it is the mean, the least or the most, as each says. */
const aggregated = (snapshots: readonly MetricsSnapshot[]) =>
  AggregatorRegistry.aggregate(snapshots as unknown as MetricObject[]);
