/** One Inlet behind the shipped nginx, Caddy and HAProxy files, and visitors who come through them. */
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { type RunningServer, startServer } from '../support/server.js';
import {
  hostName,
  type ProxyServer,
  startCaddy,
  startHaproxy,
  startNginx,
} from '../support/services/proxies.js';

export interface Proxied {
  readonly server: RunningServer;
  readonly proxies: readonly [nginx: ProxyServer, caddy: ProxyServer, haproxy: ProxyServer];
  dispose(): Promise<void>;
}

/** Only the proxy's own address is trusted. All others in 127.0.0.0/8 are visitors. */
export async function startProxied(env: Record<string, string> = {}): Promise<Proxied> {
  const server = await startServer({
    env: {
      BASE_URL: `https://${hostName}`,
      TRUST_PROXY: '127.0.0.1',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...env,
    },
  });
  const upstream = { upstreamPorts: [server.port] };
  const starts = [startNginx(upstream), startCaddy(upstream), startHaproxy(upstream)] as const;
  // When one of them fails to start, the others must still be stopped.
  const dispose = async (): Promise<void> => {
    for (const outcome of await Promise.allSettled(starts)) {
      if (outcome.status === 'fulfilled') await outcome.value.dispose();
    }
    await server.dispose();
  };
  try {
    return { server, proxies: await Promise.all(starts), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface ProxiedVisit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer | AsyncIterable<Buffer>;
  /** The address that the visitor comes from. `::1` connects to the proxy over IPv6. */
  readonly from?: string;
}

/** A request over TLS and HTTP/1.1 on its own connection. */
export function visitThrough(
  proxy: Pick<ProxyServer, 'port'>,
  path: string,
  { method = 'GET', headers = {}, body, from = '127.0.0.9' }: ProxiedVisit = {},
): Promise<ProxiedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: from.includes(':') ? '::1' : '127.0.0.1',
      port: proxy.port,
      path,
      method,
      localAddress: from,
      servername: hostName,
      rejectUnauthorized: false,
      agent: false,
      // As in browsers. With `close`, Caddy (Go) closes the connection without waiting for the rest of the body:
      // a third of early responses were lost to a reset.
      headers: {
        host: hostName,
        connection: 'keep-alive',
        ...(headers as Record<string, string | string[]>),
      },
    });
    let isAnswered = false;
    // A proxy may stop reading a body after its response. The test checks the response.
    sent.on('error', (error) => isAnswered || reject(error));
    sent.on('response', async (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer);
      } catch (error) {
        reject(error);
      }
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      sent.destroy();
    });
    if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body);
    else void pour(body, sent, () => isAnswered);
  });
}

async function pour(
  body: AsyncIterable<Buffer>,
  into: ReturnType<typeof request>,
  isAnswered: () => boolean,
): Promise<void> {
  const over = new Promise<void>((resolve) => into.once('response', () => resolve()).once('close', resolve));
  for await (const chunk of body) {
    if (isAnswered() || into.destroyed) return;
    if (!into.write(chunk)) {
      await Promise.race([over, new Promise<void>((resolve) => into.once('drain', resolve))]);
    }
  }
  into.end();
}

export const submitThrough = (
  proxy: Pick<ProxyServer, 'port'>,
  publicId: string,
  fields: unknown,
  { headers = {}, from }: Pick<ProxiedVisit, 'headers' | 'from'> = {},
): Promise<ProxiedAnswer> =>
  visitThrough(proxy, `/f/${publicId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(fields),
    ...(from === undefined ? {} : { from }),
  });
