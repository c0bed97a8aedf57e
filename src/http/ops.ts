/** /healthz, /readyz, /metrics: for the machines that watch over this one. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../kernel/log.js';
import type { Metrics } from './metrics.js';

export interface Readiness {
  readonly name: string;
  /** Resolves when this part can do its work now. */
  check(): Promise<void>;
}

const maxCheckMs = 2_000;
/** Anybody may ask, and a check syncs the disk: however often it is asked, it is done once a second. */
const freshForMs = 1_000;

interface Report {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
  readonly queue_age_seconds: number | null;
}

const inTime = (work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), maxCheckMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

export function opsRoutes(
  app: FastifyInstance,
  deps: {
    metrics: Metrics;
    readiness: readonly Readiness[];
    /** How long the delivery that is due longest has waited. */
    queueAgeMs: () => Promise<number>;
    isStopping: () => boolean;
    log: Logger;
  },
): void {
  const hidden = { schema: { hide: true } };

  app.get('/healthz', hidden, async () => ({ status: 'ok' }));

  const examine = async (): Promise<Report> => {
    const checks: Record<string, string> = {};
    const queue = deps.queueAgeMs().catch(() => null);
    await Promise.all(
      deps.readiness.map(async ({ name, check }) => {
        try {
          await inTime(check());
          checks[name] = 'ok';
        } catch (error) {
          // The cause is for the log; a stranger learns only which part fails.
          deps.log.warn({ err: error, part: name }, 'not ready');
          checks[name] = 'failing';
        }
      }),
    );
    const age = await queue;
    return {
      ready: Object.values(checks).every((state) => state === 'ok'),
      checks,
      // Reported, not judged: a receiver that is down must not take this service out of the load balancer.
      queue_age_seconds: age === null ? null : Math.round(age / 1000),
    };
  };
  let latest: { readonly at: number; readonly report: Promise<Report> } | null = null;

  app.get('/readyz', hidden, async (_request, reply) => {
    if (latest === null || performance.now() - latest.at > freshForMs) {
      latest = { at: performance.now(), report: examine() };
    }
    const { ready, ...parts } = await latest.report;
    const serving = ready && !deps.isStopping();
    return reply.status(serving ? 200 : 503).send({ status: serving ? 'ok' : 'unavailable', ...parts });
  });

  app.get('/metrics', hidden, async (_request, reply) => {
    const { contentType, text } = await deps.metrics.render();
    return reply.header('content-type', contentType).send(text);
  });
}
