/**
 * Makes digests when they are due. Waiting deliveries are stored with their submissions, and a digest is one transaction: a crash
 * before it leaves everything waiting, one after it leaves mails in the queue. A server that was down makes one digest, later.
 */
import type { Clock } from '../../kernel/clock.js';
import { distinctAddresses } from '../../kernel/email-address.js';
import { newId } from '../../kernel/ids.js';
import { nextDigestAt } from '../../model/digest.js';
import type { DueDigest } from '../../ports/digests.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';
import type { CurrentDestinations } from './current.js';

export const digestStepMs = 2_000;
const mostAtOnce = 200;
/** For a destination that has switched to single mails: what this digest leaves out is due in another one after this time. */
const soonMs = 60_000;

export class Digests {
  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly current: CurrentDestinations;
      readonly signals: Signals;
      readonly clock: Clock;
    },
  ) {}

  async step(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.deps;
    for (const due of await store.digests.listDue(clock.now(), mostAtOnce)) {
      if (signal.aborted) return;
      await this.#make(due);
    }
  }

  async #make(due: DueDigest): Promise<void> {
    const { store, current, signals, clock } = this.deps;
    const { destination } = await current.get(due);
    const now = clock.now();
    const { lane } = due;
    if (destination?.kind !== 'email') await store.digests.release(lane, now);
    else {
      const { to, cc, bcc, digest } = destination.config;
      await store.digests.make({
        ...{ id: newId(now), lane, now },
        nextAt: digest ? nextDigestAt(digest, now) : now + soonMs,
        recipients: distinctAddresses([...to, ...cc, ...bcc]).map((address) => ({
          deliveryId: newId(now),
          address,
        })),
      });
    }
    signals.publish({ kind: 'deliveries-ready', lanes: [lane] });
  }
}
