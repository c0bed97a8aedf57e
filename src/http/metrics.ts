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
import type { MetricsSnapshot, PeerMetrics } from '../ports/peer-metrics.js';

export interface Metrics {
  /** One answer of the submission endpoint: `accepted` or the kind of refusal. */
  submission(outcome: string): void;
  /** One answer of any other path. */
  request(method: string, route: string, status: number, durationMs: number): void;
  batch(entries: number, durationMs: number): void;
  /** One wish for a transformed image: `kept` when it was there already, else how making it ended. */
  image(outcome: string, durationMs: number): void;
  /** One webhook attempt: `succeeded`, `failed` or `cancelled`. */
  delivery(outcome: string, durationMs: number): void;
  mail(outcome: string): void;
  /** One try to sign in: `succeeded`, `failed` or `throttled`. */
  signIn(outcome: string): void;
  /** Read when the numbers are asked for. */
  watch(name: string, help: string, read: () => number): void;
  render(): Promise<{ contentType: string; text: string }>;
}

export function createMetrics(peers: PeerMetrics | null = null): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  const requests = new Histogram({
    name: 'inlet_http_request_duration_seconds',
    help: 'Answers of all other paths',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  const batches = new Histogram({
    name: 'inlet_commit_batch_size',
    help: 'Submissions that shared one commit',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [registry],
  });
  const commits = new Histogram({
    name: 'inlet_commit_duration_seconds',
    help: 'Time from handing a batch to the store until it was synced',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
    registers: [registry],
  });
  const images = new Histogram({
    name: 'inlet_image_duration_seconds',
    help: 'Transformed images that were asked for, by outcome',
    labelNames: ['outcome'],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
    registers: [registry],
  });
  const deliveries = new Histogram({
    name: 'inlet_delivery_duration_seconds',
    help: 'Webhook attempts, by outcome',
    labelNames: ['outcome'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers: [registry],
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
  peers?.offer(() => registry.getMetricsAsJSON());
  return {
    signIn: (outcome) => signIns.inc({ outcome }),
    delivery: (outcome, durationMs) => deliveries.labels(outcome).observe(durationMs / 1000),
    mail: (outcome) => mails.inc({ outcome }),
    image: (outcome, durationMs) => images.labels(outcome).observe(durationMs / 1000),
    submission: (outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1),
    request: (method, route, status, durationMs) =>
      requests.labels(method, route, String(status)).observe(durationMs / 1000),
    batch(entries, durationMs) {
      batches.observe(entries);
      commits.observe(durationMs / 1000);
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
    async render() {
      const all = peers ? aggregated(await peers.gather()) : registry;
      return { contentType: registry.contentType, text: await all.metrics() };
    },
  };
}

/** Counts, sizes and places in queues are added up; of delays it is the mean, the least or the most, as each says. */
const aggregated = (snapshots: readonly MetricsSnapshot[]) =>
  AggregatorRegistry.aggregate(snapshots as unknown as MetricObject[]);
