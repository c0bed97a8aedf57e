import { expect, it } from 'vitest';
import { FairTurns } from './fair-turns.js';

/** Work that ends when it is told to, and notes its beginning. */
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

it('does one piece of a key at a time, and so many of all', async () => {
  const { begun, work, endNext } = worksite();
  const turns = new FairTurns(2, 10, 60_000);
  const all = ['a', 'a', 'b', 'c'].map((key, i) => turns.run(key, work(`${key}${i}`)));
  expect(begun).toEqual(['a0', 'b2']);
  for (let i = 0; i < all.length; i += 1) await endNext();
  expect(begun.sort()).toEqual(['a0', 'a1', 'b2', 'c3']);
  expect(await Promise.all(all)).toEqual(['a0', 'a1', 'b2', 'c3'].map((value) => ({ value })));
});

it('lets the keys take turns: one that asks without end delays another by one piece', async () => {
  const { begun, work, endNext } = worksite();
  const turns = new FairTurns(1, 10, 60_000);
  const greedy = Array.from({ length: 5 }, (_, i) => turns.run('greedy', work(`greedy${i}`)));
  const other = [turns.run('other', work('other0')), turns.run('other', work('other1'))];
  for (let i = 0; i < 7; i += 1) await endNext();
  expect(begun).toEqual(['greedy0', 'greedy1', 'other0', 'greedy2', 'other1', 'greedy3', 'greedy4']);
  await Promise.all([...greedy, ...other]);
});

it('bounds how many of a key wait, and for how long', async () => {
  const { work, endNext } = worksite();
  const turns = new FairTurns(1, 1, 20);
  const first = turns.run('a', work('first'));
  const late = turns.run('a', work('late'));
  expect(await turns.run('a', work('too many'))).toBeNull();
  expect(await late).toBeNull();
  await endNext();
  expect(await first).toEqual({ value: 'first' });
});

it('goes on after work that failed', async () => {
  const turns = new FairTurns(1, 1, 60_000);
  await expect(turns.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.run('a', async () => 1)).toEqual({ value: 1 });
});
