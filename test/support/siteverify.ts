/** A CAPTCHA provider: it records the requests, accepts each valid token once, or misbehaves on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Behaviour =
  | { readonly kind: 'honest' }
  /** Responds to everything with this. */
  | { readonly kind: 'says'; readonly status?: number; readonly text: string }
  | { readonly kind: 'redirects'; readonly to: string }
  | { readonly kind: 'hangs' }
  /** Sends the head, then a byte now and then, and never ends. */
  | { readonly kind: 'drips' }
  | { readonly kind: 'floods' }
  | { readonly kind: 'resets' };

export interface Asked {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

export interface Provider {
  readonly url: string;
  readonly asked: readonly Asked[];
  readonly openConnections: number;
  readonly secret: string;
  /** A token that passes once. */
  hand(token: string): string;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export const says = (answer: unknown, status = 200): Behaviour => ({
  kind: 'says',
  status,
  text: JSON.stringify(answer),
});

export async function startProvider(secret = 'the-secret-of-the-site'): Promise<Provider> {
  let behaviour: Behaviour = { kind: 'honest' };
  const asked: Asked[] = [];
  const good = new Set<string>();
  const sockets = new Set<Socket>();

  const judge = (fields: Readonly<Record<string, string>>): unknown => {
    if (fields.secret !== secret) return { success: false, 'error-codes': ['invalid-input-secret'] };
    if (!good.delete(fields.response ?? '')) {
      return { success: false, 'error-codes': ['invalid-input-response'] };
    }
    return { success: true, hostname: 'example.com', 'error-codes': [] };
  };

  const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const fields = Object.fromEntries(new URLSearchParams(body));
    const { method, url: path } = request;
    asked.push({ method, path, contentType: request.headers['content-type'], fields });
    const json = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    if (behaviour.kind === 'honest') json(200, JSON.stringify(judge(fields)));
    else if (behaviour.kind === 'says') json(behaviour.status ?? 200, behaviour.text);
    else if (behaviour.kind === 'redirects') response.writeHead(307, { location: behaviour.to }).end();
    else if (behaviour.kind === 'resets') request.socket.resetAndDestroy();
    else if (behaviour.kind === 'drips') {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(drip));
    } else if (behaviour.kind === 'floods') {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
      };
      response.on('drain', more);
      more();
    }
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString('utf8')));
    request.on('error', () => {});
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/siteverify`,
    asked,
    secret,
    get openConnections() {
      return sockets.size;
    },
    hand(token) {
      good.add(token);
      return token;
    },
    behave(next) {
      behaviour = next;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
