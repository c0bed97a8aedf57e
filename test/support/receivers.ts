/**
 * The endpoints that a webhook sender meets, good and bad, as real sockets on 127.0.0.1. Each records the complete requests it gets, byte
 * for byte, and then does what its name says.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** By lower-case name; values of a repeated header joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The number of its connection, from 1. */
  readonly connection: number;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Connections accepted so far. */
  connections(): number;
  /** Connections that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly address?: string;
  readonly port?: number;
  /** Speaks TLS with this identity. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** What an endpoint does with a complete request. */
export type Behaviour = (socket: Socket, request: ReceivedRequest) => void;

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** All others are built on this one. `onConnect` sees a connection before any byte has arrived. */
export async function startReceiver(
  onRequest: Behaviour,
  options: ReceiverOptions & { readonly onConnect?: (socket: Socket) => void } = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const take = (socket: Socket): void => {
    connections += 1;
    const connection = connections;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The sender cuts connections on purpose.
    socket.on('error', () => {});
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const read = readRequest(pending, connection);
        if (read === null) return;
        pending = pending.subarray(read.length);
        requests.push(read.request);
        onRequest(socket, read.request);
      }
    });
    options.onConnect?.(socket);
  };
  const server: Server =
    options.tls === undefined ? createServer(take) : createTlsServer({ ...options.tls }, take);
  server.on('tlsClientError', () => {});
  const address = options.address ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, address, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}/hook`,
    port,
    requests,
    connections: () => connections,
    openConnections: () => open.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** The bytes of a response, with the length of its body. */
export function answerBytes({ status = 200, headers = {}, body = '' }: Answer = {}): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const all = { 'Content-Length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Answer\r\n${lines.join('')}\r\n`), bytes]);
}

/** Responds correctly. `answer` may be a function of the request. */
export const startAnswering = (
  answer: Answer | ((request: ReceivedRequest) => Answer) = {},
  options: ReceiverOptions = {},
): Promise<Receiver> =>
  startReceiver(
    (socket, request) =>
      void socket.write(answerBytes(typeof answer === 'function' ? answer(request) : answer)),
    options,
  );

/** The URL of a port on which nothing listens. */
export async function refusingUrl(): Promise<string> {
  const receiver = await startReceiver(() => {});
  await receiver.close();
  return receiver.url;
}

/** Accepts the request and never responds. */
export const startHanging = (): Promise<Receiver> => startReceiver(() => {});

/** Sends exactly these bytes, and then what `after` says: nothing, an end or a reset. */
export const startSaying = (
  bytes: string | Buffer,
  after: 'stay' | 'end' | 'reset' = 'stay',
): Promise<Receiver> =>
  startReceiver((socket) => {
    if (after === 'stay') socket.write(bytes);
    if (after === 'end') socket.end(bytes);
    // The bytes must be sent before the reset, which discards what has not been.
    if (after === 'reset') socket.write(bytes, () => void socket.resetAndDestroy());
  });

/** Closes the connection without a response once the request has arrived. */
export const startClosing = (): Promise<Receiver> => startReceiver((socket) => void socket.end());

/** Sends `head`, then writes `piece` repeatedly: every `everyMs`, or as fast as it is read. */
export const startEndless = (
  head: string,
  piece: string | Buffer,
  everyMs = 0,
  onStart: (socket: Socket) => void = () => {},
): Promise<Receiver> =>
  startReceiver((socket) => {
    onStart(socket);
    socket.write(head);
    if (everyMs > 0) {
      const timer = setInterval(() => socket.write(piece), everyMs);
      socket.on('close', () => clearInterval(timer));
      return;
    }
    const pour = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pour);
    pour();
  });

export const startDrippingBody = (everyMs = 20): Promise<Receiver> =>
  startEndless('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nfirst;', 'x', everyMs);

export const startDrippingHead = (everyMs = 20): Promise<Receiver> =>
  startEndless('HTTP/1.1 200 OK\r\nX-Slow: ', 'x', everyMs);

export const startEndlessBody = (onStart?: (socket: Socket) => void): Promise<Receiver> =>
  startEndless('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(16 * 1024, 'x'), 0, onStart);

/** At most 60 kB that would decompress to some 64 MiB. */
export const startGzipBomb = (): Promise<Receiver> =>
  startAnswering({
    headers: { 'Content-Encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'), { level: 9 }).subarray(0, 60_000),
  });

/** A megabyte of headers before the end of the head. */
export const startHeaderFlood = (): Promise<Receiver> =>
  startSaying(
    `HTTP/1.1 200 OK\r\n${Array.from({ length: 1024 }, (_, n) => `X-${n}: ${'y'.repeat(1016)}\r\n`).join('')}\r\n`,
  );

export const startEndlessInterim = (everyMs = 0): Promise<Receiver> =>
  startEndless('', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n', everyMs);

export const startRedirecting = (to: string, status = 307): Promise<Receiver> =>
  startAnswering({ status, headers: { Location: to } });

/** Sends anything but TLS as soon as a client connects. The URL says https. */
export async function startTlsGarbage(): Promise<Receiver> {
  const receiver = await startReceiver(() => {}, {
    onConnect: (socket) => void socket.write('220 mail.example.com ESMTP at your service\r\n'.repeat(10)),
  });
  return { ...receiver, url: receiver.url.replace('http:', 'https:') };
}

function readRequest(bytes: Buffer, connection: number): { request: ReceivedRequest; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [requestLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0);
  if (bytes.length < length) return null;
  const [method = '', path = ''] = requestLine.split(' ');
  const body = Buffer.from(bytes.subarray(headEnd + 4, length));
  return { request: { method, path, headers, body, connection }, length };
}
