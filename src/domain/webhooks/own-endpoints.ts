/**
 * The endpoints of this service, and of its database, Redis, bucket and mail server. No webhook is sent there, whatever
 * networks and names are allowed: a form that posts to itself would loop forever, and a request that a tenant words has no
 * business at a database. Does no lookups: the sender looks names up and reports here what it found.
 */
import { canonicalIp, classify } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';

export interface OwnEndpoint {
  /** A name or an address, as configured. 0.0.0.0 and :: mean all addresses of this machine. */
  readonly host: string;
  readonly port: number;
  /**
   * What identifies a connection to this endpoint, besides its name.
   * `any-address`: every address of the name. `inside-address`: those that are not public; a public one may belong to a CDN,
   * which many others share. `none`: the name alone, as behind a shared proxy.
   */
  readonly by: 'any-address' | 'inside-address' | 'none';
}

interface Known {
  readonly host: string;
  readonly by: OwnEndpoint['by'];
  addresses: ReadonlySet<string>;
  /** Looked up, but never resolved: any inside address may be the one. */
  isUnknown: boolean;
}

/** Connecting to the unspecified address connects to this machine. */
const isLoopback = (address: string): boolean =>
  address === '0.0.0.0' || address === '::' || classify(address) === 'loopback';

/** Lower case, without brackets and a final dot. Addresses are in their canonical form. */
export function plainHost(text: string): string {
  const bare = text
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return canonicalIp(bare) ?? bare;
}

export class OwnEndpoints {
  readonly #byPort = new Map<number, Known[]>();

  /** `localAddresses`: the addresses that this machine has now, canonical. */
  constructor(
    private readonly localAddresses: () => ReadonlySet<string>,
    endpoints: Iterable<OwnEndpoint> = [],
  ) {
    for (const endpoint of endpoints) this.add(endpoint);
  }

  add({ host: text, port, by }: OwnEndpoint): void {
    const host = plainHost(text);
    const known = { host, by, addresses: fixedAddresses(host), isUnknown: false };
    this.#byPort.set(port, [...(this.#byPort.get(port) ?? []), known]);
  }

  /** Whether host and port are the name of one of them. The host is as `plainHost` returns it. */
  isNamed(host: string, port: number): boolean {
    return this.#at(port).some((known) => known.host === host);
  }

  /**
   * Whether a connection there would reach one of them, as far as is known now. The address is canonical. An endpoint at a
   * loopback address is on this machine, and may listen on all of its addresses.
   */
  isAt(address: string, port: number): boolean {
    return this.#at(port).some(
      ({ addresses, isUnknown }) =>
        addresses.has(address) ||
        (isUnknown && classify(address) !== 'public') ||
        ([...addresses].some(isLoopback) && this.#isThisMachine(address)),
    );
  }

  /** The names at this port whose addresses matter, and must be looked up. */
  namesAt(port: number): readonly string[] {
    return this.#at(port)
      .filter(({ host, by }) => by !== 'none' && canonicalIp(host) === null && !isLocalhost(host))
      .map(({ host }) => host);
  }

  /** Stores what a name of `namesAt` resolves to, in place of the result before. null: it has never been resolved. */
  learn(host: string, addresses: readonly string[] | null): void {
    for (const known of [...this.#byPort.values()].flat()) {
      if (known.host !== host || known.by === 'none') continue;
      known.isUnknown = addresses === null;
      if (addresses === null) continue;
      const counting = addresses.filter(
        (address) => known.by === 'any-address' || classify(address) !== 'public',
      );
      known.addresses = new Set(counting);
    }
  }

  #at(port: number): readonly Known[] {
    return this.#byPort.get(port) ?? [];
  }

  #isThisMachine(address: string): boolean {
    return isLoopback(address) || this.localAddresses().has(address);
  }
}

/** The addresses that are known without a lookup. */
function fixedAddresses(host: string): ReadonlySet<string> {
  if (canonicalIp(host) !== null) return new Set([host]);
  return new Set(isLocalhost(host) ? ['127.0.0.1'] : []);
}
