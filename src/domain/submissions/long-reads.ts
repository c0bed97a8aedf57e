/**
 * Reads that may take seconds. Each account has one at a time, and waiting accounts take turns: an account that searches
 * constantly delays the others by one read.
 */
import { Slots } from '../../kernel/concurrency.js';
import { refuse } from '../../model/errors.js';

const maxWaitingPerAccount = 50;
const maxWaitMs = 10_000;

/** Rejects when too many reads of the account are waiting, or when its turn does not come in time. */
export type LongReads = <T>(accountId: string, read: () => Promise<T>) => Promise<T>;

export function createLongReads(atOnce: number): LongReads {
  const slots = new Slots(atOnce, 1, { max: Number.POSITIVE_INFINITY, maxPerKey: maxWaitingPerAccount });
  return async (accountId, read) => {
    const done = await slots.run(accountId, maxWaitMs, read);
    if (done === null) throw refuse.busy();
    return done.value;
  };
}
