// Host names: the host in an Origin or Referer header, and the patterns for allowed hosts.
// Invariant: both sides of a comparison are reduced to one form (lower-case ASCII, no port, no brackets, no
// trailing dot, addresses canonical), so that matching is plain equality of text.
import { domainToASCII } from 'node:url';
import { canonicalIp, memoised } from './addresses.js';

/** `parents` are the names after `*.`. They match all names below them, but not themselves. */
export interface OriginPatterns {
  readonly exact: ReadonlySet<string>;
  readonly parents: ReadonlySet<string>;
}

const MAX_HOST_LENGTH = 253;
const MAX_PATTERN_LENGTH = 2_048;
// Room for port, user name and percent signs around a host.
const MAX_AUTHORITY_LENGTH = 512;
const MEMO_ENTRIES = 1_000;
// A Referer can be as long as a header block. Caching only short values limits the cache to half a
// megabyte.
const MAX_MEMO_KEY_LENGTH = 512;

// The part after the authority starts with a delimiter. If both parts could match the same characters, every way to split a
// long text with a blank at its end would be tried (measured: an Origin of 15,000 characters took 1.3 s).
const HTTP_URL = /^https?:\/\/([^/\\?#\s]+)(?:[/\\?#]\S*)?$/i;
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;
const WITH_PORT = /^([^:]+)(?::\d{1,5})?$/;
// Group 1: the authority of a complete URL; group 2: an authority on its own. Neither can contain a user name.
const AUTHORITY = /^(?:https?:\/\/([^/?#\\@]+)(?:[/?#].*)?|([^/?#\\@]+)\/?)$/i;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

const rememberedHost = memoised(readHost, MEMO_ENTRIES);

/**
 * Accepts an http or https URL without white space; returns null for anything else. Converting a host to ASCII takes
 * quadratic time (measured: 43,000 Chinese letters took 2 s), so a host longer than any real one is rejected before parsing.
 */
export function parseHttpUrl(text: string): URL | null {
  const authority = HTTP_URL.exec(text)?.[1];
  if (authority === undefined || authority.length > MAX_AUTHORITY_LENGTH || !URL.canParse(text)) return null;
  return new URL(text);
}

/** Ignores differences in spelling. */
export const isSameUrl = (left: string, right: string): boolean =>
  left === right || new URL(left).href === new URL(right).href;

/**
 * For URLs whose path or query is a secret: enough to recognise the service, such as `https://hooks.slack.com/services/…`.
 */
export function shortUrl(text: string): string {
  if (!URL.canParse(text)) return '…';
  const { origin, pathname } = new URL(text);
  // Drops the empty part after a trailing slash: if only one part is left, it may be the secret.
  const [first = '', ...rest] = pathname.split('/').filter((part) => part !== '');
  return rest.length === 0 ? `${origin}/…` : `${origin}/${first}/…`;
}

/** The host of an Origin or Referer header. Returns null for `null`, other schemes and malformed values. */
export function hostOfUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length <= MAX_MEMO_KEY_LENGTH ? rememberedHost(text) : readHost(text);
}

/** Returns true for localhost, names below it, 127.0.0.0/8 and ::1. */
export function isLocalhost(host: string): boolean {
  const bare = withoutDecoration(host).toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  const address = canonicalIp(bare);
  return address !== null && (address === '::1' || address.startsWith('127.'));
}

/** Whether a URL points to the machine itself. */
export function isLoopbackUrl(url: string): boolean {
  const host = hostOfUrl(url);
  return host !== null && isLocalhost(host);
}

/** Normalises an allowed origin to the form that is stored and compared. Returns null when it is invalid. */
export function normaliseOriginPattern(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_PATTERN_LENGTH || /\s/.test(trimmed)) return null;
  const found = AUTHORITY.exec(trimmed);
  const authority = found?.[1] ?? found?.[2];
  if (authority === undefined) return null;
  const bracketed = BRACKETED.exec(authority)?.[1];
  if (bracketed !== undefined) return bracketed.includes(':') ? canonicalIp(bracketed) : null;
  const host = WITH_PORT.exec(authority)?.[1] ?? authority;
  const address = canonicalIp(host);
  if (address !== null) return address;
  const isWildcard = host.startsWith('*.');
  const name = asciiName(isWildcard ? host.slice(2) : host);
  if (name === null) return null;
  const pattern = isWildcard ? `*.${name}` : name;
  return pattern.length <= MAX_HOST_LENGTH ? pattern : null;
}

/** Patterns in a form that is fast to match. Invalid patterns match nothing. */
export function compileOriginPatterns(patterns: readonly string[]): OriginPatterns {
  const exact = new Set<string>();
  const parents = new Set<string>();
  for (const text of patterns) {
    const pattern = normaliseOriginPattern(text);
    if (pattern === null) continue;
    if (pattern.startsWith('*.')) parents.add(pattern.slice(2));
    else exact.add(pattern);
  }
  return { exact, parents };
}

/** Whether a host, as returned by `hostOfUrl`, matches one of the patterns. */
export function originMatches(patterns: readonly string[] | OriginPatterns, host: string): boolean {
  const { exact, parents } = 'exact' in patterns ? patterns : compileOriginPatterns(patterns);
  if (exact.has(host)) return true;
  if (parents.size === 0) return false;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    if (dot > 0 && parents.has(host.slice(dot + 1))) return true;
  }
  return false;
}

function readHost(text: string): string | null {
  const url = parseHttpUrl(text);
  if (url === null) return null;
  const host = withoutDecoration(url.hostname);
  if (host.includes(':')) return canonicalIp(host);
  const isName = host !== '' && !host.startsWith('.') && !host.endsWith('.') && !host.includes('..');
  return isName && host.length <= MAX_HOST_LENGTH ? host : null;
}

function withoutDecoration(host: string): string {
  if (host.startsWith('[') && host.endsWith(']')) return host.slice(1, -1);
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

/** domainToASCII parses its argument like the host of a URL, so it also decodes `%65` and converts `1.2`. */
function asciiName(name: string): string | null {
  // One label of 300 Chinese letters takes 0.26 ms, so names that are already too long are not converted.
  if (name.length > MAX_HOST_LENGTH + 1 || name.includes('%')) return null;
  const labels = withoutDecoration(domainToASCII(name)).split('.');
  // URL parsers read a name that ends in a number as an address.
  if (!labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? '')) return null;
  return labels.join('.');
}
