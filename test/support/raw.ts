/** HTTP byte by byte over a socket, for requests that no well-behaved client would send. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; values of a repeated header joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawConnection {
  write(bytes: string | Buffer): void;
  /** Ends our side. The other side stays open. */
  finish(): void;
  /** Everything received so far, one character per byte. */
  received(): string;
  /** The responses that are complete so far. */
  answers(): readonly RawAnswer[];
  /** Resolves with the nth final response (from 1). Rejects when the server closes first, or after `withinMs`. */
  answer(n?: number, withinMs?: number): Promise<RawAnswer>;
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  isClosed(): boolean;
  /** Written, but not yet accepted by the system. */
  unsentBytes(): number;
  /** Resets the connection instead of closing it. */
  vanish(): void;
}

const defaultWaitMs = 10_000;

export const openRaw = (port: number, host = '127.0.0.1'): Promise<RawConnection> =>
  speak(connect({ port, host, allowHalfOpen: true }), 'connect');

/** The same over TLS, to a server with an untrusted certificate. */
export const openRawTls = (port: number, servername: string, protocol = 'http/1.1'): Promise<RawConnection> =>
  speak(
    connectTls({
      ...{ port, host: '127.0.0.1', servername, ALPNProtocols: [protocol] },
      ...{ rejectUnauthorized: false, allowHalfOpen: true },
    }),
    'secureConnect',
  );

async function speak(socket: Socket, openEvent: string): Promise<RawConnection> {
  let text = '';
  let closed = false;
  const watchers = new Set<() => void>();
  const tell = (): void => {
    for (const watcher of watchers) watcher();
  };
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    tell();
  });
  // The server may reset the connection while we still write. The test looks at what it sent before.
  socket.on('error', () => {});
  // With allowHalfOpen, our side must be ended explicitly when the server ends its own.
  socket.on('end', () => socket.end());
  const gone = new Promise<void>((resolve) => {
    socket.on('close', () => {
      closed = true;
      resolve();
      tell();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once(openEvent, resolve);
    socket.once('error', reject);
  });
  const answers = (): readonly RawAnswer[] => parseAnswers(text, closed);

  return {
    write: (bytes) => {
      if (!closed) socket.write(bytes);
    },
    finish: () => void socket.end(),
    received: () => text,
    answers,
    closed: gone,
    isClosed: () => closed,
    unsentBytes: () => (closed ? 0 : socket.writableLength),
    vanish: () => void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy()),
    answer(n = 1, withinMs = defaultWaitMs) {
      return new Promise((resolve, reject) => {
        const done = (settle: () => void): void => {
          clearTimeout(timer);
          watchers.delete(look);
          settle();
        };
        const look = (): void => {
          const found = answers()[n - 1];
          if (found) done(() => resolve(found));
          else if (closed) done(() => reject(new Error(`Closed after: ${text.slice(0, 500)}`)));
        };
        const timer = setTimeout(
          () => done(() => reject(new Error(`No answer in ${withinMs} ms, only: ${text.slice(0, 500)}`))),
          withinMs,
        );
        watchers.add(look);
        look();
      });
    },
  };
}

/** Sends these bytes, waits for the first final response, and resets the connection. */
export async function rawExchange(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = await openRaw(port);
  connection.write(bytes);
  try {
    return await connection.answer();
  } finally {
    connection.vanish();
  }
}

/** The head of a request, with its empty line. */
export const requestHead = (method: string, target: string, headers: readonly string[] = []): string =>
  `${method} ${target} HTTP/1.1\r\n${['Host: inlet.test', ...headers].map((line) => `${line}\r\n`).join('')}\r\n`;

/** Only final responses: 1xx are skipped. */
function parseAnswers(text: string, isClosed: boolean): readonly RawAnswer[] {
  const found: RawAnswer[] = [];
  let at = 0;
  for (;;) {
    const headEnd = text.indexOf('\r\n\r\n', at);
    if (headEnd === -1) return found;
    const [statusLine = '', ...lines] = text.slice(at, headEnd).split('\r\n');
    const [, digits] = /^HTTP\/1\.[01] (\d{3})/.exec(statusLine) ?? [];
    if (digits === undefined) throw new Error(`Not an answer: ${JSON.stringify(statusLine.slice(0, 200))}`);
    const status = Number(digits);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const known = headers.get(name);
      headers.set(name, known === undefined ? value : `${known}, ${value}`);
    }
    const bodyStart = headEnd + 4;
    const body = bodyOf(text.slice(bodyStart), status, headers, isClosed);
    if (body === null) return found;
    if (status >= 200) {
      found.push({ status, headers, body: Buffer.from(body.content, 'latin1').toString('utf8') });
    }
    at = bodyStart + body.length;
  }
}

/** Returns null when the body is not complete yet. */
function bodyOf(
  rest: string,
  status: number,
  headers: ReadonlyMap<string, string>,
  isClosed: boolean,
): { content: string; length: number } | null {
  if (status < 200 || status === 204 || status === 304) return { content: '', length: 0 };
  const declared = headers.get('content-length');
  if (declared !== undefined) {
    const length = Number(declared);
    return rest.length >= length ? { content: rest.slice(0, length), length } : null;
  }
  if (headers.get('transfer-encoding') === 'chunked') return dechunked(rest);
  return isClosed ? { content: rest, length: rest.length } : null;
}

function dechunked(rest: string): { content: string; length: number } | null {
  let content = '';
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(rest.slice(at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (rest.length < next) return null;
    content += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    at = next;
    if (size === 0) return { content, length: at };
  }
}
