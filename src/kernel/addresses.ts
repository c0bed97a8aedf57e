// IP addresses as values: canonical text, networks, and the class of an address.
// Invariants: every decision is made on bits, never on spelling. Input that cannot be parsed is rejected
// (null, false or 'special'). No returned text is a slice of its input: a slice used as a map key would keep a
// whole request header in memory.
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `prefix` holds the leading `prefixLength` bits of `width`; `text` is the canonical form. */
export interface Network {
  readonly width: 32 | 128;
  readonly prefixLength: number;
  readonly prefix: bigint;
  readonly text: string;
}

/** 'link_local' includes cloud metadata addresses in any range: never send anything there. */
export type AddressClass = 'public' | 'loopback' | 'private' | 'link_local' | 'special';

interface Bits {
  readonly width: 32 | 128;
  readonly value: bigint;
}

const LOW_32 = 0xffff_ffffn;
const MAX_TEXT_LENGTH = 110;
const ZONE = /^[\w.~:@-]{1,64}$/;
const PREFIX_LENGTH = /^(?:0|[1-9]\d{0,2})$/;
const MEMO_ENTRIES = 4_096;

/** Caches results by text. A full cache is cleared completely, which limits memory without bookkeeping. */
export function memoised<T>(compute: (text: string) => T, maxEntries = MEMO_ENTRIES): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = compute(text);
    if (known.size >= maxEntries) known.clear();
    known.set(text, result);
    return result;
  };
}

/** Returns the canonical text of an address, or null. Octal, hexadecimal and short IPv4 forms are rejected. */
export function canonicalIp(text: string): string | null {
  // A strict dotted quad is already canonical. Joining its parts copies it in a third of the time.
  if (!text.includes(':')) return isIPv4(text) ? text.split('.').join('.') : null;
  const bits = readBits(text);
  return bits === null ? null : formatBits(bits);
}

/** The key for rate limits: an IPv4 address, or the /64 that one IPv6 subscriber usually has. */
export function rateKey(canonical: string): string {
  return canonical.includes(':') ? rateKeyOfIPv6(canonical) : canonical;
}

/**
 * The networks that an address is counted under in shared limits, narrowest first: an IPv4 address and its /24, or the
 * /64, /56 and /48 of an IPv6 address. A provider can assign any of them to one customer.
 */
export const networksAround: (canonical: string) => readonly string[] = memoised((canonical) => {
  if (!canonical.includes(':')) {
    return canonical === '' ? [canonical] : [canonical, canonical.replace(/\d+$/, '0/24')];
  }
  const bits = readBits(canonical);
  return bits === null ? [canonical] : [64, 56, 48].map((length) => networkOf(bits, length).text);
});

/** Parses an address or a CIDR range. Host bits are cleared. */
export function parseNetwork(text: string): Network | null {
  const range = readRange(text);
  return range && networkOf(range.bits, range.prefixLength);
}

/** Takes a third of the time of `parseNetwork`. */
export const isNetwork = (text: string): boolean => readRange(text) !== null;

function readRange(text: string): { bits: Bits; prefixLength: number } | null {
  const slash = text.indexOf('/');
  const addressText = slash === -1 ? text : text.slice(0, slash);
  const bits = readBits(addressText);
  if (bits === null) return null;
  if (slash === -1) return { bits, prefixLength: bits.width };
  const lengthText = text.slice(slash + 1);
  if (!PREFIX_LENGTH.test(lengthText)) return null;
  const folded = bits.width === 32 && addressText.includes(':');
  // A mapped range shorter than /96 would include more than IPv4. It has no meaning here and is rejected.
  const prefixLength = Number(lengthText) - (folded ? 96 : 0);
  return prefixLength < 0 || prefixLength > bits.width ? null : { bits, prefixLength };
}

/** For frequent lookups in many networks: one set lookup per prefix length in use, for any number of networks. */
export class NetworkSet {
  readonly #addresses = new Set<string>();
  readonly #ranges: { width: 32 | 128; shift: bigint; prefixes: Set<bigint> }[] = [];

