import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  filePart,
  freely,
  lingeringSink,
  MemorySink,
  multipartBody,
  openRequest,
  piecesOf,
  refusalOf,
  requestOf,
  testLimits,
  textPart,
  tooMany,
  tooManyBytes,
} from '../../../../test/support/bodies.js';
import { refuse } from '../../../model/errors.js';
import type { UploadingBody } from './body.js';
import type { BodySource } from './body-pump.js';
import type { BodyLimits } from './limits.js';
import type { FileSink } from './read-body.js';
import { readMultipart } from './read-multipart.js';

const boundary = 'b0undary';
const small = { maxFileBytes: 10, maxFiles: 2 };
/** More than fits into a block: its bytes are passed on as they arrive. */
const streamed = { maxFileBytes: 200_000, maxFiles: 2 };

function readFrom<T>(source: BodySource, sink: FileSink<T>, limits: Partial<BodyLimits> = {}) {
  return readMultipart(source, boundary, { ...testLimits, ...limits }, sink, freely);
}

describe('files of a body that fails', () => {
  const first = filePart('a', 'first', '1');

  it('discards what was staged when a later part is refused', async () => {
    const sink = new MemorySink();
    const body = multipartBody(boundary, [first, first, first]);
    expect(refusalOf(await readFrom(requestOf(body), sink, small))).toEqual(tooMany('files', 2));
    expect(sink.discarded).toHaveLength(sink.begun.length - sink.failed.length);
  });

  it('stops the running stage and discards the earlier ones when the body is refused', async () => {
    const sink = new MemorySink();
    const body = multipartBody(boundary, [first, filePart('a', 'second', 'x'.repeat(200_001))]);
    // The second file arrives in two chunks, so that it is being staged when the limit is exceeded.
    const source = openRequest();
    const reading = readFrom(source, sink, streamed);
    source.push(body.subarray(0, body.length - 24));
    await expect.poll(() => sink.begun).toHaveLength(2);
    source.push(body.subarray(body.length - 24));
    const refusal = await reading;
    expect(refusalOf(refusal)).toEqual(tooManyBytes('file', 200_000));
    expect(sink.failed).toEqual([refusal]);
    expect(sink.discarded.map((file) => file.filename)).toEqual(['first']);
    expect(source.isPaused()).toBe(true);
  });

  it('does not begin with a file when its body is refused before', async () => {
    const sink = new MemorySink();
    const body = multipartBody(boundary, [first, { headers: [], content: '' }]);
    expect(refusalOf(await readFrom(requestOf(body), sink)).kind).toBe('invalid');
    expect(sink.begun).toEqual([]);
  });

  it('discards a file whose stage ends only after the refusal', async () => {
    const { sink, state } = lingeringSink();
    const source = openRequest();
    const reading = readFrom(source, sink);
    source.push(`${multipartBody(boundary, [first]).toString().slice(0, -4)}\r\n`);
    await expect.poll(() => state.read).toBe(1);
    source.push(`\r\nno header\r\n--${boundary}--`);
    await expect.poll(() => source.isPaused()).toBe(true);
    expect(state.discarded).toEqual([]);
    state.letGo();
    expect(refusalOf(await reading).kind).toBe('invalid');
    expect(state.discarded).toEqual(['first']);
  });

  it('discards and says so when the client leaves in the middle of a file', async () => {
    const sink = new MemorySink();
    const source = openRequest();
    const reading = readFrom(source, sink);
    const second = filePart('a', 'second', 'x'.repeat(200_000));
    source.push(multipartBody(boundary, [first, second]).subarray(0, -18));
    await expect.poll(() => sink.begun).toHaveLength(2);
    source.destroy();
    expect(await reading).toBe('aborted');
    expect(sink.failed).toHaveLength(1);
    expect(sink.discarded.map((file) => file.filename)).toEqual(['first']);
  });

  it('does not begin with a small file that is not whole when the body fails', async () => {
    const sink = new MemorySink();
    const gone = openRequest();
    const reading = readFrom(gone, sink);
    gone.push(multipartBody(boundary, [first, filePart('a', 'second', 'xyz')]).subarray(0, -18));
    await expect.poll(() => sink.begun).toHaveLength(1);
    gone.destroy();
    expect(await reading).toBe('aborted');
    const tooLarge = multipartBody(boundary, [filePart('a', 'third', 'x'.repeat(11))]);
    expect(refusalOf(await readFrom(requestOf(tooLarge), sink, small))).toEqual(tooManyBytes('file', 10));
    expect([sink.begun.length, sink.failed]).toEqual([1, []]);
    expect(sink.discarded.map((file) => file.filename)).toEqual(['first']);
  });

  it('settles when the client leaves before it is clear whether there is a file', async () => {
    const sink = new MemorySink();
    const source = openRequest();
    const reading = readFrom(source, sink);
    source.push(`--${boundary}\r\nContent-Disposition: form-data; name="a"; filename=""\r\n\r\n\r\n`);
    await nextTurn();
    source.destroy();
    expect(await reading).toBe('aborted');
    expect(sink.begun).toEqual([]);
  });

  it('rejects with the fault of a sink, after discarding', async () => {
    const discarded: string[] = [];
    const fault = new Error('disk on fire');
    const sink: FileSink<string> = {
      async stage({ content, filename }) {
        if (filename === 'second') throw fault;
        for await (const _ of piecesOf(content));
        return filename;
      },
      async discard(staged) {
        discarded.push(...staged);
      },
    };
    const body = multipartBody(boundary, [first, filePart('a', 'second', 'x'.repeat(500_000)), first]);
    await expect(readFrom(requestOf(body), sink)).rejects.toBe(fault);
    expect(discarded).toEqual(['first']);
  });

  it('refuses with the refusal of a sink', async () => {
    const sink: FileSink<string> = {
      async stage() {
        throw refuse.storageFull();
      },
      async discard() {},
    };
    const outcome = await readFrom(requestOf(multipartBody(boundary, [first])), sink);
    expect(refusalOf(outcome).kind).toBe('storage_full');
  });

  it('takes a sink that did not read its file to the end for a fault', async () => {
    const discarded: string[] = [];
    const sink: FileSink<string> = {
      async stage({ filename }) {
        return filename;
      },
      async discard(staged) {
        discarded.push(...staged);
      },
    };
    const body = multipartBody(boundary, [filePart('a', 'unread', 'x'.repeat(500_000))]);
    await expect(readFrom(requestOf(body), sink)).rejects.toThrow('before it was read');
    expect(discarded).toEqual(['unread']);
  });
});

