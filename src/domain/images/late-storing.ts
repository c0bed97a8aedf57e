/**
 * Variants that were sent already, on their way into the store. Nobody was promised that they are stored; after a crash
 * they are made again: so they give way to pictures that are still waited for, and go several
 * together. One by one, each as soon as it was made, they took 2.3 ms of processor time of the 62 of a small picture.
 *
 * What is held is bounded: by its bytes, beyond which a picture is not kept at all, and by the time it gives way.
 */
import type { Timers } from '../../kernel/clock.js';
import type { Variant } from '../../model/image.js';

export interface LateStoring {
  /** Resolves when it is stored, or is known to be lost; a fault has been reported then. */
  add(variant: Variant, bytes: Buffer): Promise<void>;
  /** Nothing gives way any longer. */
  hurry(): void;
}

/** Storing takes turns of the event loop that the answer, and who follows its redirect at once, would wait for. */
const storeAfterMs = 20;
/** How often it gives way to those who wait, each time for as long: a second in all. */
const maxPostponed = 50;
/** Stored together: one transaction, and no more files written at once than hold up an upload for a moment. */
const batchSize = 8;
const maxHeldBytes = 16 * 1024 * 1024;

interface Held {
  readonly variant: Variant;
  readonly bytes: Buffer;
  readonly done: () => void;
}

/** Another process may keep the same ones at this moment: in one order neither waits for what the other holds. */
const inOneOrder = (a: Variant, b: Variant): number =>
  a.fileId === b.fileId ? Number(a.recipe > b.recipe) * 2 - 1 : Number(a.fileId > b.fileId) * 2 - 1;

export function createLateStoring(deps: {
  put: (variant: Variant, bytes: Buffer) => Promise<unknown>;
  keep: (variants: readonly Variant[]) => Promise<unknown>;
  /** Whether pictures are waited for at the moment. */
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
      // Those that came meanwhile have not given way yet; the rest of a long line has, and goes on at once.
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
