/**
 * Where this service listens, and what it stands on: its database, Redis, bucket and mail server. No webhook is sent there,
 * whatever networks and names are allowed: a form that posts to itself would never end, and a request that a tenant words
 * has no business at a database. Knows no network: names are looked up by the sender, which says here what it found.
 */
import { canonicalIp, classify } from '../../kernel/addresses.js';
import { isLocalhost } from '../../kernel/hosts.js';

export interface OwnEndpoint {
  /** A name or an address, as a setting has it. 0.0.0.0 and :: are all addresses of this machine. */
  readonly host: string;
  readonly port: number;
  /**
   * What makes a connection one to this endpoint, beside its name.
   * `any-address`: each address that the name has. `inside-address`: those that are not public; a public one may be that of
   * a CDN, where many others live. `none`: the name alone, as behind a proxy that others use too.
   */
  readonly by: 'any-address' | 'inside-address' | 'none';
}

interface Known {
  readonly host: string;
  readonly by: OwnEndpoint['by'];
  addresses: ReadonlySet<string>;
  /** Asked for, and never found out: every inside address may be the one. */
  isUnknown: boolean;
}

/** To connect to the unspecified address is to connect to this machine. */
const isLoopback = (address: string): boolean =>
  address === '0.0.0.0' || address === '::' || classify(address) === 'loopback';

/** Lower case, without brackets and a final dot, addresses in their canonical form. */
export function plainHost(text: string): string {
  const bare = text
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return canonicalIp(bare) ?? bare;
}

export class OwnEndpoints {
  readonly #byPort = new Map<number, Known[]>();

  /** `localAddresses`: those that this machine has now, canonical. */
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

  /** Whether host and port are how one of them is called. The host is plain. */
  isNamed(host: string, port: number): boolean {
    return this.#at(port).some((known) => known.host === host);
  }

  /**
   * Whether a connection there would reach one of them, as far as is known now. The address is canonical. What we reach at a
   * loopback address is on this machine, and may listen at all of its addresses.
   */
  isAt(address: string, port: number): boolean {
    return this.#at(port).some(
      ({ addresses, isUnknown }) =>
        addresses.has(address) ||
        (isUnknown && classify(address) !== 'public') ||
        ([...addresses].some(isLoopback) && this.#isThisMachine(address)),
    );
  }

  /** The names at this port whose addresses count, and must be looked up. */
  namesAt(port: number): readonly string[] {
    return this.#at(port)
      .filter(({ host, by }) => by !== 'none' && canonicalIp(host) === null && !isLocalhost(host))
      .map(({ host }) => host);
  }

  /** What a name of `namesAt` resolves to; replaces what it was before. Null: nobody knows, and nobody ever did. */
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

/** What can be said without asking anybody. */
function fixedAddresses(host: string): ReadonlySet<string> {
  if (canonicalIp(host) !== null) return new Set([host]);
  return new Set(isLocalhost(host) ? ['127.0.0.1'] : []);
}
