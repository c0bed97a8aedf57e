import { describe, expect, it } from 'vitest';
import { onlyStore } from '../../../test/support/ports.js';
import { seeded } from '../../../test/support/seeded.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import type { DeliveryState } from '../../model/delivery.js';
import type { Signal, Signals } from '../../ports/signals.js';
import { type Asked, Confirmation } from './confirmation.js';

const asked: Asked = { formId: 'form', submissionId: 's', isRepeated: false };

type State = { state: DeliveryState; attempt: number };

function scene(states: () => Promise<readonly State[]>) {
  const time = new VirtualTime(seeded(1));
  const listeners = new Set<(signal: Signal) => void>();
  const signals: Signals = {
    publish: (signal) => {
      for (const listener of listeners) listener(signal);
    },
    isHeard: () => true,
    subscribe: (_, listener) => {
      listeners.add(listener as (signal: Signal) => void);
      return () => {};
    },
    close: async () => {},
  };
  let looks = 0;
  const deliveries = {
    states: () => {
      looks += 1;
      return states();
    },
  };
  const confirmation = new Confirmation({
    store: onlyStore({ deliveries }),
    signals,
    timers: time,
    now: () => time.now,
    random: () => 0.5,
  });
  return {
    time,
    changed: (submissionId: string) => signals.publish({ kind: 'delivery-changed', submissionId }),
    looks: () => looks,
    async wait(until = 60_000, isRepeated = false): Promise<{ answer: string | null; at: number }> {
      let answer: string | null = null;
      void confirmation.await({ ...asked, isRepeated }).then((value) => {
        answer = value;
      });
      await time.run(until, () => answer !== null);
      return { answer, at: time.now };
    },
    async imitate(some: Partial<Asked> = {}): Promise<{ answer: string | null; tookMs: number }> {
      const startedAt = time.now;
      let answer: string | null = null;
      void confirmation.imitate({ ...asked, ...some }).then((value) => {
        answer = value;
      });
      await time.run(startedAt + 60_000, () => answer !== null);
      return { answer, tookMs: time.now - startedAt };
    },
  };
}

const fresh: State = { state: 'pending', attempt: 0 };
const arrived: State = { state: 'delivered', attempt: 1 };
const retrying: State = { state: 'pending', attempt: 1 };

describe('the confirmation', () => {
  it('is there at once when all arrived, or there is nobody to wait for', async () => {
    expect(await scene(async () => [arrived, arrived]).wait()).toEqual({ answer: 'delivered', at: 0 });
    expect(await scene(async () => []).wait()).toEqual({ answer: 'pending', at: 0 });
  });

  it('is pending as soon as each was tried and one did not take it', async () => {
    expect(await scene(async () => [arrived, retrying]).wait()).toEqual({ answer: 'pending', at: 0 });
  });

  it('waits for the first attempt of every target', async () => {
    let states: readonly State[] = [retrying, fresh];
    const { time, changed, wait } = scene(async () => states);
    time.after(300, () => {
      states = [retrying, arrived];
      changed('s');
    });
    expect(await wait()).toEqual({ answer: 'pending', at: 300 });
  });

  it('hears of a result at once, and not of those of other submissions', async () => {
    let states: readonly State[] = [fresh];
    const { time, changed, wait, looks } = scene(async () => states);
    time.after(100, () => changed('other'));
    time.after(250, () => {
      states = [arrived];
      changed('s');
    });
    expect(await wait()).toEqual({ answer: 'delivered', at: 250 });
    expect(looks()).toBe(2);
  });

  it('does not miss a result that comes while it looks', async () => {
    let isFirst = true;
    const it = scene(async () => {
      if (!isFirst) return [arrived];
      isFirst = false;
      it.changed('s');
      return [fresh];
    });
    expect(await it.wait()).toEqual({ answer: 'delivered', at: 0 });
  });

  it('also looks without a signal', async () => {
    let states: readonly State[] = [fresh];
    const { time, wait } = scene(async () => states);
    time.after(1_500, () => {
      states = [arrived];
    });
    expect(await wait()).toEqual({ answer: 'delivered', at: 2_000 });
  });

  it('says pending after ten seconds, whenever the last look was', async () => {
    const { time, changed, wait } = scene(async () => [fresh]);
    time.after(9_700, () => changed('s'));
    expect(await wait()).toEqual({ answer: 'pending', at: 10_000 });
  });

  it('says pending after ten seconds when the store does not respond', async () => {
    expect(await scene(() => new Promise(() => {})).wait()).toEqual({ answer: 'pending', at: 10_000 });
  });

  it('says pending when the store cannot be asked: the submission is stored', async () => {
    expect(await scene(() => Promise.reject(new Error('disk'))).wait()).toEqual({ answer: 'pending', at: 0 });
  });

  it('imitates the last one of the form: the same answer after the same time', async () => {
    let states: readonly State[] = [fresh];
    const { time, changed, wait, imitate } = scene(async () => states);
    time.after(730, () => {
      states = [retrying];
      changed('s');
    });
    expect(await wait()).toMatchObject({ answer: 'pending' });
    expect(await imitate()).toEqual({ answer: 'pending', tookMs: 730 });
  });

  it('imitates a quick receiver where nothing is known of the form, and never waits longer than a real one', async () => {
    const { imitate } = scene(async () => []);
    expect(await imitate({ formId: 'other' })).toEqual({ answer: 'delivered', tookMs: 120 });
    const slow = scene(async () => [fresh]);
    await slow.wait();
    expect(await slow.imitate()).toEqual({ answer: 'pending', tookMs: 10_000 });
  });

  it('lets the same request again wait for nothing, and learns nothing from it', async () => {
    let states: readonly State[] = [fresh];
    const { time, changed, wait, imitate } = scene(async () => states);
    time.after(400, () => {
      states = [arrived];
      changed('s');
    });
    await wait();
    await wait(60_000, true);
    expect(await imitate()).toEqual({ answer: 'delivered', tookMs: 400 });
    expect(await imitate({ isRepeated: true })).toEqual({ answer: 'delivered', tookMs: 0 });
  });
});
