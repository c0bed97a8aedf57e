import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
  filePart,
  invalid,
  MemorySink,
  multipartBody,
  refusalOf,
  requestOf,
  testLimits,
  textPart,
  tooManyBytes,
} from '../../../../test/support/bodies.js';
import { type BodyPace, defaultPace } from './body-pump.js';
import type { SubmissionContentType } from './content-type.js';
import type { BodyLimits } from './limits.js';
import { type FileSink, readBody } from './read-body.js';

const json: SubmissionContentType = { kind: 'json' };
const urlencoded: SubmissionContentType = { kind: 'urlencoded' };
const multipart: SubmissionContentType = { kind: 'multipart', boundary: 'b' };

const read = (type: SubmissionContentType, ...chunks: (Buffer | string)[]) =>
  readBody(requestOf(...chunks), type, testLimits, new MemorySink());

describe('readBody', () => {
  it('reads each of the three formats', async () => {
    expect(await read(json, '{"a":', '1.0}')).toEqual({
      fields: { json: '{"a":1.0}', values: { a: 1 }, reserved: new Map() },
      files: [],
    });
    expect(await read(urlencoded, 'a=1&b', '=2')).toMatchObject({
      fields: { json: '{"a":"1","b":"2"}' },
      files: [],
    });
    const body = multipartBody('b', [textPart('a', '1'), filePart('f', 'x.png', 'png')]);
    expect(await read(multipart, body)).toMatchObject({
      fields: { json: '{"a":"1"}' },
      files: [{ field: 'f', filename: 'x.png' }],
    });
  });

  it('joins a character that two chunks share', async () => {
    const bytes = Buffer.from('{"a":"😀"}');
    expect(await read(json, bytes.subarray(0, 8), bytes.subarray(8))).toMatchObject({
      fields: { json: '{"a":"😀"}' },
    });
  });

  it('takes an empty body as an empty form, but not as JSON', async () => {
    expect(await read(urlencoded)).toMatchObject({ fields: { json: '{}' } });
    expect(refusalOf(await read(json))).toEqual(
      invalid('The body is not valid JSON: Unexpected end of JSON input'),
    );
  });

  it.each([json, urlencoded])('takes 1 MiB of $kind and refuses one byte more', async (type) => {
    const filler = (length: number) => (type === json ? '{}'.padEnd(length) : 'a='.padEnd(length, 'x'));
    const limit = testLimits.maxTextBytes;
    expect(await read(type, filler(limit))).toMatchObject({ files: [] });
    expect(refusalOf(await read(type, filler(limit), ' '))).toEqual(tooManyBytes('body', limit));
  });
});

