/** A codec process, seen from its parent: one job at a time, one deadline for all of it, killed at the first fault. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type CodecIsolation,
  type ImageJob,
  type ImagingOutcome,
  maxWholeBytes,
} from '../../ports/imaging.js';
import { createIsolation } from './isolation.js';
import { type CodecMessage, type CodecReady, type CodecRequest, resultDescriptor } from './protocol.js';
import { openSourceSlot, type SourceSlot } from './source-slot.js';

const entry = fileURLToPath(new URL('./codec-process.js', import.meta.url));
const isolation = createIsolation(entry);

// After a huge image the allocator does not return its memory. A new process costs less than keeping it.
const maxResidentBytes = 400 * 1024 * 1024;
const maxJobs = 1_000;

/** The codec could not start under its isolation. The next one starts with less isolation. */
export interface Unable {
  readonly kind: 'unable';
}

export interface CodecHandle {
  /** Resolves when the outcome is known. Calls `freed` when the codec can take the next job, or has ended. */
  run(job: ImageJob, timeoutMs: number, freed: () => void): Promise<ImagingOutcome | Unable>;
  /** Whether it should get another job. */
  readonly fit: boolean;
  /** Resolves when it can take a job, or with null if it ended before. */
  readonly ready: Promise<CodecIsolation | null>;
  kill(): void;
  readonly ended: Promise<void>;
}

/** `folder` is for the sources that the codec reads. `onFailure` gets errors that are not an image's fault. */
export function startCodec(folder: string, onFailure: (error: unknown) => void): CodecHandle {
  let slot: SourceSlot | undefined;
  try {
    slot = openSourceSlot(folder);
    const child = forkCodec(slot.readDescriptor);
    return attach(child, slot, onFailure);
  } catch (error) {
    onFailure(error);
    slot?.close();
    return unstarted();
  } finally {
    slot?.closeReading();
  }
}

/** There was no space for the source, or no descriptors or memory for a process: the image can be requested again. */
const unstarted = (): CodecHandle => ({
  ended: Promise.resolve(),
  ready: Promise.resolve(null),
  fit: false,
  kill() {},
  async run(_job, _timeoutMs, freed) {
    freed();
    return { kind: 'busy' };
  },
});

/** Start errors that the isolation may cause. Running out of descriptors, processes or memory says nothing about it. */
const forbidden = new Set(['ENOENT', 'EACCES', 'EPERM', 'EINVAL']);

/** Whether `chrt` exists and may be used. Known after the first codec. */
let canStartIdle = false;

/**
 * Adds the idle scheduling class to the low priority: such a task runs only when nothing else wants the core. It applies
 * from the start if possible, because starting two codecs takes 80 ms of processor time. Without `chrt`, the low
 * priority has to do.
 */