  constructor(networks: Iterable<Network>) {
    for (const { width, prefixLength, prefix, text } of networks) {
      if (prefixLength === width) {
        this.#addresses.add(text);
        continue;
      }
      const shift = BigInt(width - prefixLength);
      const range = this.#ranges.find((known) => known.width === width && known.shift === shift);
      if (range === undefined) this.#ranges.push({ width, shift, prefixes: new Set([prefix]) });
      else range.prefixes.add(prefix);
    }
  }

  get isEmpty(): boolean {
    return this.#addresses.size === 0 && this.#ranges.length === 0;
  }

  has(canonical: string): boolean {
    if (this.#addresses.has(canonical)) return true;
    if (this.#ranges.length === 0) return false;
    const bits = bitsOf(canonical);
    if (bits === null) return false;
    return this.#ranges.some(
      (range) => range.width === bits.width && range.prefixes.has(bits.value >> range.shift),
    );
  }
}

/** An allowlist: only known ordinary public space is 'public'. */
export function classify(canonical: string): AddressClass {
  const bits = bitsOf(canonical);
  if (bits === null) return 'special';
  return bits.width === 32 ? classOfIPv4(bits.value) : classOfIPv6(bits.value);
}

/** Link-local ranges and cloud metadata services, also when embedded in an IPv6 transition address. */
export function isMetadataAddress(canonical: string): boolean {
  return classify(canonical) === 'link_local';
}

function readBits(text: string): Bits | null {
  if (text.length > MAX_TEXT_LENGTH) return null;
  if (!text.includes(':')) {
    return isIPv4(text) ? { width: 32, value: BigInt(dottedValue(text)) } : null;
  }
  const percent = text.indexOf('%');
  const bare = percent === -1 ? text : text.slice(0, percent);
  if (percent !== -1 && !ZONE.test(text.slice(percent + 1))) return null;
  // ipaddr.js is too lenient, so Node decides what is an address and ipaddr.js only parses the groups.
  if (!isIPv6(bare)) return null;
  const value = joinedGroups(ipaddr.IPv6.parse(withHexadecimalTail(bare)).parts);
  return value >> 32n === 0xffffn ? { width: 32, value: value & LOW_32 } : { width: 128, value };
}

/** ipaddr.js parses `::1.2.3.4` as `::ffff:1.2.3.4`. Written in groups, it keeps its own bits. */
function withHexadecimalTail(ipv6: string): string {
  if (!ipv6.includes('.')) return ipv6;
  const tailAt = ipv6.lastIndexOf(':') + 1;
  const tail = dottedValue(ipv6.slice(tailAt));
  return `${ipv6.slice(0, tailAt)}${(tail >>> 16).toString(16)}:${(tail & 0xffff).toString(16)}`;
}

function dottedValue(ipv4: string): number {
  return ipv4.split('.').reduce((value, octet) => value * 256 + Number(octet), 0);
}

function joinedGroups(groups: readonly number[]): bigint {
  return BigInt(`0x${groups.map((group) => group.toString(16).padStart(4, '0')).join('')}`);
}

function formatBits({ width, value }: Bits): string {
  const partBits = width === 32 ? 8 : 16;
  const parts: number[] = [];
  for (let shift = width - partBits; shift >= 0; shift -= partBits) {
    parts.push(Number(BigInt.asUintN(partBits, value >> BigInt(shift))));
  }
  return width === 32 ? parts.join('.') : new ipaddr.IPv6(parts).toRFC5952String();
}

function networkOf({ width, value }: Bits, prefixLength: number): Network {
  const shift = BigInt(width - prefixLength);
  const prefix = value >> shift;
  const first = formatBits({ width, value: prefix << shift });
  return { width, prefixLength, prefix, text: prefixLength === width ? first : `${first}/${prefixLength}` };
}

function contains(network: Network, bits: Bits): boolean {
  return (
    network.width === bits.width &&
    bits.value >> BigInt(network.width - network.prefixLength) === network.prefix
  );
}

/** Only for canonical texts: they are short and not slices of other strings, so they are safe to cache. */
const bitsOf = memoised(readBits);

const rateKeyOfIPv6 = memoised((canonical) => {
  const bits = readBits(canonical);
  return bits?.width === 128 ? networkOf(bits, 64).text : canonical;
});

function constantNetwork(text: string): Network {
  const network = parseNetwork(text);
  if (network === null) throw new Error(`not a network: ${text}`);
  return network;
}

function constantNetworks(texts: readonly string[]): Network[] {
  return texts.map(constantNetwork);
}

// Outside the link-local ranges: Alibaba, Azure's wire server, Oracle classic; then AWS's service block,
// Google, Oracle, Scaleway, Linode, Alibaba. Azure's is in public space, the IPv6 ones in private space.
const METADATA = constantNetworks([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fd00:100::100:200',
]);

// The first match wins: a metadata address is 'link_local' in any range.
const CLASSES: readonly (readonly [AddressClass, readonly Network[]])[] = [
  ['link_local', [...METADATA, ...constantNetworks(['169.254.0.0/16', 'fe80::/10'])]],
  ['loopback', constantNetworks(['127.0.0.0/8', '::1'])],
  ['private', constantNetworks(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])],
];

