import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forEachConcurrently, Locks, Mutex, Slots } from './concurrency.js';

describe('Mutex', () => {
  it('lets one in at a time, in the order they came, however long each stays', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 8 }), async (stays) => {
        const mutex = new Mutex();
        const entered: number[] = [];
        let inside = 0;
        await Promise.all(
          stays.map(async (locks, index) => {
            const release = await mutex.acquire();
            inside += 1;
            expect(inside).toBe(1);
            entered.push(index);
            for (let turn = 0; turn < locks; turn += 1) await nextTurn();
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

describe('Locks', () => {
  it('does work on one key one after the other, also after one that failed', async () => {
    const locks = new Locks();
    const order: string[] = [];
    const work = (name: string, fails: boolean) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
    };
    const settled = await Promise.allSettled([
      locks.take('k', work('first', true)),
      locks.take('k', work('second', false)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  it('lets work on different keys run at once', async () => {
    const locks = new Locks();
    let release = (): void => {};
    const held = locks.take('a', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await locks.take('b', async () => 'done')).toBe('done');
    release();
    await held;
  });
});

const upTo = (maxPerKey: number) => ({ max: Number.POSITIVE_INFINITY, maxPerKey });

describe('Slots that one may wait for', () => {
  it('lets those who wait in, first come first served, and passes over whose share is used up', async () => {
    const slots = new Slots(2, 1, upTo(10));
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
    const slots = new Slots(1, 1, { max: 1, maxPerKey: 10 });
    slots.take('a');
    const early = slots.wait('b', 1);
    expect(await slots.wait('c', 60_000)).toBeNull();
    expect(await early).toBeNull();
  });

  it('leaves room in the queue for others when one key fills its part of it', async () => {
    const slots = new Slots(1, 1, { max: 10, maxPerKey: 3 });
    const free = slots.take('busy');
    const greedy = Array.from({ length: 20 }, () => slots.wait('greedy', 60_000));
    const other = slots.wait('other', 60_000);
    free?.();
    (await greedy[0])?.();
    expect(await other).not.toBeNull();
    expect(await Promise.all(greedy.slice(3))).toEqual(Array(17).fill(null));
    (await other)?.();
    for (const waited of greedy.slice(1, 3)) (await waited)?.();
  });
});

/** Work that records its start and ends on demand. */
function worksite() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, work, endNext };
}

describe('Work in slots', () => {
  it('does one piece of a key at a time, and so many of all', async () => {
    const { begun, work, endNext } = worksite();
    const slots = new Slots(2, 1, upTo(10));
    const all = ['a', 'a', 'b', 'c'].map((key, i) => slots.run(key, 60_000, work(`${key}${i}`)));
    expect(begun).toEqual(['a0', 'b2']);
    for (let i = 0; i < all.length; i += 1) await endNext();
    expect(begun.sort()).toEqual(['a0', 'a1', 'b2', 'c3']);
    expect(await Promise.all(all)).toEqual(['a0', 'a1', 'b2', 'c3'].map((value) => ({ value })));
  });

  it('lets the keys take turns: one that asks without end delays another by one piece', async () => {
    const { begun, work, endNext } = worksite();
    const slots = new Slots(1, 1, upTo(10));
    const greedy = Array.from({ length: 5 }, (_, i) => slots.run('greedy', 60_000, work(`greedy${i}`)));
    const other = [slots.run('other', 60_000, work('other0')), slots.run('other', 60_000, work('other1'))];
    for (let i = 0; i < 7; i += 1) await endNext();
    expect(begun).toEqual(['greedy0', 'greedy1', 'other0', 'greedy2', 'other1', 'greedy3', 'greedy4']);
    await Promise.all([...greedy, ...other]);
  });

  it('bounds how many of a key wait, and for how long', async () => {
    const { work, endNext } = worksite();
    const slots = new Slots(1, 1, upTo(1));
    const first = slots.run('a', 60_000, work('first'));
    const late = slots.run('a', 20, work('late'));
    expect(await slots.run('a', 60_000, work('too many'))).toBeNull();
    expect(await late).toBeNull();
    await endNext();
    expect(await first).toEqual({ value: 'first' });
  });

  it('goes on after work that failed', async () => {
    const slots = new Slots(1, 1, upTo(1));
    await expect(slots.run('a', 60_000, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run('a', 60_000, async () => 1)).toEqual({ value: 1 });
  });
});

describe('forEachConcurrently', () => {
  it('works on all items, on so many at once and no more', async () => {
    const done: number[] = [];
    let working = 0;
    let most = 0;
    await forEachConcurrently([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      working += 1;
      most = Math.max(most, working);
      await nextTurn();
      working -= 1;
      done.push(item);
    });
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('begins nothing after a failure, and rejects with the first once the others have ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = async (item: number): Promise<void> => {
      begun.push(item);
      if (item === 2) throw new Error('first');
      await nextTurn();
      ended.push(item);
      if (item === 3) throw new Error('second');
    };
    await expect(forEachConcurrently([1, 2, 3, 4, 5], 3, work)).rejects.toThrow('first');
    expect({ begun, ended }).toEqual({ begun: [1, 2, 3], ended: [1, 3] });
  });
});
