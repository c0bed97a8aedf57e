/** Whether this process can do its work now: one decision, shared by every port that reports it and by the metrics. */
import { messageOf } from '../../kernel/error-text.js';
import type { Logger } from '../../kernel/log.js';
import { BlobsFull } from '../../ports/blobs.js';
import type { Standing } from './metrics.js';

export interface Part {
  readonly name: string;
  /** False: most things work without it, and another process would be no better off. It is reported, but does not count. */
  readonly isNeeded: boolean;
  /** Resolves when this part can do its work now. */
  check(): Promise<void>;
}

export interface Readiness {
  /** At most a second old. */
  standing(): Promise<Standing>;
  /**
   * Returns false when a needed part fails, and after `stop`. A full disk does not count: to delete something, the owner must be able to
   * reach the service.
   */
  isServing(standing: Standing): boolean;
  /** From now on, load balancers should send no more requests. */
  stop(): void;
}

export interface ReadinessOptions {
  readonly parts: readonly Part[];
  /** How long the delivery that has been due longest has waited. */
  readonly queueAgeMs: () => Promise<number>;
  readonly storage: () => Promise<Standing['storage']>;
  readonly lastBackupAt: () => Promise<Standing['lastBackupAt']>;
  readonly log: Logger;
}

const maxCheckMs = 2_000;
/** Anyone can request it, and a check syncs the disk: it runs at most once a second, however often it is requested. */
const freshForMs = 1_000;

const inTime = <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), maxCheckMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

export function createReadiness(options: ReadinessOptions): Readiness {
  const { parts, log } = options;
  const failing = new Set<string>();
  const examine = async (): Promise<Standing> => {
    const works: Record<string, boolean> = {};
    const full: string[] = [];
    const reasons: Record<string, string> = {};
    const queue = inTime(options.queueAgeMs()).catch(() => null);
    const storage = inTime(options.storage()).catch(() => ({ kind: 'unknown', freeBytes: null }));
    const lastBackup = inTime(options.lastBackupAt()).catch(() => null);
    await Promise.all(
      parts.map(async ({ name, check }) => {
        try {
          await inTime(check());
          works[name] = true;
          if (failing.delete(name)) log.info({ part: name }, 'ready again');
        } catch (error) {
          works[name] = false;
          if (error instanceof BlobsFull) full.push(name);
          reasons[name] = messageOf(error);
          // Logged once, with the full error.
          if (!failing.has(name)) log.warn({ err: error, part: name }, 'not ready');
          failing.add(name);
        }
      }),
    );
    const age = await queue;
    const queueAgeSeconds = age === null ? null : Math.round(age / 1000);
    const standing = { parts: works, full, reasons, queueAgeSeconds };
    return { ...standing, storage: await storage, lastBackupAt: await lastBackup };
  };
  let latest: { readonly at: number; readonly standing: Promise<Standing> } | null = null;
  let isStopping = false;
  return {
    standing() {
      if (latest === null || performance.now() - latest.at > freshForMs) {
        latest = { at: performance.now(), standing: examine() };
      }
      return latest.standing;
    },
    isServing: (standing) =>
      !isStopping &&
      parts.every(({ name, isNeeded }) => !isNeeded || standing.parts[name] || standing.full.includes(name)),
    stop() {
      isStopping = true;
    },
  };
}
