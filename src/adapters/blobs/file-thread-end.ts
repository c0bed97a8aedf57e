/** The request thread's end of the thread that writes small files. */
import { Worker } from 'node:worker_threads';
import { ByteBlocks } from '../../kernel/byte-blocks.js';
import { BlobsUnavailable } from '../../ports/blobs.js';
import type { FileAnswer, FileRequest, FileThreadOptions } from './file-protocol.js';

/** Resolves when the file, of at most `blockBytes`, is in its place and synced. `BlobsUnavailable`: nobody is there to write it. */
export type KeepSmall = (key: string, bytes: Buffer, modifiedAt: number) => Promise<void>;

/**
 * Both threads see them. Bytes are copied into them from their beginning only: into shared memory V8 copies byte by byte,
 * thirty times as slowly, where source and destination are not aligned alike.
 */
const blocks = new ByteBlocks<Uint8Array>((bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));

interface Waiting {
  readonly block: Uint8Array;
  resolve(): void;
  reject(error: Error): void;
}

/** The thread starts with the first file: who never gets one need not pay for it. */
export function keepInThread(options: FileThreadOptions): KeepSmall {
  let thread: FileThread | null = null;
  return async (key, bytes, modifiedAt) => {
    if (thread === null || thread.hasEnded) thread = startThread(options);
    return thread.keep(key, bytes, modifiedAt);
  };
}

function startThread(options: FileThreadOptions): FileThread {
  try {
    return new FileThread(options);
  } catch (error) {
    throw new BlobsUnavailable('The thread that writes files could not be started', { cause: error });
  }
}

class FileThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  hasEnded = false;

  constructor(options: FileThreadOptions) {
    this.#worker = new Worker(new URL('./file-thread.js', import.meta.url), { workerData: options });
    this.#worker.on('message', (answer: FileAnswer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#end(error.message));
    this.#worker.on('exit', () => this.#end('it was stopped'));
  }

  keep(key: string, bytes: Buffer, modifiedAt: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      const block = blocks.take();
      block.set(bytes);
      // The process may end while nothing is being written, but not before what is has its answer.
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(this.#lastId, { block, resolve, reject });
      const request: FileRequest = { id: this.#lastId, key, block, length: bytes.length, modifiedAt };
      this.#worker.postMessage(request);
    });
  }

  #settle({ id, fault }: FileAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (waiting) blocks.giveBack(waiting.block);
    if (fault) waiting?.reject(Object.assign(new Error(fault.message), { code: fault.code }));
    else waiting?.resolve();
  }

  /** Whether the files under way are kept is not known; nobody writes them any more, so they can be written again. */
  #end(why: string): void {
    this.hasEnded = true;
    for (const { reject } of this.#waiting.values())
      reject(new BlobsUnavailable(`The thread that writes files has ended: ${why}`));
    this.#waiting.clear();
  }
}
