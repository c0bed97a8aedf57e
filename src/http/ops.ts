/** /healthz, /readyz, /metrics: for the machines that watch over this one. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../kernel/log.js';
import type { Metrics, Standing } from './metrics.js';

export interface Readiness {
  readonly name: string;
  /** False: without it much still works, and another process would be no better off. It is reported, not judged. */
  readonly isNeeded: boolean;
  /** Resolves when this part can do its work now. */
  check(): Promise<void>;
}

const maxCheckMs = 2_000;
/** Anybody may ask, and a check syncs the disk: however often it is asked, it is done once a second. */
const freshForMs = 1_000;

const inTime = <T>(work: Promise<T>): Promise<T> => {
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
    storage: () => Promise<Standing['storage']>;
    isStopping: () => boolean;
    log: Logger;
  },
): void {
  const hidden = { schema: { hide: true } };

  app.get('/healthz', hidden, async () => ({ status: 'ok' }));

  const failing = new Set<string>();
  const examine = async (): Promise<Standing> => {
    const parts: Record<string, boolean> = {};
    const queue = inTime(deps.queueAgeMs()).catch(() => null);
    const storage = inTime(deps.storage()).catch(() => ({ kind: 'unknown', freeBytes: null }));
    await Promise.all(
      deps.readiness.map(async ({ name, check }) => {
        try {
          await inTime(check());
          parts[name] = true;
          if (failing.delete(name)) deps.log.info({ part: name }, 'ready again');
        } catch (error) {
          parts[name] = false;
          // The cause is for the log, once; a stranger learns only which part fails.
          if (!failing.has(name)) deps.log.warn({ err: error, part: name }, 'not ready');
          failing.add(name);
        }
      }),
    );
    const age = await queue;
    const queueAgeSeconds = age === null ? null : Math.round(age / 1000);
    return { parts, queueAgeSeconds, storage: await storage };
  };
  let latest: { readonly at: number; readonly standing: Promise<Standing> } | null = null;
  const standing = (): Promise<Standing> => {
    if (latest === null || performance.now() - latest.at > freshForMs) {
      latest = { at: performance.now(), standing: examine() };
    }
    return latest.standing;
  };
  deps.metrics.standing(standing);

  app.get('/readyz', hidden, async (_request, reply) => {
    const { parts, queueAgeSeconds } = await standing();
    const serving =
      deps.readiness.every(({ name, isNeeded }) => !isNeeded || parts[name]) && !deps.isStopping();
    return reply.status(serving ? 200 : 503).send({
      status: serving ? 'ok' : 'unavailable',
      checks: Object.fromEntries(
        Object.entries(parts).map(([name, works]) => [name, works ? 'ok' : 'failing']),
      ),
      // Reported, not judged: a receiver that is down must not take this service out of the load balancer.
      queue_age_seconds: queueAgeSeconds,
    });
  });

  app.get('/metrics', hidden, async (_request, reply) => {
    const { contentType, text } = await deps.metrics.render();
    return reply.header('content-type', contentType).send(text);
  });
}
