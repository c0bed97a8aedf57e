import { expect, it } from 'vitest';
import { createPace, ownTurn } from './pace.js';

const busyFor = (ms: number): void => {
  const endsAt = performance.now() + ms;
  while (performance.now() < endsAt);
};

it('says when a piece is over, and lets other work run before the next', async () => {
  const pace = createPace();
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  busyFor(10);
  expect(pace.isOver()).toBe(true);
  expect(turns).toBe(0);
  await pace.rest();
  expect(turns).toBe(1);
});

it('gives many that rest, and one with a long thing to do, a turn of the loop each', async () => {
  let turn = 0;
  const counting = setImmediate(function count() {
    turn += 1;
    if (turn < 100) setImmediate(count);
  });
  const wokenIn = await Promise.all(
    Array.from({ length: 5 }, async (_, i) => {
      await (i % 2 ? ownTurn() : createPace().rest());
      return turn;
    }),
  );
  clearImmediate(counting);
  expect(new Set(wokenIn).size).toBe(5);
});
