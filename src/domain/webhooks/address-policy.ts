/**
 * Which addresses a webhook may reach. One judgement, used wherever a URL is saved (and, when it is sent, on the
 * address really connected to): two places with different rules is how such guards are bypassed.
 *
 * A reason names the address. Owners see it only where they wrote that address themselves: what a name resolves to inside
 * is for the operator alone.
 */
import { canonicalIp, classify, isMetadataAddress, type NetworkSet } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';
import { refuse } from '../../model/errors.js';
import { type OwnEndpoints, plainHost } from './own-endpoints.js';

export interface AddressPolicy {
  /** Loopback and private targets are fine: the service itself is only reachable on this machine. */
  readonly insideAllowed: boolean;
  readonly allowedNetworks: NetworkSet;
  /** Lower-case host names that may resolve to inside addresses. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Never reached, whatever else is allowed. */
  readonly own: Pick<OwnEndpoints, 'isNamed' | 'isAt'>;
}

/** Where a connection would go: the name or address that was asked for, and the port. The host is plain. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** One text for all of them: it must not tell a tenant where the database is. */
const leadsBack = 'is this service itself, or a service that it uses';

/** Why the address may not be reached, at whatever port; null when it may. */
export function judgeAddress(policy: AddressPolicy, address: string): string | null {
  if (isMetadataAddress(address)) return `${address} is a link-local or metadata address`;
  const kind = classify(address);
  if (kind === 'public') return null;
  if (policy.allowedNetworks.has(address)) return null;
  if (policy.insideAllowed && (kind === 'loopback' || kind === 'private')) return null;
  return `${address} is not a public address; allow it with WEBHOOK_ALLOWED_NETWORKS`;
}

/**
 * Why an address may not be reached that a host resolved to, or that a socket for it is connected to; null when it may.
 * An allowed name may lead inside, but it never opens link-local and metadata addresses: control over an
 * internal DNS name must not give access to the credentials of the machine. Nothing opens the endpoints of this service.
 */
export function judgeResolvedAddress(
  policy: AddressPolicy,
  { host, port }: Destination,
  address: string,
): string | null {
  const canonical = canonicalIp(address);
  if (canonical === null) return `${address} is not an address`;
  // A literal in the list of names opens nothing: networks are what opens addresses.
  const isAllowedName = policy.allowedHosts.has(host) && canonicalIp(host) === null;
  const reason = isAllowedName && !isMetadataAddress(canonical) ? null : judgeAddress(policy, canonical);
  if (reason !== null) return reason;
  // Last: who may not go there at all learns nothing of what is there.
  const isOwn = policy.own.isNamed(host, port) || policy.own.isAt(canonical, port);
  return isOwn ? `${canonical} port ${port} ${leadsBack}` : null;
}

/** Why the URL may not be a webhook target, as far as the URL itself tells; null when it may. */
export function judgeWebhookUrl(policy: AddressPolicy, text: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not use port 0';
  // The parsed form folds octal, hexadecimal and short spellings to the dotted one; never judge the raw text.
  const host = plainHost(url.hostname);
  if (host === '') return 'must name a host';
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (canonicalIp(host) !== null) return judgeResolvedAddress(policy, { host, port }, host);
  if (policy.own.isNamed(host, port)) return `${host} port ${port} ${leadsBack}`;
  // The addresses that it has decide, as for every name; what it really resolves to is judged at every attempt.
  return isLocalhost(host) ? judgeLocalhost(policy, { host, port }) : null;
}

/** The same of an identity provider, whose word lets people in: never over plain http, except while trying things out. */
export const judgeIssuer = (policy: AddressPolicy, text: string): string | null =>
  policy.insideAllowed || text.startsWith('https:')
    ? judgeWebhookUrl(policy, text)
    : 'must begin with https://';

/** Its addresses are known, and one of the two is enough. */
function judgeLocalhost(policy: AddressPolicy, { host, port }: Destination): string | null {
  const judged = ['127.0.0.1', '::1'].map((address) => judgeResolvedAddress(policy, { host, port }, address));
  if (judged.includes(null)) return null;
  const isOwn = policy.own.isAt('127.0.0.1', port) || policy.own.isAt('::1', port);
  return isOwn
    ? `${host} port ${port} ${leadsBack}`
    : `${host} is not a public address; allow it with WEBHOOK_ALLOWED_NETWORKS`;
}

/** Throws the refusal that an owner sees when a URL of theirs cannot be a webhook target. */
export function refuseBadWebhookUrl(
  policy: AddressPolicy,
  url: string | null | undefined,
  field = 'webhook_url',
): void {
  const reason = typeof url === 'string' ? judgeWebhookUrl(policy, url) : null;
  if (reason !== null) throw refuse.invalidBody([{ path: field, message: reason }]);
}

/**
 * The address that an attempt connected to, as its owner may see it: a public one, or the one that the URL has. Where a
 * name leads inside is for the operator alone; null then.
 */
export function shownRemoteAddress(url: string, address: string | null): string | null {
  if (address === null || classify(address) === 'public') return address;
  return URL.canParse(url) && plainHost(new URL(url).hostname) === address ? address : null;
}
