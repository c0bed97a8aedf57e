/** Whether this process can do its work now: one judgement, shared by every port that reports it and by the metrics. */
import { messageOf } from '../../kernel/error-text.js';
import type { Logger } from '../../kernel/log.js';
import { BlobsFull } from '../../ports/blobs.js';
import type { Standing } from './metrics.js';

export interface Part {
  readonly name: string;
  /** False: without it much still works, and another process would be no better off. It is reported, not judged. */
  readonly isNeeded: boolean;
  /** Resolves when this part can do its work now. */
  check(): Promise<void>;
}

export interface Readiness {
  /** At most a second old. */
  standing(): Promise<Standing>;
  /**
   * False when a part fails that is needed, and from `stop` on. A full disk is no reason: to delete something, the owner
   * must be able to reach the service.
   */
  isServing(standing: Standing): boolean;
  /** Load balancers are to send nothing more. */
  stop(): void;
}

export interface ReadinessOptions {
  readonly parts: readonly Part[];
  /** How long the delivery that is due longest has waited. */
  readonly queueAgeMs: () => Promise<number>;
  readonly storage: () => Promise<Standing['storage']>;
  readonly lastBackupAt: () => Promise<Standing['lastBackupAt']>;
  readonly log: Logger;
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
          // Once, with all of it.
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
