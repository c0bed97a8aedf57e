import { describe, expect, it } from 'vitest';
import type { Timers } from './clock.js';
import { type Caller, FairSlots, type Room } from './fair-slots.js';

const small: Room = { slots: 1, maxWaiting: 100, maxPerNetwork: 100, maxPerSubject: 100, patienceMs: 1_000 };

function start(room: Partial<Room> = {}, pick: (below: number) => number = () => 0) {
  let now = 0;
  const timers = new Set<{ at: number; call: () => void }>();
  const after: Timers['after'] = (ms, call) => {
    const timer = { at: now + ms, call };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const slots = new FairSlots({ ...small, ...room }, { after }, pick);
  const served: string[] = [];
  const refused: string[] = [];
  const holding: (() => void)[] = [];
  return {
    served,
    refused,
    timers,
    /** `10.0.1.7` belongs to the network `10.0.1`. */
    async come(address: string, more: Partial<Caller> = {}): Promise<void> {
      const networks = [address.split('.').slice(0, 3).join('.'), address];
      const caller: Caller = { networks, subject: address, isKnown: false, delayMs: 0, ...more };
      void slots.enter(caller).then((free) => {
        if (free === null) refused.push(address);
        else {
          served.push(address);
          holding.push(free);
        }
      });
      await Promise.resolve();
    },
    async finish(count = 1): Promise<void> {
      for (let i = 0; i < count; i += 1) {
        holding.shift()?.();
        await Promise.resolve();
      }
    },
    async pass(ms: number): Promise<void> {
      now += ms;
      for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.call();
      await Promise.resolve();
    },
  };
}

describe('fair slots', () => {
  it('serve those who came first, as long as they are all alike', async () => {
    const { come, finish, served } = start();
    const crowd = Array.from({ length: 5 }, (_, i) => `10.0.${i}.1`);
    for (const address of crowd) await come(address);
    expect(served).toEqual(crowd.slice(0, 1));
    await finish(4);
    expect(served).toEqual(crowd);
  });

  it('serve the network first that was served least, then the narrower one inside it', async () => {
    const { come, finish, served } = start();
    for (let i = 0; i < 10; i += 1) await come('10.0.0.1');
    await come('10.0.9.1');
    await come('10.0.0.2');
    await finish(3);
    expect(served).toEqual(['10.0.0.1', '10.0.9.1', '10.0.0.2', '10.0.0.1']);
  });

  it('keep a flood from many addresses of one network behind everybody else', async () => {
    const { come, finish, served } = start();
    for (let i = 0; i < 50; i += 1) await come(`10.0.0.${i}`);
    const rest = ['10.0.1.1', '10.0.2.1', '10.0.3.1'];
    for (const address of rest) await come(address);
    await finish(3);
    expect(served.slice(1)).toEqual(rest);
  });

  it('let known callers and all others take turns', async () => {
    const { come, finish, served } = start();
    await come('10.0.0.1');
    for (let i = 1; i < 4; i += 1) await come(`10.0.${i}.1`);
    for (let i = 4; i < 7; i += 1) await come(`10.0.${i}.1`, { isKnown: true });
    await finish(6);
    expect(served).toEqual(['0', '4', '1', '5', '2', '6', '3'].map((i) => `10.0.${i}.1`));
  });

  it('give a full room to a caller from a less crowded network', async () => {
    const { come, refused } = start({ maxWaiting: 4 });
    await come('10.0.9.1');
    for (let i = 0; i < 4; i += 1) await come(`10.0.0.${i}`);
    await come('10.0.0.9');
    expect(refused).toEqual(['10.0.0.9']);
    await come('10.0.1.1');
    await come('10.0.2.1');
    expect(refused.slice(1)).toEqual(['10.0.0.3', '10.0.0.2']);
    // No network has more callers now than this one would have with the newcomer.
    await come('10.0.1.2');
    expect(refused.at(-1)).toBe('10.0.1.2');
  });

  it('bound what one network and one subject may hold, and share it out inside', async () => {
    const { come, refused } = start({ maxPerNetwork: 3, maxPerSubject: 2 });
    await come('10.0.9.1');
    for (let i = 0; i < 4; i += 1) await come('10.0.0.1', { subject: `${i}` });
    expect(refused).toEqual(['10.0.0.1']);
    await come('10.0.0.2', { subject: 'x' });
    expect(refused).toEqual(['10.0.0.1', '10.0.0.1']);

    await come('10.0.1.1', { subject: 'one' });
    await come('10.0.1.1', { subject: 'one' });
    await come('10.0.2.1', { subject: 'one' });
    expect(refused.slice(2)).toEqual(['10.0.1.1']);
    // All are equal now: any of them can be replaced, but not by a caller from a more crowded network.
    await come('10.0.3.1', { subject: 'one' });
    expect(refused.slice(3)).toEqual(['10.0.1.1']);
    await come('10.0.3.2', { subject: 'one' });
    expect(refused.slice(4)).toEqual(['10.0.3.2']);
    refused.pop();
    await come('10.0.4.1', { subject: 'one', isKnown: true });
    expect(refused).toHaveLength(4);
  });

  it('serve nobody before the delay, without holding a slot for it, and nobody who waited too long', async () => {
    const { come, finish, pass, served, refused, timers } = start();
    await come('10.0.0.1', { delayMs: 500 });
    await come('10.0.1.1');
    expect(served).toEqual(['10.0.1.1']);
    await come('10.0.2.1');
    await pass(500);
    expect(served).toHaveLength(1);
    await finish();
    expect(served.at(-1)).toBe('10.0.0.1');
    await pass(500);
    expect(refused).toEqual(['10.0.2.1']);
    await finish();
    expect(timers.size).toBe(0);
  });

  it('give everybody the same chance at a subject that a flood from many networks keeps full', async () => {
    let last = 0;
    const pick = (below: number): number => {
      last = (last * 16_807 + 12_345) % 2_147_483_647;
      return last % below;
    };
    const { come, pass, finish, served, refused, timers } = start(
      { slots: 1_000, maxWaiting: 1_000, maxPerSubject: 10, patienceMs: 60_000 },
      pick,
    );
    let owners = 0;
    // 100 callers arrive in the five seconds in which ten places become free. Every seventh is the owner.
    for (let i = 0; i < 5_000; i += 1) {
      const address = i % 7 === 6 ? `203.0.${i}.1` : `10.0.${i}.1`;
      if (address.startsWith('203')) owners += 1;
      await come(address, { subject: 'one', delayMs: 5_000 });
      await pass(50);
    }
    await pass(5_000);
    const lucky = served.filter((address) => address.startsWith('203')).length;
    expect(served.length).toBeLessThanOrEqual(5_000 / 10 + 10);
    // A tenth of the owners get in, as of all callers.
    expect(lucky / owners).toBeGreaterThan(0.07);
    expect(served.length + refused.length).toBe(5_000);
    await finish(served.length);
    expect(timers.size).toBe(0);
  });

  it('take every caller while a slot is free, however many sleep', async () => {
    const { come, served, refused } = start({ maxWaiting: 1 });
    await come('10.0.0.1', { delayMs: 500 });
    await come('10.0.1.1', { delayMs: 500 });
    expect(refused).toEqual(['10.0.1.1']);
    await come('10.0.2.1');
    expect(served).toEqual(['10.0.2.1']);
  });
});
