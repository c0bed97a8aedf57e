/**
 * Prevents sending what is pending only according to a restored database. The operator raises the epoch after a restore. The
 * first process with the new epoch stops everything that is pending, and processes with another epoch send nothing.
 */
import type { Clock } from '../../kernel/clock.js';
import { type PendingSends, type Store, StoreUnavailable } from '../../ports/store.js';

export interface EpochObserver {
  /** This process has stopped everything that was pending. */
  held(sends: PendingSends): void;
  /** Called once each time the stored epoch is found to be higher than ours. */
  behind(stored: number): void;
}

export interface EpochGuard {
  /** Rejects when the stored epoch is higher than ours. */
  enter(): Promise<void>;
  /** Checks again: the database may have been restored beneath this process, or the epoch raised elsewhere. */
  check(): Promise<void>;
}

export function createEpochGuard(deps: {
  store: Pick<Store, 'enterEpoch'>;
  epoch: number;
  clock: Clock;
  observer: EpochObserver;
}): EpochGuard {
  const { store, epoch, clock, observer } = deps;
  const reason = `held: DELIVERY_EPOCH was raised to ${epoch}, and this was not sent: it may have been sent already. Send it again if not.`;
  let behind: number | null = null;

  const look = async (): Promise<number | null> => {
    const entry = await store.enterEpoch(reason, clock.now());
    if (entry.kind === 'entered') observer.held(entry.held);
    return entry.kind === 'behind' ? entry.stored : null;
  };

  return {
    async enter() {
      const stored = await look();
      if (stored === null) return;
      throw new StoreUnavailable(
        `DELIVERY_EPOCH is ${epoch}, but the database has ${stored}: it was raised for another process. ` +
          `Set DELIVERY_EPOCH=${stored} for every process.`,
      );
    },
    async check() {
      const stored = await look();
      if (stored !== null && stored !== behind) observer.behind(stored);
      behind = stored;
    },
  };
}
