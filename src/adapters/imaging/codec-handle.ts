/** One codec process as its parent sees it: one job at a time, a deadline over all of it, gone at the first fault. */
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

// After a huge picture the allocator keeps what it got; a fresh process costs less than holding it.
const maxResidentBytes = 400 * 1024 * 1024;
const maxJobs = 1_000;

/** It could not start as it was started. The next one will be started in a way that is less demanding. */
export interface Unable {
  readonly kind: 'unable';
}

export interface CodecHandle {
  /** Resolves when the outcome is known; `freed` follows when the codec can take the next job, or is gone. */
  run(job: ImageJob, timeoutMs: number, freed: () => void): Promise<ImagingOutcome | Unable>;
  /** Whether another job should be given to it. */
  readonly fit: boolean;
  /** Resolves when it can take a picture; null: it ended before. */
  readonly ready: Promise<CodecIsolation | null>;
  kill(): void;
  readonly ended: Promise<void>;
}

/** `folder` is for what the codec reads. `onFailure` hears what keeps pictures from being made and is not their fault. */
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

/** No place for the source, no descriptors or no memory for a process: the picture may be asked for again. */
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

/** Not for want of descriptors, processes or memory, which says nothing about the way. */
const forbidden = new Set(['ENOENT', 'EACCES', 'EPERM', 'EINVAL']);

/** Whether `chrt` is there and may be used; known after the first codec. */
let canStartIdle = false;

/**
 * Beside the low priority: a task of the idle class runs only when nobody else wants the core. From its first moment,
 * if that can be: two codecs that start take 80 ms of processor time. Where there is no such tool the low priority
 * has to do.
 */
function forkCodec(source: number): ChildProcess {
  const startsIdle = canStartIdle;
  const { execPath, execArgv, user } = isolation.launch(startsIdle ? ['chrt', '--idle', '0'] : [], [
    '--max-old-space-size=64',
  ]);
  const child = fork(entry, [], {
    // Neither our settings, which hold secrets, nor our node flags are its business.
    env: { VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' },
    execPath,
    execArgv: [...execArgv],
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe', source],
  });
  // Before anything can go wrong: an error that nobody listens to ends the service.
  child.on('error', () => {
    canStartIdle = false;
  });
  if (child.pid !== undefined) yieldToService(child.pid);
  if (!startsIdle && child.pid !== undefined) {
    // Found as the codec will find it, which knows no PATH of ours.
    const values = ['--all-tasks', '--idle', '--pid', '0', String(child.pid)];
    execFile('chrt', values, { env: {} }, (error) => {
      canStartIdle = !error;
    }).on('error', () => {});
  }
  return child;
}

/** From outside: the codec itself may change nothing. */
function yieldToService(pid: number): void {
  try {
    // Submissions come first: with codecs at full load the service still gets a core when it wants one.
    setPriority(pid, constants.priority.PRIORITY_LOW);
    // A picture may need 750 MB (50 megapixels, 16 bits, interlaced). Where that is too much, the kernel is to end that
    // process and not the service. Elsewhere than on Linux there is nothing to write to.
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {}
}

function attach(child: ChildProcess, slot: SourceSlot, onFailure: (error: unknown) => void): CodecHandle {
  const way = isolation.chosen;
  const pipe = pipeOf(child);
  // It breaks when the process dies; what that means is decided where the job is awaited.
  pipe.on('error', () => {});
  let alive = true;
  let healthy = true;
  let jobs = 0;
  let isReady = false;
  let isUnable = false;
  const ended = new Promise<void>((resolve) => {
    const end = (isKept: boolean): void => {
      alive = false;
      // Before it has read any upload: it is kept from something that it needs.
      if (!isReady && isKept && healthy) isUnable = isolation.weaken(way);
      resolve();
    };
    child.once('exit', (_code, signal) => end(signal !== 'SIGKILL'));
    child.once('error', ({ code = '' }: NodeJS.ErrnoException) => end(forbidden.has(code)));
  });
  let filling: Promise<unknown> = Promise.resolve();
  // Not under a write that is still going on: the number may belong to another file by then.
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

  /** The bytes of one result, exactly; the pipe goes on to carry the next one. */
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
        // Bytes that nobody took would be taken for the beginning of the next result.
        if (!whole) kill();
        freed();
      };
      const broken = (): ImagingOutcome | Unable => {
        free(false);
        if (isUnable) return { kind: 'unable' };
        return timedOut ? { kind: 'refused', reason: 'too_slow' } : { kind: 'crashed' };
      };
      // While the codec starts. No descriptor or no space left is not the picture's fault.
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
        // At once, and not when somebody reads it: the codec is free for the next job a millisecond earlier.
        const whole = await Promise.race([takeWhole(pipe, answer.sizeBytes), ended]);
        if (whole?.length !== answer.sizeBytes) return broken();
        free(pipe.readableLength === 0);
        return { ...answer, bytes: whole };
      }
      const bytes = Readable.from(take(answer.sizeBytes, free), { objectMode: false });
      // Destroyed before it was read, the generator never starts and so never ends.
      bytes.once('close', () => free(false));
      return { ...answer, bytes };
    },
  };
}

const nextMessage = <Message>(child: ChildProcess): Promise<Message> =>
  new Promise((resolve) => child.once('message', (message) => resolve(message as Message)));

/** So many bytes, as soon as they are there; fewer when the pipe ends before. */
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
  // Without descriptors for its pipes the process is not started, and there is not even the list.
  const pipe = (child.stdio as ChildProcess['stdio'] | undefined)?.[resultDescriptor];
  if (!(pipe instanceof Readable)) throw new Error('The codec has no pipe for its results');
  return pipe;
}
