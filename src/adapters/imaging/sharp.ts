/**
 * Imaging with sharp in a few separate processes. They start on demand and end when idle. A limited number of jobs
 * waits for them, each for a limited time.
 */
import { availableParallelism, tmpdir } from 'node:os';
import type { CodecIsolation, ImageJob, Imaging, ImagingOutcome } from '../../ports/imaging.js';
import { type CodecHandle, startCodec } from './codec-handle.js';

export interface SharpImagingOptions {
  readonly processes: number;
  /** How many of them may work while the service has more urgent things to do. At least one. */
  readonly processesUnderPressure: number;
  readonly isUnderPressure: () => boolean;
  readonly maxWaiting: number;
  readonly maxWaitingPerOwner: number;
  /** How long a job may wait for a codec. */
  readonly maxWaitMs: number;
  /** How long one job may take, from the start to the last byte of the result. */
  readonly timeoutMs: number;
  /** For the source of the current job, in a file without a name. */
  readonly folder: string;
  /** How long a process may be idle before it ends. */
  readonly idleMs: number;
  readonly onCrash: () => void;
  /** Called with the first codec, and again when the isolation changes. */
  readonly onIsolation: (isolation: CodecIsolation) => void;
  /** Errors that no image causes and that keep images from being processed. Called for the first, and when the error changes. */
  readonly onFailure: (error: unknown) => void;
}

const processes = 2;

export const imagingDefaults = {
  processes,
  // The idle class alone is not enough: since Linux 6.6 each of its threads is entitled to about 0.3 % of the core, and
  // takes it in one piece, until the next tick of 4 ms. With a codec on each of two cores, p99 of submissions was 5 to 6 ms
  // instead of 2.7. With one core left free, it was 3.4 to 4.
  processesUnderPressure: Math.max(1, Math.min(processes, availableParallelism() - 1)),
  isUnderPressure: () => false,
  maxWaiting: 64,
  maxWaitingPerOwner: 32,
  maxWaitMs: 20_000,
  timeoutMs: 15_000,
  folder: tmpdir(),
  idleMs: 60_000,
  onIsolation: () => {},
  onFailure: () => {},
};

interface Waiting {
  start(codec: CodecHandle): void;
  giveUp(): void;
  readonly owner: string;
}

const maxOwnersKnown = 10_000;
/** Each start uses less isolation than the one before if isolation is what prevents it. */
const maxStarts = 5;

export function createSharpImaging(options: SharpImagingOptions): Imaging {
  const queue: Waiting[] = [];
  const servedAt = new Map<string, number>();
  let served = 0;
  const idle: CodecHandle[] = [];
  const all = new Set<CodecHandle>();
  let closed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  let reported: string | null = null;
  const reportIsolation = (isolation: CodecIsolation | null): void => {
    const words = isolation?.missing.join() ?? reported;
    if (isolation && words !== reported) options.onIsolation(isolation);
    reported = words;
  };

  let failure: string | null = null;
  const tellFailure = (error: unknown): void => {
    // Not the message: it contains the filename, which is different each time.
    const { code, message } = error as NodeJS.ErrnoException;
    const words = code ?? message;
    if (words !== failure) options.onFailure(error);
    failure = words;
  };

  const codecForWork = (): CodecHandle | null => {
    const working = all.size - idle.length;
    // A waiting job starts when one of the working codecs is done.
    if (working >= options.processesUnderPressure && options.isUnderPressure()) return null;
    const ready = idle.pop();
    if (ready) return ready;
    if (all.size >= options.processes) return null;
    const codec = startCodec(options.folder, tellFailure);
    all.add(codec);
    void codec.ready.then(reportIsolation);
    void codec.ended.then(() => {
      all.delete(codec);
      const place = idle.indexOf(codec);
      if (place >= 0) idle.splice(place, 1);
      next();
    });
    return codec;
  };

  /** Takes the first waiting job of the owner who was served longest ago. */
  const takeFairly = (): Waiting | undefined => {
    const rank = ({ owner }: Waiting): number => servedAt.get(owner) ?? 0;
    let best = 0;
    for (const [index, waiting] of queue.entries()) {
      const first = queue[best];
      if (first && rank(waiting) < rank(first)) best = index;
    }
    const [taken] = queue.splice(best, 1);
    if (taken) noteServed(taken.owner);
    return taken;
  };

  const noteServed = (owner: string): void => {
    served += 1;
    if (servedAt.size > maxOwnersKnown) servedAt.clear();
    servedAt.set(owner, served);
  };

  const next = (): void => {
    while (!closed && queue.length > 0) {
      const codec = codecForWork();
      if (!codec) return;
      takeFairly()?.start(codec);
    }
  };

  const giveBack = (codec: CodecHandle): void => {
    if (!codec.fit || closed) codec.kill();
    else idle.push(codec);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => idle.splice(0).forEach((unused) => void unused.kill()), options.idleMs);
    idleTimer.unref();
    next();
  };

  const run = async (codec: CodecHandle, job: ImageJob): Promise<ImagingOutcome> => {
    const outcome = await codec.run(job, options.timeoutMs, () => giveBack(codec));
    if (outcome.kind === 'unable') return transform(job);
    if (outcome.kind === 'made') failure = null;
    if (outcome.kind === 'crashed' && !closed) options.onCrash();
    return outcome;
  };

  const transform = (job: ImageJob): Promise<ImagingOutcome> => {
    if (closed) return Promise.resolve({ kind: 'busy' });
    const codec = queue.length === 0 ? codecForWork() : null;
    const { owner = '' } = job;
    if (codec) {
      noteServed(owner);
      return run(codec, job);
    }
    const mine = queue.filter((waiting) => waiting.owner === owner).length;
    if (queue.length >= options.maxWaiting || mine >= options.maxWaitingPerOwner) {
      return Promise.resolve({ kind: 'busy' });
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        start(free) {
          clearTimeout(timer);
          run(free, job).then(resolve, reject);
        },
        giveUp() {
          clearTimeout(timer);
          resolve({ kind: 'busy' });
        },
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.giveUp();
      }, options.maxWaitMs);
      queue.push(waiting);
    });
  };

  return {
    get waiting() {
      return queue.length;
    },

    transform,

    async check() {
      for (let tries = 0; tries < maxStarts; tries += 1) {
        const codec = codecForWork();
        const isolation = await codec?.ready;
        if (codec) giveBack(codec);
        if (isolation) return isolation;
      }
      throw new Error('The image codec cannot be started');
    },

    async close() {
      closed = true;
      clearTimeout(idleTimer);
      for (const waiting of queue.splice(0)) waiting.giveUp();
      for (const codec of all) codec.kill();
      await Promise.all([...all].map((codec) => codec.ended));
    },
  };
}
