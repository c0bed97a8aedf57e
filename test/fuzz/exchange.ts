/** Sends one case over its own socket and reads what comes back, more strictly than a client would. */
import { connect } from 'node:net';
import { type FuzzCase, wireOf } from './case.js';

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; values of a repeated header joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Exchange {
  /** Final responses, in order. What follows a body counts as another request. */
  readonly answers: readonly HttpAnswer[];
  /** `silent`: closed without a response. `hung`: neither a response nor closed in time. */
  readonly end: 'answered' | 'silent' | 'hung' | 'unreachable';
  /** What is wrong with the received bytes. */
  readonly malformed: string | null;
}

const lastChunk = Buffer.from('0\r\n\r\n');

/** A request with a false length waits for bytes that never come. After this time the client ends its side. */
const patienceMs = 600;

/**
 * Cases with our framing are complete requests and must get a response. For the others, closing the connection is valid too. Where one
 * response is enough, the connection is reset at once: it leaves no port waiting, so that a long run does not use up all ports.
 */
export function exchange(port: number, fuzzCase: FuzzCase, deadlineMs: number): Promise<Exchange> {
  const { head, pieces } = wireOf(fuzzCase);
  const isWhole = fuzzCase.framing !== 'as written';
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let length = 0;
    let isOver = false;
    const read = (isClosed: boolean) => {
      // Joined into one block, so that a long response is concatenated only once.
      if (chunks.length > 1) chunks.splice(0, chunks.length, Buffer.concat(chunks));
      return readAnswers(chunks[0] ?? Buffer.alloc(0), fuzzCase.method === 'HEAD', isClosed);
    };
    let wanted = 0;
    let isChunked = false;
    const finish = (end: Exchange['end'] | null): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(deadline);
      clearTimeout(patience);
      if (!socket.destroyed) socket.resetAndDestroy();
      const { answers, malformed } = read(true);
      resolve({ answers, malformed, end: end ?? (answers.length > 0 ? 'answered' : 'silent') });
    };
    const deadline = setTimeout(() => finish('hung'), deadlineMs);
    const patience = isWhole ? undefined : setTimeout(() => socket.end(), patienceMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      // A long response is parsed when it may be complete, not for every packet.
      if (length < wanted || (wanted === 0 && isChunked && !chunk.subarray(-5).equals(lastChunk))) return;
      const { answers, malformed } = read(false);
      if (answers.length === 0 && malformed === null) ({ wanted, isChunked } = expected(chunks[0]));
      if (malformed !== null) finish(null);
      else if (answers.length > 0 && isWhole) finish(null);
      else if (answers.length > 0) socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'EADDRNOTAVAIL') finish('unreachable');
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => finish(null));
    socket.on('connect', () => {
      socket.setNoDelay(true);
      if (pieces.length <= 1) socket.write(Buffer.concat([head, ...pieces]));
      else void writeSlowly([head, ...pieces]);
    });
    // Each piece in its own packet, as far as the kernel allows.
    const writeSlowly = async (parts: readonly Buffer[]): Promise<void> => {
      for (const part of parts) {
        if (isOver || socket.destroyed || socket.writableEnded) return;
        socket.write(part);
        await new Promise((next) => setImmediate(next));
      }
    };
  });
}

/** How many bytes the first response will have, as far as its head shows. */
function expected(received: Buffer | undefined): { wanted: number; isChunked: boolean } {
  const headEnd = received?.indexOf('\r\n\r\n') ?? -1;
  const head = headEnd === -1 ? '' : (received?.toString('latin1', 0, headEnd) ?? '');
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const isFinal = !/^HTTP\/1\.1 1/.test(head);
  return {
    wanted: length === undefined || !isFinal ? 0 : headEnd + 4 + Number(length),
    isChunked: isFinal && /\r\ntransfer-encoding:/i.test(head),
  };
}

const headerLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;
const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/;
const onceOnly = new Set(['content-length', 'content-type', 'transfer-encoding', 'location', 'etag']);

interface Reading {
  readonly answers: readonly HttpAnswer[];
  readonly malformed: string | null;
}

function readAnswers(received: Buffer, isHead: boolean, isClosed: boolean): Reading {
  const answers: HttpAnswer[] = [];
  const wrong = (what: string): Reading => ({ answers, malformed: what });
  let at = 0;
  while (at < received.length) {
    const headEnd = received.indexOf('\r\n\r\n', at);
    if (headEnd === -1)
      return isClosed ? wrong('the head of an answer was cut off') : wrongStart(received, at);
    const [first = '', ...lines] = received.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(statusLine.exec(first)?.[1]);
    if (Number.isNaN(status)) return wrong(`no status line: ${JSON.stringify(first.slice(0, 100))}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      if (!headerLine.test(line)) return wrong(`no header: ${JSON.stringify(line.slice(0, 100))}`);
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const known = headers.get(name);
      if (known !== undefined && onceOnly.has(name)) return wrong(`${name} twice`);
      const value = line.slice(colon + 1).trim();
      headers.set(name, known === undefined ? value : `${known}, ${value}`);
    }
    // Invalid HTTP has no method, so the response to it has a body even if it started with HEAD.
    const isToHead = isHead && answers.length === 0 && headers.has('date');
    const isBodiless = status < 200 || status === 204 || status === 304 || isToHead;
    const body = isBodiless
      ? { content: Buffer.alloc(0), end: headEnd + 4 }
      : readBody(received, headEnd + 4, headers, isClosed);
    if (typeof body === 'string') return wrong(body);
    if (body === null)
      return isClosed ? wrong('the body of an answer was cut off') : { answers, malformed: null };
    at = body.end;
    if (status >= 200) answers.push({ status, headers, body: body.content });
  }
  return { answers, malformed: null };
  /** Detects garbage before the connection ends. */
  function wrongStart(bytes: Buffer, from: number): Reading {
    const start = bytes.toString('latin1', from, from + 9);
    return 'HTTP/1.1 '.startsWith(start)
      ? { answers, malformed: null }
      : wrong(`no answer: ${JSON.stringify(start)}`);
  }
}

/** Returns null when the body is not complete yet, and text that says what is wrong. */
function readBody(
  received: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
  isClosed: boolean,
): { content: Buffer; end: number } | string | null {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (length !== undefined && coding !== undefined) return 'both a length and a transfer coding';
  if (length !== undefined) {
    if (!/^\d+$/.test(length)) return `a length of ${length}`;
    const end = start + Number(length);
    return received.length < end ? null : { content: received.subarray(start, end), end };
  }
  if (coding === 'chunked') return dechunked(received, start);
  if (coding !== undefined) return `a transfer coding of ${coding}`;
  return isClosed ? { content: received.subarray(start), end: received.length } : null;
}

function dechunked(received: Buffer, start: number): { content: Buffer; end: number } | string | null {
  const chunks: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = received.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const line = received.toString('latin1', at, lineEnd);
    if (!/^[0-9a-f]{1,8}$/i.test(line)) return `a chunk of ${JSON.stringify(line.slice(0, 40))}`;
    const size = Number.parseInt(line, 16);
    const end = lineEnd + 2 + size;
    if (received.length < end + 2) return null;
    if (received.toString('latin1', end, end + 2) !== '\r\n') return 'a chunk longer than it says';
    chunks.push(received.subarray(lineEnd + 2, end));
    at = end + 2;
    if (size === 0) return { content: Buffer.concat(chunks), end: at };
  }
}