function forkCodec(source: number): ChildProcess {
  const startsIdle = canStartIdle;
  const { execPath, execArgv, user } = isolation.launch(startsIdle ? ['chrt', '--idle', '0'] : [], [
    '--max-old-space-size=64',
  ]);
  const child = fork(entry, [], {
    // Passes on neither our settings, which contain secrets, nor our Node flags.
    env: { VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' },
    execPath,
    execArgv: [...execArgv],
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe', source],
  });
  // Attached before anything can go wrong: an error event without a listener ends the service.
  child.on('error', () => {
    canStartIdle = false;
  });
  if (child.pid !== undefined) yieldToService(child.pid);
  if (!startsIdle && child.pid !== undefined) {
    // With an empty environment, so that `chrt` is found as the codec will find it, without our PATH.
    const values = ['--all-tasks', '--idle', '--pid', '0', String(child.pid)];
    execFile('chrt', values, { env: {} }, (error) => {
      canStartIdle = !error;
    }).on('error', () => {});
  }
  return child;
}

/** Set from outside, because the codec itself may change nothing. */
function yieldToService(pid: number): void {
  try {
    // Submissions come first: with codecs at full load the service still gets a core when it wants one.
    setPriority(pid, constants.priority.PRIORITY_LOW);
    // An image may need 750 MB (50 megapixels, 16 bits, interlaced). If memory runs out, the kernel must kill this process
    // and not the service. This file exists only on Linux.
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {}
}

function attach(child: ChildProcess, slot: SourceSlot, onFailure: (error: unknown) => void): CodecHandle {
  const way = isolation.chosen;
  const pipe = pipeOf(child);
  // The pipe breaks when the process dies. What that means is decided where the job is awaited.
  pipe.on('error', () => {});
  let alive = true;
  let healthy = true;
  let jobs = 0;
  let isReady = false;
  let isUnable = false;
  const ended = new Promise<void>((resolve) => {
    const end = (isKept: boolean): void => {
      alive = false;
      // Ended before it read any upload: the isolation denies it something that it needs.
      if (!isReady && isKept && healthy) isUnable = isolation.weaken(way);
      resolve();
    };
    child.once('exit', (_code, signal) => end(signal !== 'SIGKILL'));
    child.once('error', ({ code = '' }: NodeJS.ErrnoException) => end(forbidden.has(code)));
  });
  let filling: Promise<unknown> = Promise.resolve();
  // Not during a write: the descriptor's number could belong to another file by then.
  void ended.then(() => filling).then(() => slot.close());
  const ready = Promise.race([
    nextMessage<CodecReady>(child).then(({ confined }) => {
      isReady = true;
      isolation.prove();
      return isolation.describe(confined);
    }),
    ended.then(() => null),
  ]);
  const kill = (): void => {
    healthy = false;
    child.kill('SIGKILL');
  };

  /** Yields exactly the bytes of one result. The pipe stays open for the next one. */
  async function* take(sizeBytes: number, done: (whole: boolean) => void): AsyncGenerator<Buffer> {
    let left = sizeBytes;
    try {
      for await (const chunk of pipe.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        left -= chunk.length;
        yield chunk;
        if (left <= 0) break;
      }
      if (left !== 0) throw new Error('The codec ended before its result was whole');
    } finally {
      done(left === 0);
    }
  }

  return {
    ended,
    ready,
    kill,
    get fit() {
      return alive && healthy && jobs < maxJobs;
    },
    async run(job, timeoutMs, freed) {
      jobs += 1;
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        kill();
      }, timeoutMs);
      let isFree = false;
      const free = (whole: boolean): void => {
        if (isFree) return;
        isFree = true;
        clearTimeout(timer);
        // Unread bytes would be taken for the beginning of the next result.
        if (!whole) kill();
        freed();
      };
      const broken = (): ImagingOutcome | Unable => {
        free(false);
        if (isUnable) return { kind: 'unable' };
        return timedOut ? { kind: 'refused', reason: 'too_slow' } : { kind: 'crashed' };
      };
      // Runs while the codec starts. Running out of descriptors or space is not the image's fault.
      const filled = slot.fill(job.path).catch((error: unknown) => {
        onFailure(error);
        return -1;
      });
      filling = filled;
      const sizeBytes = await filled;
      if (sizeBytes === null || sizeBytes < 0) {
        free(true);
        return { kind: sizeBytes === null ? 'missing' : 'busy' };
      }
      if ((await ready) === null) return broken();
      const { path: name, sourceType, recipe } = job;
      const request: CodecRequest = { name, sizeBytes, sourceType, recipe, timeoutMs };
      child.send(request, (error) => {
        if (error) kill();
      });
      const message = await Promise.race([nextMessage<CodecMessage>(child), ended]);
      if (!message) return broken();
      if (message.residentBytes > maxResidentBytes) healthy = false;
      const { answer } = message;
      if (answer.kind !== 'made') {
        free(true);
        return answer;
      }
      if (answer.sizeBytes <= maxWholeBytes) {
        // Read at once, not on demand: the codec is free for the next job a millisecond earlier.
        const whole = await Promise.race([takeWhole(pipe, answer.sizeBytes), ended]);
        if (whole?.length !== answer.sizeBytes) return broken();
        free(pipe.readableLength === 0);
        return { ...answer, bytes: whole };
      }
      const bytes = Readable.from(take(answer.sizeBytes, free), { objectMode: false });
      // If the stream is destroyed before it is read, the generator never starts, so its `finally` never runs.
      bytes.once('close', () => free(false));
      return { ...answer, bytes };
    },
  };
}

const nextMessage = <Message>(child: ChildProcess): Promise<Message> =>
  new Promise((resolve) => child.once('message', (message) => resolve(message as Message)));

/** Resolves with this many bytes as soon as they are there, or with fewer, or null, when the pipe ends before. */
const takeWhole = (pipe: Readable, sizeBytes: number): Promise<Buffer | null> =>
  new Promise((resolve) => {
    const look = (): void => {
      const bytes: Buffer | null = pipe.read(sizeBytes);
      if (!bytes && !pipe.closed) return;
      pipe.off('readable', look).off('close', look);
      resolve(bytes);
    };
    pipe.on('readable', look).on('close', look);
    look();
  });

function pipeOf(child: ChildProcess): Readable {
  // If there are no descriptors for its pipes, the process does not start and `stdio` is missing.
  const pipe = (child.stdio as ChildProcess['stdio'] | undefined)?.[resultDescriptor];
  if (!(pipe instanceof Readable)) throw new Error('The codec has no pipe for its results');
  return pipe;
}
