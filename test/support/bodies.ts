/** Submission bodies for tests: requests made of given chunks, multipart text, and a sink that stores files in memory. */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BodySource, defaultPace } from '../../src/http/submit/body/body-pump.js';
import { type BodyLimits, bodyLimits } from '../../src/http/submit/body/limits.js';
import type { FileSink, UploadedFile } from '../../src/http/submit/body/read-body.js';
import type { MultipartOptions } from '../../src/http/submit/body/read-multipart.js';
import { Refusal, refuse } from '../../src/model/errors.js';

export const testLimits: BodyLimits = bodyLimits({
  maxFileBytes: 10 * 1024 * 1024,
  maxFiles: 10,
  maxBodyBytes: 25 * 1024 * 1024,
});

/** Reads without limits on memory or places. */
export const freely: MultipartOptions = {
  paces: { text: defaultPace, files: defaultPace },
  charge: () => undefined,
  enter: () => true,
};

/** A request whose body arrives in exactly these chunks. */
export function requestOf(...chunks: readonly (Buffer | string)[]): BodySource {
  const rest = chunks.map((chunk) => Buffer.from(chunk)).filter((chunk) => chunk.length > 0);
  return new Readable({
    read() {
      this.push(rest.shift() ?? null);
    },
  });
}

/** A request whose body is sent piece by piece and may never end. */
export function openRequest(): BodySource {
  return new Readable({ read() {} });
}

export interface KeptFile {
  readonly field: string;
  readonly filename: string;
  readonly declaredType: string;
  readonly bytes: Buffer;
}

/** What a sink reads, whether the content is a buffer or a stream. */
export const piecesOf = (content: Buffer | Readable): Iterable<Buffer> | AsyncIterable<Buffer> =>
  content instanceof Readable ? content : [content];

export class MemorySink implements FileSink<KeptFile> {
  readonly begun: UploadedFile[] = [];
  readonly failed: unknown[] = [];
  readonly discarded: KeptFile[] = [];
  #running = 0;
  mostAtOnce = 0;

  /** A slow sink yields before every read, so that the parser runs ahead of it. */
  constructor(private readonly pace: 'eager' | 'slow' = 'eager') {}

  async stage(file: UploadedFile): Promise<KeptFile> {
    this.begun.push(file);
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    const chunks: Buffer[] = [];
    try {
      if (this.pace === 'slow') await nextTurn();
      for await (const chunk of piecesOf(file.content)) {
        chunks.push(chunk);
        if (this.pace === 'slow') await nextTurn();
      }
    } catch (error) {
      this.failed.push(error);
      throw error;
    } finally {
      this.#running -= 1;
    }
    const { field, filename, declaredType } = file;
    return { field, filename, declaredType, bytes: Buffer.concat(chunks) };
  }

  async discard(staged: readonly KeptFile[]): Promise<void> {
    this.discarded.push(...staged);
  }
}

/** A sink that has read its whole file and then waits until it is released. */
export function lingeringSink() {
  const state = { read: 0, discarded: [] as string[], letGo: () => {} };
  const gate = new Promise<void>((resolve) => {
    state.letGo = resolve;
  });
  const sink: FileSink<string> = {
    async stage({ content, filename }) {
      for await (const _ of piecesOf(content));
      state.read += 1;
      await gate;
      return filename;
    },
    async discard(staged) {
      state.discarded.push(...staged);
    },
  };
  return { sink, state };
}

export interface Part {
  readonly headers: readonly string[];
  readonly content: Buffer | string;
}

/** Writes a name like browsers, and a backslash like the libraries that escape it. */
const quoted = (name: string): string =>
  `"${name.replaceAll('\\', '\\\\').replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

export const textPart = (name: string, content: Buffer | string): Part => ({
  headers: [`Content-Disposition: form-data; name=${quoted(name)}`],
  content,
});

export const filePart = (
  name: string,
  filename: string,
  content: Buffer | string,
  type = 'image/png',
): Part => ({
  headers: [
    `Content-Disposition: form-data; name=${quoted(name)}; filename=${quoted(filename)}`,
    `Content-Type: ${type}`,
  ],
  content,
});

export function multipartBody(boundary: string, parts: readonly Part[]): Buffer {
  const pieces: Buffer[] = [];
  for (const { headers, content } of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`));
    pieces.push(Buffer.from(content), Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** What a client sees of a rejection. Fails the test when the outcome is not one. */
export function refusalOf(outcome: unknown): { kind: string; text: string; extra: unknown } {
  if (!(outcome instanceof Refusal)) throw new Error(`Not refused: ${JSON.stringify(outcome)}`);
  return { kind: outcome.kind, text: outcome.message, extra: outcome.extra };
}

export const invalid = (detail: string) => ({
  kind: 'invalid',
  text: 'Invalid content type',
  extra: { detail },
});

export const tooManyBytes = (...given: Parameters<typeof refuse.tooManyBytes>) =>
  refusalOf(refuse.tooManyBytes(...given));

export const tooMany = (...given: Parameters<typeof refuse.tooMany>) => refusalOf(refuse.tooMany(...given));
