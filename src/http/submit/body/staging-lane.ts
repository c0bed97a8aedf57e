/**
 * Takes the files of one multipart body to the sink, one after the other, while the body is still coming.
 *
 * What must stay true: at most one `stage` runs; memory stays flat, because the body is held back while a file waits
 * for its turn or the sink does not keep up; and after `abandon` nothing that was staged is left behind.
 */
import { Readable } from 'node:stream';
import { type Refusal, refuse } from '../../../model/errors.js';
import type { FileSink } from './body.js';
import type { BodyLimits } from './limits.js';
import type { FileHeader } from './part-header.js';

/** How much of a file may lie between the socket and the sink, beside the chunk that is being parsed. */
const bufferBytes = 64 * 1024;

export interface LaneListener {
  /** Whether the body must be held back. Told again whenever it may have changed. */
  crowded(isCrowded: boolean): void;
  failed(error: unknown): void;
}

export class StagingLane<T> {
  readonly #files: ArrivingFile[] = [];
  readonly #staged: T[] = [];
  #tail: Promise<void> = Promise.resolve();
  #present = 0;
  #waiting = 0;
  #abandoned = false;

  constructor(
    private readonly sink: FileSink<T>,
    private readonly limits: BodyLimits,
    private readonly listener: LaneListener,
  ) {}

  open(header: FileHeader): ArrivingFile | Refusal {
    const file = new ArrivingFile(header, this.limits.maxFileBytes, this.#countFile, this.#balance);
    const refusal = header.mayBeAbsent ? undefined : file.appear();
    if (refusal !== undefined) return refusal;
    this.#files.push(file);
    this.#waiting += 1;
    this.#tail = this.#tail.then(() => this.#stage(file));
    this.#balance();
    return file;
  }

  /** Resolves when no file is under way any more. */
  async staged(): Promise<readonly T[]> {
    await this.#tail;
    return this.#staged;
  }

  async abandon(reason: Error): Promise<void> {
    this.#abandoned = true;
    for (const file of this.#files) file.abandon(reason);
    await this.#tail;
    if (this.#staged.length > 0) await this.sink.discard(this.#staged);
  }

  async #stage(file: ArrivingFile): Promise<void> {
    this.#waiting -= 1;
    this.#balance();
    if (!(await file.isPresent) || this.#abandoned) return;
    const { field, filename, declaredType } = file.header;
    try {
      this.#staged.push(await this.sink.stage({ field, filename, declaredType, content: file.content }));
      if (!file.content.readableEnded) throw new Error('A file was staged before it was read to its end');
    } catch (error) {
      this.listener.failed(error);
    }
  }

  readonly #countFile = (): Refusal | undefined => {
    this.#present += 1;
    return this.#present > this.limits.maxFiles ? refuse.tooMany('files', this.limits.maxFiles) : undefined;
  };

  readonly #balance = (): void => {
    // Only the newest file can still get bytes.
    this.listener.crowded(this.#waiting > 0 || (this.#files.at(-1)?.isFull ?? false));
  };
}

/** One file on its way from the parser to the sink. */
export class ArrivingFile {
  /** Settles with false for a file input that was left empty. */
  readonly isPresent: Promise<boolean>;
  readonly content: Readable;
  isFull = false;
  #decidePresence: (isPresent: boolean) => void = () => {};
  #hasAppeared = false;
  #bytes = 0;

  constructor(
    readonly header: FileHeader,
    private readonly maxBytes: number,
    private readonly onAppear: () => Refusal | undefined,
    private readonly onBalance: () => void,
  ) {
    this.isPresent = new Promise((resolve) => {
      this.#decidePresence = resolve;
    });
    this.content = new Readable({ highWaterMark: bufferBytes, read: () => this.#setFull(false) });
    // The sink hears of a fault through the stream; a file that never reached a sink has nobody who listens.
    this.content.on('error', () => {});
  }

  appear(): Refusal | undefined {
    this.#hasAppeared = true;
    this.#decidePresence(true);
    return this.onAppear();
  }

  push(bytes: Buffer): Refusal | undefined {
    this.#bytes += bytes.length;
    if (this.#bytes > this.maxBytes) return refuse.tooManyBytes('A file', this.maxBytes);
    const refusal = this.#hasAppeared ? undefined : this.appear();
    // A sink that gave up destroys the stream; its rejection is on the way.
    if (refusal === undefined && !this.content.destroyed && !this.content.push(bytes)) this.#setFull(true);
    return refusal;
  }

  end(): void {
    this.#decidePresence(false);
    if (!this.content.destroyed) this.content.push(null);
    // An ended stream asks for no more bytes, so nobody else would say that there is room again.
    this.#setFull(false);
  }

  abandon(reason: Error): void {
    this.#decidePresence(false);
    this.content.destroy(reason);
  }

  #setFull(isFull: boolean): void {
    if (this.isFull === isFull) return;
    this.isFull = isFull;
    this.onBalance();
  }
}
