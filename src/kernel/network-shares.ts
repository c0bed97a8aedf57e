/**
 * An amount that clients share (places, bytes), counted by the networks around each client.
 *
 * Invariants: no network holds more than its limit. A network that holds something gets more only while several times as
 * much is left for all others. The less is left, the less a single network can hold: eight networks that take all they can
 * get leave a fifth of the total, where limits alone would leave nothing.
 */
const timesLeft = 4;

const nobody: readonly string[] = [];

export interface ShareLimits {
  readonly total: number;
  /** An IPv4 address or an IPv6 /64. */
  readonly narrow: number;
  /** An IPv6 /56. */
  readonly middle: number;
  /** An IPv4 /24 or an IPv6 /48. */
  readonly wide: number;
}

/** What each network holds. A list of networks belongs to one client, narrowest first. */
export class NetworkCounts {
  readonly #held = new Map<string, number>();

  heldBy(network: string | undefined): number {
    return network === undefined ? 0 : (this.#held.get(network) ?? 0);
  }

  add(networks: readonly string[], amount: number): void {
    for (const network of networks) this.#held.set(network, this.heldBy(network) + amount);
  }

  remove(networks: readonly string[], amount: number): void {
    for (const network of networks) {
      const left = this.heldBy(network) - amount;
      if (left > 0) this.#held.set(network, left);
      else this.#held.delete(network);
    }
  }

  /** Returns a positive number when the first one holds more. The widest network decides; narrower ones break ties. */
  compare(one: readonly string[], other: readonly string[]): number {
    const levels = Math.max(one.length, other.length);
    for (let level = 1; level <= levels; level += 1) {
      const difference = this.heldBy(one.at(-level)) - this.heldBy(other.at(-level));
      if (difference !== 0) return difference;
    }
    return 0;
  }
}

export class NetworkShares {
  #used = 0;
  readonly #counts = new NetworkCounts();

  constructor(private readonly limits: ShareLimits) {}

  get used(): number {
    return this.#used;
  }

  get isUsedUp(): boolean {
    return this.#used >= this.limits.total;
  }

  heldBy(network: string): number {
    return this.#counts.heldBy(network);
  }

  /** Whether the amount would exceed the limit of one of these networks. `leaving`: see `fits`. */
  isExhausted(networks: readonly string[], amount: number, leaving = nobody): boolean {
    let level = 0;
    for (const network of networks) {
      const held = this.#heldWithout(leaving, network, amount);
      if (held + amount > this.#limitAt(level, networks.length)) return true;
      level += 1;
    }
    return false;
  }

  /** `leaving`: the networks of another client, counted as if it had given back the same amount before. */
  fits(networks: readonly string[], amount: number, leaving = nobody): boolean {
    const left = this.limits.total - this.#used - (leaving === nobody ? amount : 0);
    if (left < 0) return false;
    for (const network of networks) {
      if (this.#heldWithout(leaving, network, amount) * timesLeft > left) return false;
    }
    return !this.isExhausted(networks, amount, leaving);
  }

  /** Returns false, and takes nothing, when there is no room. */
  take(networks: readonly string[], amount: number): boolean {
    if (!this.fits(networks, amount)) return false;
    this.#used += amount;
    this.#counts.add(networks, amount);
    return true;
  }

  giveBack(networks: readonly string[], amount: number): void {
    this.#used -= amount;
    this.#counts.remove(networks, amount);
  }

  #heldWithout(leaving: readonly string[], network: string, amount: number): number {
    return this.heldBy(network) - (leaving.includes(network) ? amount : 0);
  }

  #limitAt(level: number, levels: number): number {
    const { narrow, middle, wide } = this.limits;
    if (level === 0) return narrow;
    return level === levels - 1 ? wide : middle;
  }
}
