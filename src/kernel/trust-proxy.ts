// Determines the client's address, from X-Forwarded-For if it comes from a trusted proxy.
// Invariants: the header counts only on a connection from a trusted proxy. It is read from the right, because
// everything left of the first untrusted hop comes from a source that is not trusted.
import { canonicalIp, memoised, type Network, NetworkSet, parseNetwork } from './addresses.js';

export interface TrustedProxies {
  readonly networks: NetworkSet;
}

export type TrustProxyResult =
  | { readonly ok: true; readonly trusted: TrustedProxies }
  | { readonly ok: false; readonly message: string };

const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

const MAX_HOPS = 32;
const MAX_HOP_LENGTH = 128;
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;
const BRACKETED = /^\[([^\]]*:[^\]]*)\](?::\d{1,5})?$/;

/** Parses comma-separated addresses, CIDR ranges and words. With an empty list, no proxy is trusted. */
export function parseTrustProxy(text: string): TrustProxyResult {
  const networks: Network[] = [];
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    for (const networkText of WORDS.get(entry.toLowerCase()) ?? [entry]) {
      const network = parseNetwork(networkText);
      if (network === null) {
        return { ok: false, message: `"${entry}" is not an address, a CIDR range, "loopback" or "private"` };
      }
      networks.push(network);
    }
  }
  return { ok: true, trusted: { networks: new NetworkSet(networks) } };
}

/** Whether the peer of this connection is a trusted proxy. */
export const isTrusted = ({ networks }: TrustedProxies, remoteAddress: string | undefined): boolean =>
  remoteAddress !== undefined && networks.has(canonicalSocketAddress(remoteAddress));

/** Returns the canonical address of the client, or '' when the socket has none, for example after it was closed. */
export function clientAddress(
  trusted: TrustedProxies | null,
  remoteAddress: string | undefined,
  forwardedFor: string | undefined,
): string {
  if (remoteAddress === undefined) return '';
  const socketAddress = canonicalSocketAddress(remoteAddress);
  if (trusted === null || forwardedFor === undefined || !trusted.networks.has(socketAddress))
    return socketAddress;
  return walkFromTheRight(trusted.networks, socketAddress, forwardedFor);
}

const canonicalSocketAddress = memoised((remoteAddress) => canonicalIp(remoteAddress) ?? '');

function walkFromTheRight(networks: NetworkSet, socketAddress: string, forwardedFor: string): string {
  let client = socketAddress;
  let end = forwardedFor.length;
  for (let hops = 0; hops < MAX_HOPS && end >= 0; hops += 1) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const hop = hopAddress(forwardedFor.slice(comma + 1, end));
    if (hop === null) return client;
    client = hop;
    if (!networks.has(hop)) return client;
    end = comma;
  }
  return client;
}

function hopAddress(text: string): string | null {
  if (text.length > MAX_HOP_LENGTH) return null;
  const hop = text.trim();
  return canonicalIp(IPV4_WITH_PORT.exec(hop)?.[1] ?? BRACKETED.exec(hop)?.[1] ?? hop);
}
