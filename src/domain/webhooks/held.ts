/**
 * What we have claimed and whose result is not yet durable, and under which token the queue knows it. Bookkeeping in
 * memory, for the rare case that a row is claimed again while we are at it: its lease can end early, by a clock that
 * is set forward or by somebody who takes us for dead.
 *
 * What must stay true: such a row is not sent a second time, and the result of the one send counts under the token that
 * the row has by then.
 */
import type { Delivery } from '../../model/delivery.js';
import type { QueuePick } from '../../ports/delivery-queue.js';

/** A delivery from its claim until its result is durable. */
export interface Held {
  readonly delivery: Delivery;
  token: string;
  /** Those of turns whose answer was lost: the row may have got one of them. */
  doubtful: readonly string[];
}

export class HeldDeliveries {
  readonly #held = new Map<string, Held>();

  add(one: Held): void {
    this.#held.set(one.delivery.id, one);
  }

  find(id: string): Held | null {
    return this.#held.get(id) ?? null;
  }

  delete(one: Held): void {
    // One that was given up in its stead is not in it.
    if (this.#held.get(one.delivery.id) === one) this.#held.delete(one.delivery.id);
  }

  /** If not, it was to be sent again by hand meanwhile, or somebody else has made the attempt: a new send is wanted. */
  isSameAttempt({ delivery }: Held, claimed: Delivery): boolean {
    // Whoever asks for a send by hand while one is under way ends its lease, and wants another.
    const isAskedAnew = claimed.trigger !== 'auto' && !claimed.isInFlight;
    return (
      !isAskedAnew &&
      delivery.attempt === claimed.attempt &&
      delivery.trigger === claimed.trigger &&
      delivery.url === claimed.url
    );
  }

  adopt(one: Held, token: string): void {
    one.token = token;
    one.doubtful = [];
  }

  /** A turn has failed, and may have claimed what is in these lines all the same. */
  doubt(picks: readonly QueuePick[], token: string): void {
    const lines = new Set(picks.map(lineOf));
    for (const one of this.#held.values()) {
      if (lines.has(lineOf(one.delivery))) one.doubtful = [...one.doubtful, token];
    }
  }

  /** Its token is not the row's: whether there is another that may be. */
  tryNextToken(one: Held): boolean {
    const [next, ...others] = one.doubtful;
    if (next === undefined) return false;
    one.token = next;
    one.doubtful = others;
    return true;
  }
}

const lineOf = ({ url, queue }: Pick<QueuePick, 'url' | 'queue'>): string => `${queue} ${url}`;
