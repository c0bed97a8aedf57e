/** Settings that name hosts and mailboxes: listen address, trusted proxies, allowed targets, sender. */
import { isIP } from 'node:net';
import { type Network, parseNetwork } from '../kernel/addresses.js';
import { parseTrustProxy, type TrustedProxies } from '../kernel/trust-proxy.js';
import { invalid, type SettingType, text, valid } from './setting-type.js';

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

/** The last label cannot be a number: some parsers would read such a name as an IPv4 address. */
function isHostName(name: string): boolean {
  const labels = name.split('.');
  return name.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '');
}

export const domainName = text('a domain name', isHostName, 'is not a domain name');

export const host = text(
  'a host name or an IP address, without port and brackets',
  (value) => isIP(value) !== 0 || isHostName(value),
  'is no host',
);

export interface AllowedTargets {
  readonly networks: readonly Network[];
  /** In lower case. */
  readonly hostNames: readonly string[];
}

export const allowedTargets: SettingType<AllowedTargets> = {
  expects: 'CIDRs, IP addresses or host names, separated by commas',
  parse(value) {
    const networks: Network[] = [];
    const hostNames: string[] = [];
    for (const [index, entry] of entriesOf(value)) {
      const network = parseNetwork(entry);
      if (network !== null) networks.push(network);
      else if (isHostName(entry)) hostNames.push(entry.toLowerCase());
      else return invalid(wrongEntry(index));
    }
    return valid({ networks, hostNames });
  },
};

export const trustedProxies: SettingType<TrustedProxies> = {
  expects: 'IP addresses, CIDRs or the words loopback and private, separated by commas',
  parse(value) {
    const parsed = parseTrustProxy(value);
    if (parsed.ok) return valid(parsed.trusted);
    const [index] = entriesOf(value).find(([, entry]) => !parseTrustProxy(entry).ok) ?? [0];
    return invalid(wrongEntry(index));
  },
};

/** The entries with their positions. Empty entries, such as one after a trailing comma, are ignored. */
const entriesOf = (list: string): [index: number, entry: string][] =>
  [
    ...list
      .split(',')
      .map((entry) => entry.trim())
      .entries(),
  ].filter(([, entry]) => entry !== '');

const wrongEntry = (index: number): string => `has a wrong entry, number ${index + 1}`;

const address = String.raw`[^\s<>@",;:()[\]\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?`;
const notEmail = 'is not an e-mail address';

export const email = text(
  'an e-mail address',
  (value) => value.length <= 254 && new RegExp(`^${address}$`, 'i').test(value),
  notEmail,
);

/**
 * A name with a comma must be quoted, or mail libraries read it as two senders. Line breaks are rejected:
 * they could inject headers.
 */
export const sender = text(
  'an e-mail address, or Name <address> with quotes around a name that has punctuation',
  (value) =>
    value.length <= 320 &&
    new RegExp(String.raw`^(?:${address}|(?:"[^"\\\r\n]*"|[^<>@",;:()[\]\\\r\n]*) *<${address}>)$`, 'i').test(
      value,
    ),
  notEmail,
);
