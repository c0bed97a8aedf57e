/** `wait_for_webhook`: the visitor's redirect waits until every destination was tried once, and reports the result. */
import type { Timers } from '../../kernel/clock.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';

export interface Asked {
  readonly formId: string;
  readonly submissionId: string;
  /** A repeated request: the submission was sent long ago, so there is nothing to wait for. */
  readonly isRepeated: boolean;
}

export type Confirmed = 'delivered' | 'pending';

export interface ConfirmationOptions {
  readonly store: Store;
  readonly signals: Signals;
  readonly timers: Timers;
  /** Monotonic. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const longestWaitMs = 10_000;
/** Each occupies a connection and polls the store once a second. */
const maxWaiting = 1_000;
/** Signals can be lost, so the store is also polled. */
const lookEveryMs = 1_000;
/** Number of forms whose last confirmation is remembered. */
const maxRemembered = 1_000;
/** Used for a form that had no confirmation since the start. */
const firstImitation: Remembered = { confirmed: 'delivered', afterMs: 120 };

interface Remembered {
  readonly confirmed: Confirmed;
  readonly afterMs: number;
}

export class Confirmation {
  readonly #last = new Map<string, Remembered>();
  readonly #waiting = new Map<string, Set<() => void>>();
  #imitating = 0;

  constructor(private readonly options: ConfirmationOptions) {
    options.signals.subscribe('delivery-changed', ({ submissionId }) => {
      for (const look of this.#waiting.get(submissionId) ?? []) look();
    });
  }

  /** Returns `delivered` when the first attempt succeeded at all destinations, else `pending`, after 10 s at the latest. */
  async await({ formId, submissionId, isRepeated }: Asked): Promise<Confirmed> {
    if (this.#waiting.size >= maxWaiting) return 'pending';
    const { now } = this.options;
    const startedAt = now();
    const confirmed = await this.#confirm(submissionId);
    if (!isRepeated) this.#remember(formId, { confirmed, afterMs: now() - startedAt });
    return confirmed;
  }

  /** For submissions in quarantine, which are not sent: the result and approximate duration of the form's last confirmation. */
  async imitate({ formId, isRepeated }: Asked): Promise<Confirmed> {
    const { confirmed, afterMs } = this.#last.get(formId) ?? firstImitation;
    if (isRepeated) return confirmed;
    if (this.#imitating >= maxWaiting) return 'pending';
    this.#imitating += 1;
    // No two real confirmations take the same time, except those that hit the limit.
    const varied = afterMs >= longestWaitMs ? afterMs : afterMs * (0.8 + 0.4 * this.options.random());
    await new Promise<void>((resolve) => {
      this.options.timers.after(Math.min(longestWaitMs, varied), resolve);
    });
    this.#imitating -= 1;
    return confirmed;
  }

  async #confirm(submissionId: string): Promise<Confirmed> {
    const { store, timers } = this.options;
    let cancel = (): void => {};
    const over = new Promise<'over'>((resolve) => {
      cancel = timers.after(longestWaitMs, () => resolve('over'));
    });
    try {
      for (;;) {
        // Subscribes before reading, so that no change during the read is missed.
        const changed = this.#nextLook(submissionId);
        const states = await Promise.race([store.deliveries.states(submissionId), over]);
        if (states === 'over' || states.length === 0) return 'pending';
        if (states.every(({ state }) => state === 'delivered')) return 'delivered';
        if (states.every(({ attempt }) => attempt > 0)) return 'pending';
        if ((await Promise.race([changed, over])) === 'over') return 'pending';
      }
    } catch {
      // The submission is stored: a store that is unavailable now must not make the visitor send it again.
      return 'pending';
    } finally {
      cancel();
    }
  }

  #nextLook(submissionId: string): Promise<void> {
    return new Promise((resolve) => {
      const looks = this.#waiting.get(submissionId) ?? new Set();
      const look = (): void => {
        looks.delete(look);
        if (looks.size === 0) this.#waiting.delete(submissionId);
        cancel();
        resolve();
      };
      const cancel = this.options.timers.after(lookEveryMs, look);
      this.#waiting.set(submissionId, looks.add(look));
    });
  }

  #remember(formId: string, remembered: Remembered): void {
    this.#last.delete(formId);
    this.#last.set(formId, remembered);
    const [oldest] = this.#last.keys();
    if (this.#last.size > maxRemembered && oldest !== undefined) this.#last.delete(oldest);
  }
}
