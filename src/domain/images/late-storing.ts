/**
 * Stores variants after they were sent. Storing them is not promised, and after a crash they are made again. So storing
 * yields to images that requests are waiting for, and works in batches. Stored one by one, each as soon as it was made,
 * they took 2.3 ms of the 62 ms of processor time for a small image.
 *
 * The variants that wait are bounded in bytes, beyond which a variant is not stored at all, and in how long they yield.
 */
import type { Timers } from '../../kernel/clock.js';
import type { Variant } from '../../model/image.js';

export interface LateStoring {
  /** Resolves when the variant is stored or known to be lost. Any failure has been reported by then. */
  add(variant: Variant, bytes: Buffer): Promise<void>;
  /** From now on, stores without yielding. */
  hurry(): void;
}

/** Storing takes event loop turns, which would delay the response and the request that follows its redirect. */
const storeAfterMs = 20;
/** How often storing yields, `storeAfterMs` each time: a second in total. */
const maxPostponed = 50;
/** Variants stored together: one transaction, and so few concurrent writes that they delay an upload only briefly. */
const batchSize = 8;
const maxHeldBytes = 16 * 1024 * 1024;

interface Held {
  readonly variant: Variant;
  readonly bytes: Buffer;
  readonly done: () => void;
}

/** Another process may be storing the same variants. With a fixed order, the two cannot deadlock. */
const inOneOrder = (a: Variant, b: Variant): number =>
  a.fileId === b.fileId ? Number(a.recipe > b.recipe) * 2 - 1 : Number(a.fileId > b.fileId) * 2 - 1;

export function createLateStoring(deps: {
  put: (variant: Variant, bytes: Buffer) => Promise<unknown>;
  keep: (variants: readonly Variant[]) => Promise<unknown>;
  /** Whether requests are waiting for images. */
  isBusy: () => boolean;
  timers: Timers;
  onFault: (error: unknown) => void;
}): LateStoring {
  const held: Held[] = [];
  let heldBytes = 0;
  let postponed = 0;
  let isStoring = false;
  let isHurried = false;
  let callOff: (() => void) | null = null;

  const storeBatch = async (batch: readonly Held[]): Promise<void> => {
    const puts = await Promise.allSettled(batch.map(({ variant, bytes }) => deps.put(variant, bytes)));
    const stored = batch.filter((_, index) => puts[index]?.status === 'fulfilled');
    for (const put of puts) if (put.status === 'rejected') deps.onFault(put.reason);
    const variants = stored.map(({ variant }) => variant).sort(inOneOrder);
    if (variants.length > 0) await deps.keep(variants).catch(deps.onFault);
    for (const { bytes, done } of batch) {
      heldBytes -= bytes.length;
      done();
    }
  };

  const wake = (): void => {
    callOff?.();
    callOff = null;
    if (isStoring || held.length === 0) return;
    const mayWait = !isHurried && postponed < maxPostponed && heldBytes < maxHeldBytes / 2;
    if (mayWait && deps.isBusy()) {
      postponed += 1;
      callOff = deps.timers.after(storeAfterMs, wake);
      return;
    }
    isStoring = true;
    void storeBatch(held.splice(0, batchSize)).then(() => {
      isStoring = false;
      // Variants added meanwhile have not yielded yet. The rest of a long backlog has, and continues at once.
      if (held.length < batchSize) postponed = 0;
      wake();
    });
  };

  return {
    add(variant, bytes) {
      if (heldBytes + bytes.length > maxHeldBytes) {
        deps.onFault(new Error('Images are made faster than they are stored; this one is not kept'));
        return Promise.resolve();
      }
      heldBytes += bytes.length;
      return new Promise((done) => {
        held.push({ variant, bytes, done });
        if (!callOff && !isStoring) callOff = deps.timers.after(storeAfterMs, wake);
        if (isHurried) wake();
      });
    },

    hurry() {
      isHurried = true;
      wake();
    },
  };
}
