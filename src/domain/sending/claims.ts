/**
 * What this process has claimed. A claim lives from the cycle that made it until its result, or its release, is durable. Claims
 * are in memory only; after a crash the leases expire.
 *
 * Two rare cases make it more than a list:
 * - A row is claimed again while we send it: its lease ended early, because a clock was set forward or another process assumed
 *   that we had died. It is not sent a second time, and the result of the one send counts under the row's new token.
 * - A cycle fails but may have been committed. Results wait for the next cycle, rows that we had claimed may have the failed
 *   cycle's token, and rows that it may have claimed are released.
 */
import { type Delivery, laneKey } from '../../model/delivery.js';
import type { AttemptRecord, QueueCycle, QueueHead, UnconfirmedClaim } from '../../ports/delivery-queue.js';

export interface Claim {
  readonly delivery: Delivery;
  /** The row's token, as far as we know. */
  token: string;
  /** Tokens of failed cycles; the row may have one of them. */
  otherTokens: readonly string[];
}

/** A claim to record or to release. A released one has no result and is due again as `next` specifies. */
export type EndedClaim =
  | { readonly claim: Claim; readonly result: AttemptResult; readonly next: QueueHead | null }
  | { readonly claim: Claim; readonly result: null; readonly next: QueueHead };

/** An `AttemptRecord` without the ids and the token. */
export type AttemptResult = Pick<AttemptRecord, 'settled' | 'url' | 'attempt'>;

/** Beyond this, the rows stay claimed until their lease expires. */
const maxUnconfirmed = 1_000;

export class Claims {
  readonly #sending = new Map<string, Claim>();
  #ended: EndedClaim[] = [];
  #unconfirmed: readonly UnconfirmedClaim[] = [];

  /** How many wait for a cycle. */
  get waiting(): number {
    return this.#ended.length + this.#unconfirmed.length;
  }

  get unconfirmed(): readonly UnconfirmedClaim[] {
    return this.#unconfirmed;
  }

  add(claim: Claim): void {
    this.#sending.set(claim.delivery.id, claim);
  }

  find(deliveryId: string): Claim | undefined {
    return this.#sending.get(deliveryId);
  }

  end(ended: EndedClaim): void {
    this.#ended.push(ended);
  }

  /** For one cycle, which then calls `cycleSucceeded` or `cycleFailed`. */
  takeEnded(): readonly EndedClaim[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  cycleFailed(ended: readonly EndedClaim[], { picks, lease }: QueueCycle): void {
    this.#ended = [...ended, ...this.#ended];
    const claims = picks.map(({ lane, queue }) => ({ lane, queue, ...lease }));
    this.#unconfirmed = [...this.#unconfirmed, ...claims].slice(-maxUnconfirmed);
    const lanes = new Set(picks.map(laneKey));
    for (const claim of this.#sending.values()) {
      if (lanes.has(laneKey(claim.delivery))) claim.otherTokens = [...claim.otherTokens, lease.token];
    }
  }

  /** Returns those that are finished. The others are retried under another token. */
  cycleSucceeded(ended: readonly EndedClaim[], lost: ReadonlySet<string>): readonly EndedClaim[] {
    this.#unconfirmed = [];
    return ended.filter((one) => {
      const { claim } = one;
      const { id } = claim.delivery;
      const isTriedAgain = lost.has(id) && tryOtherToken(claim);
      if (isTriedAgain) this.#ended.push(one);
      // A claim that was released in favour of the one being sent is not in the map.
      else if (this.#sending.get(id) === claim) this.#sending.delete(id);
      return !isTriedAgain;
    });
  }
}

function tryOtherToken(claim: Claim): boolean {
  const [token, ...others] = claim.otherTokens;
  if (token === undefined) return false;
  claim.token = token;
  claim.otherTokens = others;
  return true;
}

/** Returns false when a new send is due: one was requested meanwhile, or another process made this attempt. */
export function isSameAttempt({ delivery }: Claim, claimed: Delivery): boolean {
  // A resend that is requested during a send ends the lease of that send.
  const isRequestedAnew = claimed.trigger !== 'auto' && !claimed.isInFlight;
  return !isRequestedAnew && delivery.attempt === claimed.attempt && delivery.trigger === claimed.trigger;
}
