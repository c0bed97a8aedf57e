/** Metrics for operators, in the Prometheus format. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isLasting } from '../../kernel/lasting-numbers.js';
import type { Blockage } from '../../kernel/loop-watch.js';
import type { MetricsSnapshot, PeerMetrics } from '../../ports/peer-metrics.js';

/** The state of this process and of the parts it depends on. */
export interface Standing {
  readonly parts: Readonly<Record<string, boolean>>;
  /** Parts that fail only because no space is left. */
  readonly full: readonly string[];
  /** Why each failing part fails, for the operator. */
  readonly reasons: Readonly<Record<string, string>>;
  /** null: the database did not respond. */
  readonly queueAgeSeconds: number | null;
  /** Where files are stored. `freeBytes` null: it is not limited, or the storage did not respond. */
  readonly storage: { readonly kind: string; readonly freeBytes: number | null };
  /** 0: never. null: there is nothing to back up yet, or the database did not respond. */
  readonly lastBackupAt: number | null;
}

export interface Metrics {
  /** One response of the submission endpoint: `accepted`, `honeypot` or the code of the error. */
  submission(outcome: string, durationMs: number): void;
  /** One response of any other path. */
  request(method: string, route: string, status: number, durationMs: number): void;
  batch(entries: number, durationMs: number): void;
  /** One request for an image variant: `kept` if it was stored already, else the outcome of making it. */
  image(outcome: string, durationMs: number): void;
  /** One delivery attempt, except of an e-mail: `succeeded`, `failed`, `gone`, `rejected` or `cancelled`. */
  delivery(outcome: string, durationMs: number): void;
  mail(outcome: string): void;
  /** One upload that lost its place to a waiting one. */
  uploadEvicted(): void;
  /** One attempt to sign in: `succeeded`, `failed` or `throttled`. */
  signIn(outcome: string): void;
  /** The delay of one tick of the event loop. */
  loopDelay(ms: number): void;
  /** Read when metrics are collected: the longest blockage since the last time. */
  loopBlocked(takeLongest: () => Blockage): void;
  /** One unit of work of the thread that writes to the embedded database. The metric appears with the first one. */
  writerTurn(ms: number): void;
  /** Read when metrics are collected. */
  watch(name: string, help: string, read: () => number): void;
  /** The version and role of this process. */
  info(version: string, role: string): void;
  /** Read when metrics are collected, several times per response. */
  standing(read: () => Promise<Standing>): void;
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(peers: PeerMetrics | null = null): Metrics {
  const registry = new Registry();
  // Node's own event loop monitor wakes an idle process a hundred times a second. Ours (loop-watch) measures more.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 200 });
  addUpStartTime(registry);
  // Counted here until metrics are collected: adding to a counter with a label took 1 % of the submission path.
  const answered = new Map<string, number>();
  new Counter({
    name: 'inlet_submissions_total',
    help: 'Responses of the submission endpoint, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      for (const [outcome, count] of answered) this.inc({ outcome }, count);
      answered.clear();
    },
  });
  const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []): Histogram =>
    new Histogram({ name: `inlet_${name}`, help, buckets, labelNames, registers: [registry] });
  const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
    new Counter({ name: `inlet_${name}`, help, labelNames, registers: [registry] });
  // Rejected ones are left out: they are fast, and would hide how long accepted ones take.
  const accepted = histogram(
    'submission_duration_seconds',
    'Time from the end of the request head until an accepted submission is stored, including the time the visitor takes to send it',
    [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  );
  const requests = histogram(
    'http_request_duration_seconds',
    'Duration of requests to all paths except the submission endpoint',
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    ['method', 'route', 'status'],
  );
  const batches = histogram(
    'commit_batch_size',
    'Submissions that shared one commit',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  const commits = histogram(
    'commit_duration_seconds',
    'Time from handing a batch to the store until it is synced',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
  );
  const images = histogram(
    'image_duration_seconds',
    'Duration of requests for image variants, by outcome',
    [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
    ['outcome'],
  );
  const deliveries = histogram(
    'delivery_duration_seconds',
    'Duration of delivery attempts other than e-mail, by outcome',
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    ['outcome'],
  );
  const mails = counter('mails_total', 'Attempts to send a notification mail, by outcome', ['outcome']);
  const signIns = counter('sign_ins_total', 'Attempts to sign in to the dashboard, by outcome', ['outcome']);
  const evictions = counter(
    'uploads_evicted_total',
    'Uploads that were cancelled because they were slow while others waited',
  );
  const loopDelays = histogram(
    'event_loop_delay_seconds',
    'How late a timer of 5 ms (100 ms while idle) fires: the delay that every request sees',
    [0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  );
  let writerTurns: Histogram | null = null;
  peers?.offer({
    all: () => registry.getMetricsAsJSON(),
    lasting: () => lastingOf(registry).getMetricsAsJSON(),
  });
  return {
    uploadEvicted: () => evictions.inc(),
    signIn: (outcome) => signIns.inc({ outcome }),
    delivery: (outcome, durationMs) => deliveries.observe({ outcome }, durationMs / 1000),
    mail: (outcome) => mails.inc({ outcome }),
    image: (outcome, durationMs) => images.observe({ outcome }, durationMs / 1000),
    submission(outcome, durationMs) {
      answered.set(outcome, (answered.get(outcome) ?? 0) + 1);
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
      // Only where such a thread exists.
      writerTurns ??= histogram(
        'writer_turn_seconds',
        'Time that the writer thread of the embedded database takes for one piece of work',
        [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
      );
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
        help: 'Running processes, by version and role',
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

/** The library omits it when it aggregates several processes. The latest start counts here. */
function addUpStartTime(registry: Registry): void {
  const startTime = registry.getSingleMetric('process_start_time_seconds');
  if (startTime) Object.assign(startTime, { aggregator: 'max' });
}

/** Returns a registry without the gauges: reading some of them resets them. */
function lastingOf(registry: Registry): Registry {
  const lasting = new Registry();
  for (const { name } of registry.getMetricsAsArray().filter(isLasting)) {
    const metric = registry.getSingleMetric(name);
    if (metric) lasting.registerMetric(metric);
  }
  return lasting;
}

function watchBlocked(registry: Registry, takeLongest: () => Blockage): void {
  new Gauge({
    name: 'inlet_event_loop_blocked_seconds_max',
    help: 'Longest time that the event loop was blocked since the last scrape, overall and by each cause',
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

/** These are not summed over several processes: the worst value counts. */
function watchStanding(registry: Registry, read: () => Promise<Standing>): void {
  new Gauge({
    name: 'inlet_ready',
    help: 'Whether a part works: 1, or 0 when it fails',
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
    help: 'How long the delivery that is due longest has waited; the same in all processes of an instance',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      // Not 0, which would look healthy.
      this.set((await read()).queueAgeSeconds ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'inlet_storage_free_bytes',
    help: 'Free space where files are stored; absent when it has no limit',
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
    help: 'Time of the last backup; 0 if there was none, absent while there are no submissions',
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

/** Counts, sizes and queue positions are summed. For delays it is the mean, minimum or maximum, as each metric specifies. */
const aggregated = (snapshots: readonly MetricsSnapshot[]) => AggregatorRegistry.aggregate([...snapshots]);
