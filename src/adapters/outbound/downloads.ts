/** Guarded downloads: the same checked connections as for webhooks, one per file, with a streaming body. */
import { type IncomingMessage, request } from 'node:http';
import { Transform } from 'node:stream';
import type { Download, Downloads } from '../../ports/downloads.js';
import { createGuardedConnector, type Progress } from './connect.js';
import { createEndpointNames } from './endpoint-names.js';
import { oneLine, SendFault } from './faults.js';
import { defaultLimits } from './limits.js';
import { createNameResolver } from './resolver.js';
import { readTarget, type Target } from './target.js';
import type { UndiciOutboundOptions } from './undici.js';

export type DownloadOptions = Pick<
  UndiciOutboundOptions,
  'judgeUrl' | 'judgeAddress' | 'guardedNames' | 'userAgent' | 'certificateAuthorities' | 'dnsServers'
>;

const maxRedirects = 3;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function createDownloads(options: DownloadOptions): Downloads {
  const limits = defaultLimits;
  const names = createNameResolver(limits, options.dnsServers);
  const connector = createGuardedConnector({
    judgeAddress: options.judgeAddress,
    names,
    endpointNames: createEndpointNames(options.guardedNames, names),
    limits,
    certificateAuthorities: options.certificateAuthorities,
  });

  const targetOf = (url: string): Target => {
    const reason = options.judgeUrl(url);
    const target = reason === null ? readTarget(url) : null;
    if (target === null)
      throw new SendFault('blocked_address', `the URL was refused: ${reason ?? 'no http address'}`);
    return target;
  };

  const get = async (url: string, signal: AbortSignal): Promise<IncomingMessage> => {
    const target = targetOf(url);
    const progress: Progress = { dnsMs: null, connectMs: null, remoteAddress: null };
    const socket = await connector.open(target, signal, progress);
    return new Promise((resolve, reject) => {
      const asked = request({
        createConnection: () => socket,
        host: target.host,
        port: target.port,
        path: target.path,
        maxHeaderSize: limits.maxHeadBytes,
        headers: {
          host: new URL(url).host,
          'accept-encoding': 'identity',
          'user-agent': options.userAgent ?? 'Inlet',
          connection: 'close',
        },
        signal,
      });
      asked.once('response', resolve);
      asked.on('error', reject);
      asked.end();
    });
  };

  const follow = async (
    first: string,
    signal: AbortSignal,
  ): Promise<{ url: string; answer: IncomingMessage }> => {
    let url = first;
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const answer = await get(url, signal);
      const { location } = answer.headers;
      if (!redirects.has(answer.statusCode ?? 0) || location === undefined) return { url, answer };
      answer.destroy();
      if (!URL.canParse(location, url)) throw new SendFault('invalid_response', 'it redirects to no address');
      url = new URL(location, url).href;
    }
    throw new SendFault('invalid_response', `it redirects more than ${maxRedirects} times`);
  };

  return {
    async open(first, { maxBytes, timeoutMs }) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const { url, answer } = await follow(first, signal);
        const fault = faultOf(answer, maxBytes);
        if (fault === null) return downloadOf(url, answer, maxBytes);
        answer.destroy();
        return { fault };
      } catch (error) {
        return { fault: faultText(error) };
      }
    },
  };
}

function faultOf({ statusCode, headers }: IncomingMessage, maxBytes: number): string | null {
  if (statusCode !== 200) return `the server responded with status ${statusCode}`;
  return Number(headers['content-length'] ?? 0) > maxBytes ? tooLarge(maxBytes) : null;
}

const tooLarge = (maxBytes: number): string =>
  `the file is larger than ${maxBytes.toLocaleString('en')} bytes`;

/** Never the text of a system error, which may name an internal address. */
function faultText(error: unknown): string {
  if (error instanceof SendFault) return error.detail;
  const name = error instanceof Error ? error.name : '';
  return name === 'TimeoutError' || name === 'AbortError' ? 'it took too long' : 'the connection broke';
}

function downloadOf(url: string, answer: IncomingMessage, maxBytes: number): Download {
  let bytes = 0;
  const content = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(new Error(tooLarge(maxBytes)));
      else done(null, chunk);
    },
  });
  answer.on('error', (error) => content.destroy(new Error(faultText(error))));
  answer.on('close', () => {
    if (!answer.complete) content.destroy(new Error('the connection broke'));
  });
  content.once('close', () => answer.destroy());
  answer.pipe(content);
  return { content, filename: filenameOf(url, answer), type: answer.headers['content-type'] ?? '' };
}

function filenameOf(url: string, { headers }: IncomingMessage): string {
  const disposition = headers['content-disposition'] ?? '';
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i.exec(disposition);
  const named = extended ?? plain?.[1] ?? plain?.[2] ?? new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return oneLine(decodeURIComponent(named.trim()));
  } catch {
    return oneLine(named.trim());
  }
}