describe('files and backpressure', () => {
  /** A body that never ends. */
  function bottomless(start: string) {
    const state = { given: 0 };
    const source = new Readable({
      read() {
        const bytes = state.given === 0 ? Buffer.from(start) : Buffer.alloc(16 * 1024, 'x');
        state.given += bytes.length;
        this.push(bytes);
      },
    });
    return { source, state };
  }

  const fileStart = (filename: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="a"; filename="${filename}"\r\n\r\n`;

  async function givenAfterManyTurns(state: { given: number }): Promise<number> {
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    return state.given;
  }

  it.each(['x.bin', ''])(
    'draws no more than a buffer for a sink that does not read (file name %j)',
    async (filename) => {
      const { source, state } = bottomless(fileStart(filename));
      const sink: FileSink<never> = { stage: () => new Promise(() => {}), discard: async () => {} };
      void readFrom(source, sink);
      expect(await givenAfterManyTurns(state)).toBeLessThan(256 * 1024);
      source.destroy();
    },
  );

  it('goes on after a file that was whole before the sink looked at it', async () => {
    const body = multipartBody(boundary, [filePart('a', 'x', 'x'.repeat(100_000)), filePart('a', 'y', 'y')]);
    const chunks = [body.subarray(0, -30), body.subarray(-30)];
    expect(await readFrom(requestOf(...chunks), new MemorySink('slow'))).toMatchObject({
      files: [{ filename: 'x' }, { filename: 'y' }],
    });
  });

  it('draws no more than a buffer while a file waits for its turn', async () => {
    const { source, state } = bottomless(`${fileStart('first')}done\r\n${fileStart('second')}`);
    const sink: FileSink<never> = {
      async stage({ content }) {
        for await (const _ of piecesOf(content));
        return new Promise<never>(() => {});
      },
      discard: async () => {},
    };
    void readFrom(source, sink);
    expect(await givenAfterManyTurns(state)).toBeLessThan(256 * 1024);
    source.destroy();
  });
});

describe('files and the place that their body needs', () => {
  const file = filePart('a', 'x', 'x'.repeat(1_000));
  const unnamed = (content: string) => filePart('a', '', content);

  /** Reads a body that has to wait for its place until `decide` is called. */
  function readWaiting<T>(source: BodySource, sink: FileSink<T>) {
    const asked: UploadingBody[] = [];
    let decide: (mayEnter: boolean) => void = () => {};
    const entered = new Promise<boolean>((resolve) => {
      decide = resolve;
    });
    const enter = (body: UploadingBody) => {
      asked.push(body);
      return entered;
    };
    const reading = readMultipart(source, boundary, testLimits, sink, { ...freely, enter });
    return { asked, decide, reading };
  }

  it.each([
    ['only text', [textPart('a', '1')], 0],
    ['a file input that was left empty', [textPart('a', '1'), unnamed('')], 0],
    ['a file', [textPart('a', '1'), file], 1],
    ['a file without a name', [unnamed('x')], 1],
    ['several files', [file, file, unnamed('x')], 1],
  ])('is asked for once at most: %s', async (_, parts, times) => {
    let asked = 0;
    const enter = () => {
      asked += 1;
      return true;
    };
    const source = requestOf(multipartBody(boundary, parts));
    await readMultipart(source, boundary, testLimits, new MemorySink(), { ...freely, enter });
    expect(asked).toBe(times);
  });

  it.each([
    ['small', 1_000],
    ['large', 500_000],
  ])('is waited for with the body unread: a %s file', async (_, bytes) => {
    const sink = new MemorySink();
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const body = multipartBody(boundary, [filePart('a', 'x', 'x'.repeat(bytes)), file]);
    const chunks = Array.from({ length: Math.ceil(body.length / chunk.length) }, (_none, i) =>
      body.subarray(i * chunk.length, (i + 1) * chunk.length),
    );
    const source = requestOf(...chunks);
    const { decide, reading } = readWaiting(source, sink);
    await expect.poll(() => source.isPaused()).toBe(true);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect([source.isPaused(), sink.begun.length]).toEqual([true, 0]);
    decide(true);
    expect(await reading).toMatchObject({
      files: [{ bytes: Buffer.alloc(bytes, 'x') }, { bytes: Buffer.alloc(1_000, 'x') }],
    });
  });

  it('is rejected with a time to retry, and nothing was staged', async () => {
    const sink = new MemorySink();
    const { decide, reading } = readWaiting(requestOf(multipartBody(boundary, [file])), sink);
    decide(false);
    expect(refusalOf(await reading).kind).toBe('unavailable');
    expect(sink.begun).toEqual([]);
  });

  it('is waited for no longer when the client leaves', async () => {
    const sink = new MemorySink();
    const source = openRequest();
    const { asked, reading } = readWaiting(source, sink);
    source.push(multipartBody(boundary, [file]));
    await expect.poll(() => asked).toHaveLength(1);
    source.destroy();
    expect(await reading).toBe('aborted');
    expect(sink.begun).toEqual([]);
  });

  it('is lost: what was staged is discarded, and the response says why', async () => {
    const sink = new MemorySink();
    const source = openRequest();
    const { asked, decide, reading } = readWaiting(source, sink);
    source.push(multipartBody(boundary, [file, file]).subarray(0, -500));
    decide(true);
    await expect.poll(() => sink.begun).toHaveLength(2);
    expect(asked[0]?.progress()).toMatchObject({ bytes: expect.any(Number) });
    asked[0]?.evict();
    expect(refusalOf(await reading)).toMatchObject({ kind: 'request_timeout' });
    expect(asked[0]?.progress()).toBeNull();
    expect([sink.discarded.length, sink.failed.length]).toEqual([1, 1]);
  });
});
