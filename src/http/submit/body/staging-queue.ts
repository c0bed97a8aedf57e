/**
 * Passes the files of one multipart body to the sink, one at a time, while the body is still arriving. A file that fits into a block is
 * collected and passed on whole, because a stream would cost more than its bytes. Larger files are streamed.
 *
 * Invariants: at most one `stage` runs, and none before the body has an upload place; memory stays constant, because the body is paused
 * while a file waits for its turn or the sink does not keep up; and after `abandon` nothing that was staged is left behind.
 */
import { Readable } from 'node:stream';
import { ByteBlocks, blockBytes } from '../../../kernel/byte-blocks.js';
import { type Refusal, refuse } from '../../../model/errors.js';
import type { FileSink } from './body.js';
import type { BodyLimits } from './limits.js';
import type { FileHeader } from './part-header.js';

const blocks = new ByteBlocks();

/** With more than this still to come, a file is likely to outgrow its block; trying would cost it a copy, and memory. */
const mayBeSmallBytes = 4 * blockBytes;

/** How much of a streamed file may be between the socket and the sink, besides its block. */
const bufferBytes = 64 * 1024;

export interface QueueListener {
  /** Whether the body must be paused. Called again whenever it may have changed. */
  crowded(isCrowded: boolean): void;
  /** The first file has arrived and needs a place. Returns a promise while it waits for one, and false when there is none. */
  enter(): boolean | Promise<boolean>;
  failed(error: unknown): void;
}

export class StagingQueue<T> {
  readonly #files: ArrivingFile[] = [];
  readonly #staged: T[] = [];
  #tail: Promise<void> = Promise.resolve();
  #present = 0;
  /** Passed on and not yet staged; the sink has the first of them. */
  #underWay = 0;
  #abandoned = false;
  #isWaiting = false;
  #place: Promise<void> = Promise.resolve();
  #stopWaiting = (): void => {};

  constructor(
    private readonly sink: FileSink<T>,
    private readonly limits: BodyLimits,
    private readonly listener: QueueListener,
  ) {}

  /** `remainingBytes`: how much of the body is still to come by its declared length; 0 without one. */
  open(header: FileHeader, remainingBytes: number): ArrivingFile | Refusal {
    const mayGather = remainingBytes <= mayBeSmallBytes;
    const file = new ArrivingFile(header, this.limits.maxFileBytes, {
      appeared: this.#countFile,
      mayGather: () => mayGather && !this.#isWaiting,
      ready: this.#countReady,
      balance: this.#balance,
    });
    const refusal = header.mayBeAbsent ? undefined : file.appear();
    if (refusal !== undefined) return refusal;
    this.#files.push(file);
    // In the order of the body: the parser reports the end of a part only after it has started the next one.
    this.#tail = this.#tail.then(() => this.#stage(file));
    this.#balance();
    queueMicrotask(() => file.begin());
    return file;
  }

  /** Resolves when no file is in progress. */
  async staged(): Promise<readonly T[]> {
    await this.#tail;
    return this.#staged;
  }

  async abandon(reason: Error): Promise<void> {
    this.#abandoned = true;
    this.#stopWaiting();
    for (const file of this.#files) file.abandon(reason);
    await this.#tail;
    if (this.#staged.length > 0) await this.sink.discard(this.#staged);
  }

  readonly #countReady = (): void => {
    this.#underWay += 1;
    this.#balance();
  };

  async #stage(file: ArrivingFile): Promise<void> {
    const isReady = await file.isReady;
    if (this.#isWaiting) await this.#place;
    if (!isReady || this.#abandoned) return;
    const { field, filename, declaredType } = file.header;
    const { content } = file;
    try {
      this.#staged.push(await this.sink.stage({ field, filename, declaredType, content }));
      if (content instanceof Readable && !content.readableEnded)
        throw new Error('A file was staged before it was read to its end');
    } catch (error) {
      this.listener.failed(error);
    }
    file.giveBack();
    this.#underWay -= 1;
    this.#balance();
  }

  readonly #countFile = (): Refusal | undefined => {
    this.#present += 1;
    if (this.#present > this.limits.maxFiles) return refuse.tooMany('files', this.limits.maxFiles);
    return this.#present === 1 ? this.#enter() : undefined;
  };

  #enter(): Refusal | undefined {
    const entered = this.listener.enter();
    if (typeof entered === 'boolean') return entered ? undefined : refuse.busy();
    this.#isWaiting = true;
    this.#place = new Promise((resolve) => {
      this.#stopWaiting = resolve;
    });
    void entered.then((hasEntered) => {
      this.#isWaiting = false;
      if (hasEntered) this.#balance();
      else this.listener.failed(refuse.busy());
      this.#stopWaiting();
    });
    this.#balance();
    return undefined;
  }

  readonly #balance = (): void => {
    // Only the newest file can still get bytes.
    const isFull = this.#files.at(-1)?.isFull ?? false;
    this.listener.crowded(this.#isWaiting || this.#underWay > 1 || isFull);
  };
}