describe('readBody on real connections', () => {
  let server: Server | undefined;

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  type Outcome = Awaited<ReturnType<typeof readBody>>;

  interface Visit {
    readonly client: ReturnType<typeof httpRequest>;
    readonly incoming: Promise<IncomingMessage>;
    readonly outcome: Promise<Outcome>;
  }

  /** Opens a request whose body the test writes itself. The server responds as soon as the body is settled. */
  async function visit(
    type: SubmissionContentType,
    sink: FileSink<unknown> = new MemorySink(),
    options: { limits?: Partial<BodyLimits>; pace?: Partial<BodyPace> } = {},
  ): Promise<Visit> {
    const limits = { ...testLimits, ...options.limits };
    const pace = { ...defaultPace, ...options.pace };
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const arrived = once(server, 'request') as Promise<[IncomingMessage, import('node:http').ServerResponse]>;
    const outcome = arrived.then(async ([request, response]) => {
      const settled = await readBody(request, type, limits, sink, { pace });
      response.setHeader('Connection', 'close').end('settled');
      return settled;
    });
    const client = httpRequest({ host: '127.0.0.1', port, method: 'POST' });
    client.on('error', () => {});
    return { client, incoming: arrived.then(([request]) => request), outcome };
  }

  const fileStart = '--b\r\nContent-Disposition: form-data; name="f"; filename="big.bin"\r\n\r\n';

  it('reads JSON to its end', async () => {
    const { client, incoming, outcome } = await visit(json);
    client.end('{"a":1}');
    expect(await outcome).toMatchObject({ fields: { json: '{"a":1}' } });
    const request = await incoming;
    await expect.poll(() => request.complete).toBe(true);
    expect(request.readableLength).toBe(0);
  });

  it('holds a body that came with its head to the same limit', async () => {
    const { client, outcome } = await visit(json, new MemorySink(), { limits: { maxTextBytes: 8 } });
    client.end('{"a":100}');
    expect(refusalOf(await outcome)).toEqual(tooManyBytes('body', 8));
  });

  it('reads a body that a fetch made', async () => {
    const form = new FormData();
    form.append('näme', 'wert "1"\r\n');
    form.append('file[]', new Blob(['content'], { type: 'text/plain' }), 'fü"r.txt');
    const encoded = new Response(form);
    const boundary = /boundary=(.*)$/.exec(encoded.headers.get('content-type') ?? '')?.[1] ?? '';
    const { client, outcome } = await visit({ kind: 'multipart', boundary });
    client.end(Buffer.from(await encoded.arrayBuffer()));
    expect(await outcome).toMatchObject({
      fields: { json: '{"näme":"wert \\"1\\"\\r\\n"}' },
      files: [
        { field: 'file', filename: 'fü"r.txt', declaredType: 'text/plain', bytes: Buffer.from('content') },
      ],
    });
  });

  it('notices a client that leaves in the middle of a file, and discards', async () => {
    const sink = new MemorySink();
    const { client, outcome } = await visit(multipart, sink);
    client.write(multipartBody('b', [filePart('a', 'first', '1')]).subarray(0, -7));
    client.write(`\r\n${fileStart}${'x'.repeat(200_000)}`);
    await expect.poll(() => sink.begun).toHaveLength(2);
    client.destroy();
    expect(await outcome).toBe('aborted');
    expect(sink.failed).toHaveLength(1);
    expect(sink.discarded.map((file) => file.filename)).toEqual(['first']);
  });

  it.each([json, urlencoded])('notices a client that leaves in the middle of $kind', async (type) => {
    const { client, incoming, outcome } = await visit(type);
    client.write('{"a":');
    await incoming;
    client.destroy();
    expect(await outcome).toBe('aborted');
  });

  it.each([json, multipart])('refuses a $kind body that stops coming', async (type) => {
    const { client, outcome } = await visit(type, new MemorySink(), { pace: { idleTimeoutMs: 30 } });
    client.write(fileStart);
    expect(refusalOf(await outcome).kind).toBe('request_timeout');
  });

  it('refuses a body that drips', async () => {
    const pace = { idleTimeoutMs: 60_000, graceMs: 20, minBytesPerSecond: 1e9 };
    const { client, outcome } = await visit(json, new MemorySink(), { pace });
    const drip = setInterval(() => client.write(' '), 5);
    try {
      expect(refusalOf(await outcome).kind).toBe('request_timeout');
    } finally {
      clearInterval(drip);
    }
  });

  it('stops reading after a refusal, and survives the connection closing then', async () => {
    const { client, incoming, outcome } = await visit(multipart, new MemorySink(), {
      limits: { maxFileBytes: 10 },
    });
    const closed = incoming.then((request) => once(request.socket, 'close'));
    client.write(`${fileStart}more than ten bytes`);
    expect(refusalOf(await outcome)).toEqual(tooManyBytes('file', 10));
    const request = await incoming;
    expect(request.isPaused()).toBe(true);
    expect(request.listenerCount('data')).toBe(0);
    await closed;
    expect(request.errored).toBeNull();
  });

  it('slows the client down to the sink, and streams 60 MB at flat memory', async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let mostBuffered = 0;
    const sink: FileSink<number> = {
      async stage({ content }) {
        let bytes = 0;
        await gate;
        if (!(content instanceof Readable)) throw new Error('A large file was gathered');
        for await (const chunk of content) {
          mostBuffered = Math.max(mostBuffered, content.readableLength);
          bytes += (chunk as Buffer).length;
        }
        return bytes;
      },
      async discard() {},
    };
    const MB = 1_000_000;
    const limits = { maxFileBytes: 60 * MB, maxBodyBytes: 61 * MB };
    const { client, incoming, outcome } = await visit(multipart, sink, { limits });
    client.write(fileStart);
    for (let i = 0; i < 60; i += 1) client.write(Buffer.alloc(MB));
    client.end('\r\n--b--\r\n');
    const request = await incoming;
    await expect.poll(() => request.isPaused()).toBe(true);
    expect(request.socket.bytesRead).toBeLessThan(MB);
    open();
    expect(await outcome).toMatchObject({ files: [60 * MB] });
    expect(mostBuffered).toBeLessThan(256 * 1024);
  });
});
