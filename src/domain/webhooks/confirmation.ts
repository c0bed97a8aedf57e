/** `wait_for_webhook`: the visitor's redirect waits until every target was tried once, and says how that went. */
import type { Timers } from '../../kernel/clock.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';

export interface Confirmation {
  /** `delivered` when all targets took it at their first attempt; else `pending`, after 10 s at the latest. */
  await(asked: Asked): Promise<Confirmed>;
  /** For what is in quarantine and goes to nobody: what it was for the form's last one, after the same time. */
  imitate(asked: Asked): Promise<Confirmed>;
}

export interface Asked {
  readonly formId: string;
  readonly submissionId: string;
  /** The same request again: it was sent long ago, and there is nothing to wait for. */
  readonly isRepeated: boolean;
}

export type Confirmed = 'delivered' | 'pending';

const longestWaitMs = 10_000;
/** Each holds a connection and looks at the store once a second. */
const maxWaiting = 1_000;
/** Signals may be lost; so it is also looked at without one. */
const lookEveryMs = 1_000;
/** How the last confirmation of a form went; of so many forms. */
const maxRemembered = 1_000;
/** When there was none since the start. */
const firstImitation: Remembered = { confirmed: 'delivered', afterMs: 120 };

interface Remembered {
  readonly confirmed: Confirmed;
  readonly afterMs: number;
}

export function createConfirmation(deps: {
  store: Store;
  signals: Signals;
  timers: Timers;
  /** Monotonic. */
  now: () => number;
  /** From 0 up to 1. */
  random: () => number;
}): Confirmation {
  const last = new Map<string, Remembered>();
  let imitating = 0;
  const waiting = new Map<string, Set<() => void>>();
  deps.signals.subscribe('delivery-changed', ({ submissionId }) => {
    for (const look of waiting.get(submissionId) ?? []) look();
  });

  const nextLook = (submissionId: string): Promise<void> =>
    new Promise((resolve) => {
      const looks = waiting.get(submissionId) ?? new Set();
      const look = (): void => {
        looks.delete(look);
        if (looks.size === 0) waiting.delete(submissionId);
        callOff();
        resolve();
      };
      const callOff = deps.timers.after(lookEveryMs, look);
      waiting.set(submissionId, looks.add(look));
    });

  const confirm = async (submissionId: string): Promise<Confirmed> => {
    let callOff = (): void => {};
    const over = new Promise<'over'>((resolve) => {
      callOff = deps.timers.after(longestWaitMs, () => resolve('over'));
    });
    try {
      for (;;) {
        // Before the look, so that what happens during it is not missed.
        const changed = nextLook(submissionId);
        const states = await Promise.race([deps.store.deliveries.states(submissionId), over]);
        if (states === 'over' || states.length === 0) return 'pending';
        if (states.every(({ state }) => state === 'delivered')) return 'delivered';
        if (states.every(({ attempt }) => attempt > 0)) return 'pending';
        if ((await Promise.race([changed, over])) === 'over') return 'pending';
      }
    } catch {
      // The submission is stored: a store that cannot be asked now must not make the visitor send it again.
      return 'pending';
    } finally {
      callOff();
    }
  };

  const remember = (formId: string, remembered: Remembered): void => {
    last.delete(formId);
    last.set(formId, remembered);
    const [oldest] = last.keys();
    if (last.size > maxRemembered && oldest !== undefined) last.delete(oldest);
  };

  return {
    async await({ formId, submissionId, isRepeated }) {
      if (waiting.size >= maxWaiting) return 'pending';
      const startedAt = deps.now();
      const confirmed = await confirm(submissionId);
      if (!isRepeated) remember(formId, { confirmed, afterMs: deps.now() - startedAt });
      return confirmed;
    },
    async imitate({ formId, isRepeated }) {
      const { confirmed, afterMs } = last.get(formId) ?? firstImitation;
      if (isRepeated) return confirmed;
      if (imitating >= maxWaiting) return 'pending';
      imitating += 1;
      // No two real ones take the same time, but for those that waited as long as one waits.
      const waitMs =
        afterMs >= longestWaitMs
          ? longestWaitMs
          : Math.min(longestWaitMs, afterMs * (0.8 + 0.4 * deps.random()));
      await new Promise<void>((resolve) => {
        deps.timers.after(waitMs, resolve);
      });
      imitating -= 1;
      return confirmed;
    },
  };
}
