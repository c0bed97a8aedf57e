/**
 * multipart/form-data: fields and files in one stream, in constant memory.
 *
 * The parser is busboy's Dicer, not Busboy itself, which silently skips a part whose header it cannot parse, truncates what is too long
 * and decodes by the part's own charset. Invariants: every part of an accepted body is in the result, complete; and a reader always
 * settles, because it waits only for
 *  - the pump, which ends or fails,
 *  - the parser's end: its writes never wait (its parts take all bytes of a chunk at once), so `end` always calls back,
 *  - the parts, which flow to their ends whatever the sink does (the pump is paused instead),
 *  - and the sink.
 */
import { Dicer } from '@fastify/busboy';
import { decodeFormText } from '../../../kernel/utf8.js';
import { Refusal, refuse } from '../../../model/errors.js';
import type { SubmittedFields } from '../../../model/fields.js';
import type { Charge, EnterUploads, FileSink, ReadBody } from './body.js';
import { type BodyPace, BodyPump, type BodyReceiver, type BodySource } from './body-pump.js';
import { FieldCollector } from './field-collector.js';
import { GatheredBytes } from './gathered-bytes.js';
import type { BodyLimits } from './limits.js';
import { maxPartHeaderBytes, maxPartHeaders, type RawPartHeader, readPartHeader } from './part-header.js';
import { type ArrivingFile, StagingQueue } from './staging-queue.js';

type Outcome<T> = ReadBody<T> | Refusal | 'aborted';

export function readMultipart<T>(
  source: BodySource,
  boundary: string,
  limits: BodyLimits,
  sink: FileSink<T>,
  options: MultipartOptions,
): Promise<Outcome<T>> {
  return new Promise((resolve, reject) => {
    const reader = new MultipartReader(boundary, limits, sink, options, resolve, reject);
    reader.readFrom(source);
  });
}

export interface MultipartOptions {
  /** `text` until the first file arrives, `files` from then on. */
  readonly paces: { readonly text: BodyPace; readonly files: BodyPace };
  readonly charge: Charge;
  readonly enter: EnterUploads;
}

class MultipartReader<T> implements BodyReceiver {
  readonly #parser: Dicer;
  readonly #queue: StagingQueue<T>;
  readonly #texts: TextPart[] = [];
  #pump: BodyPump | undefined;
  /** How much of the body is still to come, if the client declared its length. */
  #remainingBytes = 0;
  #parts = 0;
  #textBytes = 0;
  #hasFailed = false;

