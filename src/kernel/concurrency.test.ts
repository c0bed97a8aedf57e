import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mutex, Slots, Turns } from './concurrency.js';

describe('Mutex', () => {
  it('lets one in at a time, in the order they came, however long each stays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 8 }), async (stays) => {
        const mutex = new Mutex();
        const entered: number[] = [];
        let inside = 0;
        await Promise.all(
          stays.map(async (turns, index) => {
            const release = await mutex.acquire();
            inside += 1;
            expect(inside).toBe(1);
            entered.push(index);
            for (let turn = 0; turn < turns; turn += 1) await nextTurn();
            inside -= 1;
            release();
          }),
        );
        expect(entered).toEqual(stays.map((_, index) => index));
      }),
      { numRuns: 30 },
    );
  });

  it('lets in nobody through a second release of the same holder', async () => {
    const mutex = new Mutex();
    const first = await mutex.acquire();
    first();
    await mutex.acquire();
    first();
    let third = false;
    void mutex.acquire().then(() => {
      third = true;
    });
    await nextTurn();
    expect(third).toBe(false);
  });
});

describe('Slots', () => {
  it('refuses beyond the limit of one key while others still get in, and beyond the limit of all', () => {
    const slots = new Slots(3, 2);
    const mine = slots.take('a');
    expect(mine).not.toBeNull();
    expect(slots.take('a')).not.toBeNull();
    expect(slots.take('a')).toBeNull();
    expect(slots.take('b')).not.toBeNull();
    expect(slots.take('c')).toBeNull();
    mine?.();
    expect(slots.take('c')).not.toBeNull();
  });

  it('never counts wrong, also when a slot is freed twice', () => {
    const steps = fc.array(
      fc.oneof(fc.record({ take: fc.constantFrom('a', 'b', 'c') }), fc.record({ free: fc.nat(20) })),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        steps,
        (max, perKey, script) => {
          const slots = new Slots(max, perKey);
          const taken: { key: string; free: () => void; held: boolean }[] = [];
          for (const step of script) {
            if ('free' in step) {
              const slot = taken[step.free % Math.max(1, taken.length)];
              if (slot) {
                slot.free();
                slot.held = false;
              }
              continue;
            }
            const held = taken.filter((slot) => slot.held);
            const fits = held.length < max && held.filter((slot) => slot.key === step.take).length < perKey;
            const free = slots.take(step.take);
            expect(free !== null).toBe(fits);
            if (free) taken.push({ key: step.take, free, held: true });
          }
        },
      ),
    );
  });
});

describe('Turns', () => {
  it('does work on one key one after the other, also after one that failed', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const work = (name: string, fails: boolean) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
    };
    const settled = await Promise.allSettled([
      turns.take('k', work('first', true)),
      turns.take('k', work('second', false)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('lets work on different keys run at once', async () => {
    const turns = new Turns();
    let release = (): void => {};
    const held = turns.take('a', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await turns.take('b', async () => 'done')).toBe('done');
    release();
    await held;
  });
});

describe('Slots that one may wait for', () => {
  it('lets those who wait in, first come first served, and passes over whose share is used up', async () => {
    const slots = new Slots(2, 1, 10);
    const first = slots.take('a');
    const second = slots.take('b');
    const entered: string[] = [];
    const waiting = ['a', 'c', 'b'].map(async (key) => {
      const free = await slots.wait(key, 60_000);
      entered.push(key);
      return free;
    });
    second?.();
    await nextTurn();
    expect(entered).toEqual(['c']);
    first?.();
    await nextTurn();
    expect(entered).toEqual(['c', 'a']);
    (await waiting[1])?.();
    expect((await Promise.all(waiting)).every((free) => free !== null)).toBe(true);
  });

  it('gives up after the time, and at once when too many wait', async () => {
    const slots = new Slots(1, 1, 1);
    slots.take('a');
    const early = slots.wait('b', 1);
    expect(await slots.wait('c', 60_000)).toBeNull();
    expect(await early).toBeNull();
  });
});
