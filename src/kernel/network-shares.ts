/**
 * An amount that clients share (places, bytes), counted by the networks around each client.
 *
 * What must stay true: no network holds more than its limit; and one that holds something gets more only while several times
 * as much is left for everybody else. The fuller it is, the less a single network can hold: eight that take whatever they
 * get leave a fifth of it, where limits alone would leave nothing.
 */
const timesLeft = 4;

export interface ShareLimits {
  readonly total: number;
  /** An IPv4 address or an IPv6 /64. */
  readonly narrow: number;
  /** An IPv6 /56. */
  readonly middle: number;
  /** An IPv4 /24 or an IPv6 /48. */
  readonly wide: number;
}

export class NetworkShares {
  #used = 0;
  readonly #held = new Map<string, number>();

  constructor(private readonly limits: ShareLimits) {}

  get used(): number {
    return this.#used;
  }

  heldBy(network: string): number {
    return this.#held.get(network) ?? 0;
  }

  /** The narrowest network that would exceed its own limit; null: none would. `networks`: narrowest first. */
  exhausted(networks: readonly string[], amount: number): string | null {
    let level = 0;
    for (const network of networks) {
      if (this.heldBy(network) + amount > this.#limitAt(level, networks.length)) return network;
      level += 1;
    }
    return null;
  }

  fits(networks: readonly string[], amount: number): boolean {
    const left = this.limits.total - this.#used - amount;
    if (left < 0) return false;
    for (const network of networks) if (this.heldBy(network) * timesLeft > left) return false;
    return this.exhausted(networks, amount) === null;
  }

  /** False: there is no room, and nothing was taken. */
  take(networks: readonly string[], amount: number): boolean {
    if (!this.fits(networks, amount)) return false;
    this.#used += amount;
    for (const network of networks) this.#held.set(network, this.heldBy(network) + amount);
    return true;
  }

  giveBack(networks: readonly string[], amount: number): void {
    this.#used -= amount;
    for (const network of networks) {
      const left = this.heldBy(network) - amount;
      if (left > 0) this.#held.set(network, left);
      else this.#held.delete(network);
    }
  }

  #limitAt(level: number, levels: number): number {
    const { narrow, middle, wide } = this.limits;
    if (level === 0) return narrow;
    return level === levels - 1 ? wide : middle;
  }
}
