/** One codec process as its parent sees it: one job at a time, a deadline over all of it, gone at the first fault. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type ImageJob, type ImagingOutcome, maxWholeBytes } from '../../ports/imaging.js';
import { bytesDescriptor, type CodecMessage } from './protocol.js';

const entry = fileURLToPath(new URL('./codec-process.js', import.meta.url));

// After a huge picture the allocator keeps what it got; a fresh process costs less than holding it.
const maxResidentBytes = 400 * 1024 * 1024;
const maxJobs = 1_000;

export interface CodecHandle {
  /** Resolves when the outcome is known; `freed` follows when the codec can take the next job, or is gone. */
  run(job: ImageJob, timeoutMs: number, freed: () => void): Promise<ImagingOutcome>;
  /** Whether another job should be given to it. */
  readonly fit: boolean;
  kill(): void;
  readonly ended: Promise<void>;
}

export function startCodec(): CodecHandle {
  try {
    return attach(forkCodec());
  } catch {
    return unstarted();
  }
}

/** No descriptors or no memory left for a process, which is not the picture's fault: it may be asked for again. */
const unstarted = (): CodecHandle => ({
  ended: Promise.resolve(),
  fit: false,
  kill() {},
  async run(_job, _timeoutMs, freed) {
    freed();
    return { kind: 'busy' };
  },
});

/** Whether `chrt` is there and may be used; known after the first codec. */
let canStartIdle = false;

/**
 * Beside the low priority: a task of the idle class runs only when nobody else wants the core. From its first moment,
 * if that can be: two codecs that start take 80 ms of processor time. Where there is no such tool the low priority
 * has to do.
 */
function forkCodec(): ChildProcess {
  const startsIdle = canStartIdle;
  const nodeFlags = ['--max-old-space-size=64'];
  const child = fork(entry, [], {
    // Neither our settings, which hold secrets, nor our node flags are its business.
    env: { VIPS_BLOCK_UNTRUSTED: '1', MALLOC_ARENA_MAX: '2' },
    ...(startsIdle
      ? { execPath: 'chrt', execArgv: ['--idle', '0', process.execPath, ...nodeFlags] }
      : { execArgv: nodeFlags }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
  });
  // Before anything can go wrong: an error that nobody listens to ends the service.
  child.on('error', () => {
    canStartIdle = false;
  });
  if (!startsIdle && child.pid !== undefined) {
    // Found as the codec will find it, which knows no PATH of ours.
    const values = ['--all-tasks', '--idle', '--pid', '0', String(child.pid)];
    execFile('chrt', values, { env: {} }, (error) => {
      canStartIdle = !error;
    }).on('error', () => {});
  }
  return child;
}

function attach(child: ChildProcess): CodecHandle {
  const pipe = pipeOf(child);
  // It breaks when the process dies; what that means is decided where the job is awaited.
  pipe.on('error', () => {});
  let alive = true;
  let healthy = true;
  let jobs = 0;
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      alive = false;
      resolve();
    };
    child.once('exit', end);
    child.once('error', end);
  });
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
      child.send({ ...job, timeoutMs }, (error) => {
        if (error) kill();
      });
      const broken = (): ImagingOutcome => {
        free(false);
        return timedOut ? { kind: 'refused', reason: 'too_slow' } : { kind: 'crashed' };
      };
      const message = await Promise.race([nextMessage(child), ended]);
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

const nextMessage = (child: ChildProcess): Promise<CodecMessage> =>
  new Promise((resolve) => child.once('message', (message) => resolve(message as CodecMessage)));

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
  const pipe = (child.stdio as ChildProcess['stdio'] | undefined)?.[bytesDescriptor];
  if (!(pipe instanceof Readable)) throw new Error('The codec has no pipe for its results');
  return pipe;
}