  constructor(
    boundary: string,
    private readonly limits: BodyLimits,
    sink: FileSink<T>,
    private readonly options: MultipartOptions,
    private readonly resolve: (outcome: Outcome<T>) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    const config = {
      boundary,
      // The parser silently truncates a header block. With room for four times the limit, a truncated block is still above the limit (a
      // header line of one byte takes four), and so is the number of headers.
      maxHeaderSize: 4 * maxPartHeaderBytes,
      maxHeaderPairs: maxPartHeaders + 1,
      // The parser's own backpressure can stall forever: a part that fills up and ends within one chunk is never read again, so nothing
      // wakes the parser. Pausing the request bounds the same memory.
      partHwm: Number.MAX_SAFE_INTEGER,
    };
    this.#parser = new Dicer(config);
    this.#parser.on('part', (part) => this.#onPart(part));
    this.#parser.on('error', () =>
      this.fail(refuse.invalidSubmission('The multipart body ends too early', 'invalid_multipart')),
    );
    this.#queue = new StagingQueue(sink, limits, {
      crowded: (isCrowded) => (isCrowded ? this.#pump?.hold() : this.#pump?.release()),
      enter: () => this.#enter(),
      failed: (error) => this.fail(error instanceof Error ? error : new Error(String(error))),
    });
  }

  readFrom(source: BodySource): void {
    this.#remainingBytes = Number(source.headers?.['content-length'] ?? 0);
    this.#pump = new BodyPump(source, this.limits.maxBodyBytes, this.options.paces.text, this);
    this.#pump.start();
  }

  /** Text needs no place: its memory is bounded, and so is its time. */
  #enter(): boolean | Promise<boolean> {
    this.#pump?.changePace(this.options.paces.files);
    return this.options.enter({
      progress: () => this.#pump?.progress() ?? null,
      evict: () => this.fail(refuse.uploadTooSlow()),
    });
  }

  chunk(bytes: Buffer): void {
    this.#parser.write(bytes);
    this.#remainingBytes -= bytes.length;
  }

  end(): void {
    // By the next turn every part has flowed to its end, and a missing last boundary has been reported: both take ticks only.
    this.#parser.end(() => setImmediate(() => this.#finish()));
  }

  fail(reason: Refusal | 'aborted' | Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#pump?.stop();
    const cause = reason === 'aborted' ? new Error('The client went away') : reason;
    const isExpected = reason === 'aborted' || reason instanceof Refusal;
    this.#queue
      .abandon(cause)
      .then(() => (isExpected ? this.resolve(reason) : this.reject(reason)), this.reject);
  }

  #onPart(part: Dicer.PartStream): void {
    // The parser reports the same error for the whole body.
    part.on('error', () => {});
    if (this.#hasFailed) return;
    this.#parts += 1;
    if (this.#parts > this.limits.maxParts) {
      this.fail(refuse.tooMany('parts', this.limits.maxParts));
      return;
    }
    let receiver: TextPart | ArrivingFile | undefined;
    part.on('header', (header: object) => {
      receiver = this.#open(header as RawPartHeader);
    });
    part.on('data', (bytes: Buffer) => {
      const refusal = this.#hasFailed ? undefined : receiver?.push(bytes);
      if (refusal !== undefined) this.fail(refusal);
    });
    part.on('end', () => {
      if (receiver === undefined)
        this.fail(
          refuse.invalidSubmission('A part of the multipart body has no header', 'invalid_multipart'),
        );
      receiver?.end();
    });
  }

  #open(raw: RawPartHeader): TextPart | ArrivingFile | undefined {
    if (this.#hasFailed) return undefined;
    const header = readPartHeader(raw, this.limits);
    if (header instanceof Refusal) {
      this.fail(header);
      return undefined;
    }
    if (header.kind === 'text') {
      const text = new TextPart(header.name, this.limits.maxValueBytes, this.#countText);
      this.#texts.push(text);
      return text;
    }
    const file = this.#queue.open(header, this.#remainingBytes);
    if (!(file instanceof Refusal)) return file;
    this.fail(file);
    return undefined;
  }

  /** Text is buffered in memory until the end, so its total is limited too. */
  readonly #countText = (bytes: number): Refusal | undefined => {
    this.#textBytes += bytes;
    const { maxTextBytes } = this.limits;
    return this.#textBytes > maxTextBytes
      ? refuse.tooManyBytes('text', maxTextBytes)
      : this.options.charge(bytes);
  };

  #finish(): void {
    if (this.#hasFailed) return;
    const fields = this.#collectFields();
    if (fields instanceof Refusal) {
      this.fail(fields);
      return;
    }
    this.#queue.staged().then((files) => {
      if (!this.#hasFailed) this.resolve({ fields, files });
    }, this.reject);
  }

  #collectFields(): SubmittedFields | Refusal {
    const collector = new FieldCollector();
    for (const { name, value } of this.#texts) {
      if (name !== '') collector.add(name, value);
    }
    return collector.collected();
  }
}

class TextPart {
  readonly #gathered = new GatheredBytes();
  #bytes = 0;

  constructor(
    readonly name: string,
    private readonly maxBytes: number,
    private readonly onBytes: (bytes: number) => Refusal | undefined,
  ) {}

  push(bytes: Buffer): Refusal | undefined {
    this.#bytes += bytes.length;
    if (this.#bytes > this.maxBytes) return refuse.tooManyBytes('field_value', this.maxBytes);
    const refusal = this.onBytes(bytes.length);
    if (refusal === undefined) this.#gathered.add(bytes, true);
    return refusal;
  }

  end(): void {}

  /** UTF-8, whatever charset the part declares; else the encoding that a page without a declared charset sends. */
  get value(): string {
    return decodeFormText(this.#gathered.bytes);
  }
}