// IANA's special-purpose registries, including entries that are routed (AS112, AMT): no ordinary server
// has such an address.
const SPECIAL_IPV4 = constantNetworks([
  '0.0.0.0/8', // reaches loopback on Linux
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

const GLOBAL_UNICAST = constantNetwork('2000::/3');
const SPECIAL_GLOBAL_UNICAST = constantNetworks([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
]);

const lowest = (value: bigint) => value & LOW_32;

// Where IPv6 forms embed an IPv4 address. The first reading gives the class. The local-use NAT64 prefix
// can end at /48, /56, /64 or /96 (RFC 6052), and we cannot know where.
const EMBEDDINGS: readonly (readonly [Network, ...((value: bigint) => bigint)[]])[] = [
  [constantNetwork('::/96'), lowest],
  [constantNetwork('::ffff:0:0:0/96'), lowest],
  [constantNetwork('64:ff9b::/96'), lowest],
  [
    constantNetwork('64:ff9b:1::/48'),
    lowest,
    (value) => (((value >> 64n) & 0xffffn) << 16n) | ((value >> 40n) & 0xffffn),
    (value) => (((value >> 64n) & 0xffn) << 24n) | ((value >> 32n) & 0xff_ffffn),
    (value) => (value >> 24n) & LOW_32,
  ],
  [constantNetwork('2002::/16'), (value) => (value >> 80n) & LOW_32],
  // Teredo: the client's address is stored inverted, the server's as is.
  [constantNetwork('2001::/32'), (value) => lowest(value) ^ LOW_32, (value) => (value >> 64n) & LOW_32],
];

function classOfIPv4(value: bigint): AddressClass {
  const bits: Bits = { width: 32, value };
  return namedClass(bits) ?? (isIn(SPECIAL_IPV4, bits) ? 'special' : 'public');
}

function classOfIPv6(value: bigint): AddressClass {
  const bits: Bits = { width: 128, value };
  return namedClass(bits) ?? embeddedClass(bits) ?? classOfPlainIPv6(bits);
}

function classOfPlainIPv6(bits: Bits): AddressClass {
  return contains(GLOBAL_UNICAST, bits) && !isIn(SPECIAL_GLOBAL_UNICAST, bits) ? 'public' : 'special';
}

/** Embedded addresses are never public: no server is published in this form. */
function embeddedClass(bits: Bits): AddressClass | undefined {
  const embedding = EMBEDDINGS.find(([network]) => contains(network, bits));
  if (embedding === undefined) return undefined;
  const [, ...readings] = embedding;
  const classes = readings.map((read) => classOfIPv4(read(bits.value)));
  if (classes.includes('link_local')) return 'link_local';
  const [first] = classes;
  return first === 'public' ? 'special' : first;
}

function namedClass(bits: Bits): AddressClass | undefined {
  return CLASSES.find(([, networks]) => isIn(networks, bits))?.[0];
}

function isIn(networks: readonly Network[], bits: Bits): boolean {
  return networks.some((network) => contains(network, bits));
}
