/**
 * Which addresses a webhook may reach. One judgement, used wherever a URL is saved (and, when it is sent, on the
 * address really connected to): two places with different rules is how such guards are bypassed.
 */
import { canonicalIp, classify, isMetadataAddress, type NetworkSet } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';
import { refuse } from '../../model/errors.js';

export interface AddressPolicy {
  /** Loopback and private targets are fine: the service itself is only reachable on this machine. */
  readonly insideAllowed: boolean;
  readonly allowedNetworks: NetworkSet;
  /** Lower-case host names that may resolve to inside addresses. */
  readonly allowedHosts: ReadonlySet<string>;
}

/** Why the address may not be reached; null when it may. */
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
 * An allowed name may lead inside, but it never opens link-local and metadata addresses: whoever controls a name in the
 * DNS of the house must not get at the credentials of the machine.
 */
export function judgeResolvedAddress(policy: AddressPolicy, host: string, address: string): string | null {
  const canonical = canonicalIp(address);
  if (canonical === null) return `${address} is not an address`;
  // A literal in the list of names opens nothing: networks are what opens addresses.
  const isAllowedName = policy.allowedHosts.has(host) && canonicalIp(host) === null;
  return isAllowedName && !isMetadataAddress(canonical) ? null : judgeAddress(policy, canonical);
}

/** Why the URL may not be a webhook target, as far as the URL itself tells; null when it may. */
export function judgeWebhookUrl(policy: AddressPolicy, text: string): string | null {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.port === '0') return 'must not use port 0';
  // The parsed form folds octal, hexadecimal and short spellings to the dotted one; never judge the raw text.
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (host === '') return 'must name a host';
  const literal = canonicalIp(host);
  if (literal !== null) return judgeAddress(policy, literal);
  if (policy.allowedHosts.has(host)) return null;
  // The addresses that it has decide, as for every name; what it really resolves to is judged at every attempt.
  if (isLocalhost(host) && ['127.0.0.1', '::1'].every((address) => judgeAddress(policy, address) !== null)) {
    return `${host} is not a public address; allow it with WEBHOOK_ALLOWED_NETWORKS`;
  }
  return null;
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
