/**
 * Which addresses a webhook may reach. One check, used wherever a URL is saved (and, when it is sent, on the address actually
 * connected to): different rules in two places are how such guards are bypassed.
 *
 * A reason names the address. Owners see it only if they wrote that address themselves: what a name resolves to inside the
 * network is for the operator only.
 */
import { canonicalIp, classify, isMetadataAddress, type NetworkSet } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';
import { refuse } from '../../model/errors.js';
import { type OwnEndpoints, plainHost } from './own-endpoints.js';

export interface AddressPolicy {
  /** Loopback and private targets are allowed, because the service itself is reachable only on this machine. */
  readonly insideAllowed: boolean;
  readonly allowedNetworks: NetworkSet;
  /** Lower-case host names that may resolve to inside addresses. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Never allowed, whatever else is. */
  readonly own: Pick<OwnEndpoints, 'isNamed' | 'isAt'>;
}

/** Where a connection would go: the requested name or address, and the port. The host is as `plainHost` returns it. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** One text for all of them: it must not reveal to a tenant where the database is. */
const leadsBack = 'is this service itself, or a service that it uses';

/** Returns why the address may not be reached, on any port, or null when it may. */
export function judgeAddress(policy: AddressPolicy, address: string): string | null {
  if (isMetadataAddress(address)) return `${address} is a link-local or metadata address`;
  const kind = classify(address);
  if (kind === 'public') return null;
  if (policy.allowedNetworks.has(address)) return null;
  if (policy.insideAllowed && (kind === 'loopback' || kind === 'private')) return null;
  return `${address} is not a public address; allow it with WEBHOOK_ALLOWED_NETWORKS`;
}

/**
 * Returns why an address may not be reached that a host resolved to, or that a socket for it is connected to; null when it may.
 * An allowed name may resolve to inside addresses, but never to link-local and metadata addresses: control over an internal DNS
 * name must not give access to the credentials of the machine. Nothing allows the endpoints of this service.
 */
export function judgeResolvedAddress(
  policy: AddressPolicy,
  { host, port }: Destination,
  address: string,
): string | null {
  const canonical = canonicalIp(address);
  if (canonical === null) return `${address} is not an address`;
  // An IP literal in the list of names allows nothing: addresses are allowed by network.
  const isAllowedName = policy.allowedHosts.has(host) && canonicalIp(host) === null;
  const reason = isAllowedName && !isMetadataAddress(canonical) ? null : judgeAddress(policy, canonical);
  if (reason !== null) return reason;
  // Last, so that callers who may not go there at all learn nothing about what is there.
  const isOwn = policy.own.isNamed(host, port) || policy.own.isAt(canonical, port);
  return isOwn ? `${canonical} port ${port} ${leadsBack}` : null;
}

/** Returns why the URL may not be a webhook target, as far as the URL itself shows, or null when it may. */
export function judgeWebhookUrl(policy: AddressPolicy, text: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not use port 0';
  // Parsing turns octal, hexadecimal and short spellings into the dotted one; never judge the raw text.
  const host = plainHost(url.hostname);
  if (host === '') return 'must name a host';
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (canonicalIp(host) !== null) return judgeResolvedAddress(policy, { host, port }, host);
  if (policy.own.isNamed(host, port)) return `${host} port ${port} ${leadsBack}`;
  // As for every name, its addresses decide. What it actually resolves to is judged at every attempt.
  return isLocalhost(host) ? judgeLocalhost(policy, { host, port }) : null;
}

/** The same for an identity provider, which decides who gets in: never over plain http, unless this service is only local. */
export const judgeIssuer = (policy: AddressPolicy, text: string): string | null =>
  policy.insideAllowed || text.startsWith('https:')
    ? judgeWebhookUrl(policy, text)
    : 'must begin with https://';

/** The addresses of localhost are known, and one allowed address is enough. */
function judgeLocalhost(policy: AddressPolicy, { host, port }: Destination): string | null {
  const judged = ['127.0.0.1', '::1'].map((address) => judgeResolvedAddress(policy, { host, port }, address));
  if (judged.includes(null)) return null;
  const isOwn = policy.own.isAt('127.0.0.1', port) || policy.own.isAt('::1', port);
  return isOwn
    ? `${host} port ${port} ${leadsBack}`
    : `${host} is not a public address; allow it with WEBHOOK_ALLOWED_NETWORKS`;
}

/** Throws the error that an owner sees when a URL cannot be a webhook target. */
export function refuseBadWebhookUrl(
  policy: AddressPolicy,
  url: string | null | undefined,
  field = 'webhook_url',
): void {
  const reason = typeof url === 'string' ? judgeWebhookUrl(policy, url) : null;
  if (reason !== null) throw refuse.invalidBody([{ path: field, message: reason }]);
}

/**
 * Returns the address that an attempt connected to, if the owner may see it: a public one, or the one in the URL. Returns null
 * otherwise: what a name resolves to inside the network is for the operator only.
 */
export function shownRemoteAddress(url: string, address: string | null): string | null {
  if (address === null || classify(address) === 'public') return address;
  return URL.canParse(url) && plainHost(new URL(url).hostname) === address ? address : null;
}