interface FileListener {
  /** Called when it is not an empty file input. */
  appeared(): Refusal | undefined;
  /** Whether a block may be used for it now. */
  mayGather(): boolean;
  /** Called when it is complete, or starts to be streamed. */
  ready(): void;
  balance(): void;
}

/** One file on its way from the parser to the sink. */
export class ArrivingFile {
  /** Resolves with false for an empty file input, and for a file whose body failed before. */
  readonly isReady: Promise<boolean>;
  /** True at first: the parser passes on what it has of a part only when the code that feeds it pauses. */
  isFull = true;
  #decide: (isReady: boolean) => void = () => {};
  #stream: Readable | undefined;
  #gathered: Buffer | undefined;
  #hasAppeared = false;
  #bytes = 0;

  constructor(
    readonly header: FileHeader,
    private readonly maxBytes: number,
    private readonly listener: FileListener,
  ) {
    this.isReady = new Promise((resolve) => {
      this.#decide = resolve;
    });
  }

  get content(): Buffer | Readable {
    return this.#stream ?? this.#gathered?.subarray(0, this.#bytes) ?? Buffer.alloc(0);
  }

  begin(): void {
    if (this.#bytes === 0) this.#setFull(false);
  }

  appear(): Refusal | undefined {
    this.#hasAppeared = true;
    return this.listener.appeared();
  }

  push(bytes: Buffer): Refusal | undefined {
    const before = this.#bytes;
    this.#bytes += bytes.length;
    if (this.#bytes > this.maxBytes) return refuse.tooManyBytes('file', this.maxBytes);
    const refusal = this.#hasAppeared ? undefined : this.appear();
    if (refusal !== undefined) return refusal;
    if (this.#stream === undefined && this.#bytes <= blockBytes && this.listener.mayGather())
      this.#gather(bytes, before);
    else this.#pass(bytes, before);
    return undefined;
  }

  end(): void {
    if (this.#stream !== undefined) {
      if (!this.#stream.destroyed) this.#stream.push(null);
    } else if (this.#hasAppeared) this.#becomeReady();
    else this.#decide(false);
    // An ended stream requests no more bytes, so nothing else would report that there is room again.
    this.#setFull(false);
  }

  abandon(reason: Error): void {
    this.#decide(false);
    this.#stream?.destroy(reason);
  }

  /** Called when what was collected is no longer read. */
  giveBack(): void {
    if (this.#gathered !== undefined) blocks.giveBack(this.#gathered);
    this.#gathered = undefined;
  }

  #becomeReady(): void {
    this.#decide(true);
    this.listener.ready();
  }

  /** Copies into one block, so that a client that sends single bytes cannot pile up a buffer object for each. */
  #gather(bytes: Buffer, at: number): void {
    this.#gathered ??= blocks.take();
    bytes.copy(this.#gathered, at);
    this.#setFull(false);
  }

  #pass(bytes: Buffer, before: number): void {
    if (this.#stream === undefined) {
      this.#stream = new Readable({ highWaterMark: bufferBytes, read: () => this.#setFull(false) });
      // The sink gets errors through the stream. A file that never reached a sink has no other listener.
      this.#stream.on('error', () => {});
      // Not given back for reuse: it is unknown when the sink is done with it.
      if (this.#gathered !== undefined) this.#stream.push(this.#gathered.subarray(0, before));
      this.#gathered = undefined;
      this.#becomeReady();
    }
    // A sink that gave up destroys the stream; its rejection follows.
    if (!this.#stream.destroyed) this.#setFull(!this.#stream.push(bytes));
  }

  #setFull(isFull: boolean): void {
    if (this.isFull === isFull) return;
    this.isFull = isFull;
    this.listener.balance();
  }
}
