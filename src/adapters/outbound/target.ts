/** Where a URL leads, parsed once. Every later decision uses this, never the text of the URL. */
import { canonicalIp } from '../../kernel/addresses.js';

export interface Target {
  /** Identifies the connection pool: scheme, host and port. */
  readonly origin: string;
  readonly secure: boolean;
  /** Lower case, without brackets and without a final dot. */
  readonly host: string;
  readonly port: number;
  /** The host in canonical form if it is an address, else null. */
  readonly literal: string | null;
  readonly path: string;
  /** Host and port, for messages. */
  readonly where: string;
}

/** Returns null unless the text is an http(s) URL with a host. */
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
