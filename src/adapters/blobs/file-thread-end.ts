/** The request thread's end of the thread that writes small files. */
import { Worker } from 'node:worker_threads';
import { blockBytes } from '../../kernel/byte-blocks.js';
import { BlobsUnavailable } from '../../ports/blobs.js';
import type { FileAnswer, FileRequest, FileThreadOptions } from './file-protocol.js';

/** Resolves when the file, of at most `blockBytes`, is in place and synced. Rejects with `BlobsUnavailable` when there is no thread. */
export type KeepSmall = (key: string, bytes: Buffer, modifiedAt: number) => Promise<void>;

/** Blocks are shared memory, which the garbage collector is slow to notice. Files beyond this number wait for earlier ones. */
const maxBlocks = 32;

interface Wanted {
  readonly key: string;
  readonly bytes: Buffer;
  readonly modifiedAt: number;
  resolve(): void;
  reject(error: Error): void;
}

/** The thread starts with the first file: an instance that never gets one need not pay for it. */
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
  readonly #wanted: Wanted[] = [];
  readonly #underWay = new Map<number, { readonly wanted: Wanted; readonly block: Uint8Array }>();
  /**
   * Shared by both threads. Bytes are always copied to the start of a block: if source and destination are not aligned
   * alike, V8 copies into shared memory byte by byte, which is thirty times slower.
   */
  readonly #blocks: Uint8Array[] = [];
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
      this.#wanted.push({ key, bytes, modifiedAt, resolve, reject });
      this.#handOver();
    });
  }

  #handOver(): void {
    while (this.#underWay.size < maxBlocks) {
      const wanted = this.#wanted.shift();
      if (!wanted) return;
      const { key, bytes, modifiedAt } = wanted;
      const block = this.#blocks.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes));
      block.set(bytes);
      // The process may exit while nothing is being written, but not before every write under way has its result.
      if (this.#underWay.size === 0) this.#worker.ref();
      this.#lastId += 1;
      this.#underWay.set(this.#lastId, { wanted, block });
      const request: FileRequest = { id: this.#lastId, key, block, length: bytes.length, modifiedAt };
      this.#worker.postMessage(request);
    }
  }

  #settle({ id, fault }: FileAnswer): void {
    const settled = this.#underWay.get(id);
    if (!settled) return;
    this.#underWay.delete(id);
    this.#blocks.push(settled.block);
    this.#handOver();
    if (this.#underWay.size === 0) this.#worker.unref();
    if (fault) settled.wanted.reject(Object.assign(new Error(fault.message), { code: fault.code }));
    else settled.wanted.resolve();
  }

  /** Whether the files under way were stored is unknown. The thread no longer writes them, so they can be written again. */
  #end(why: string): void {
    this.hasEnded = true;
    const left = [...Array.from(this.#underWay.values(), ({ wanted }) => wanted), ...this.#wanted];
    this.#underWay.clear();
    this.#wanted.length = 0;
    for (const { reject } of left)
      reject(new BlobsUnavailable(`The thread that writes files has ended: ${why}`));
  }
}
