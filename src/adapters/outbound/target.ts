/** Where a URL leads, read once: every later decision uses this, never the text of the URL. */
import { canonicalIp } from '../../kernel/addresses.js';

export interface Target {
  /** Names the pool of connections: scheme, host and port. */
  readonly origin: string;
  readonly secure: boolean;
  /** Lower case, without brackets and without a final dot. */
  readonly host: string;
  readonly port: number;
  /** The host when it is an address. */
  readonly literal: string | null;
  readonly path: string;
  /** For sentences. */
  readonly where: string;
}

/** null: not an http(s) URL with a host. */
export function readTarget(text: string): Target | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const secure = url.protocol === 'https:';
  if (!secure && url.protocol !== 'http:') return null;
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  if (host === '' || url.port === '0') return null;
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return {
    origin: url.origin,
    secure,
    host,
    port,
    literal: canonicalIp(host),
    path: `${url.pathname}${url.search}`,
    where: `${url.hostname}:${port}`,
  };
}
