import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { holding } from './finding.js';

afterEach(() => void vi.useRealTimers());

it('others work while one row is looked through that takes long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await nextTurn();
      turns += 1;
    }
  })();
  const row = { ref: '1', formId: null, submissionId: null, createdAt: null, texts: [] };
  const found = await holding([row], {
    key: null,
    isInText: () => false,
    *lookIn() {
      for (let step = 0; step < 160; step += 1) {
        vi.advanceTimersByTime(1);
        yield;
      }
      return true;
    },
  });
  isOver = true;
  await others;
  expect(found).toEqual([row]);
  expect(turns).toBeGreaterThanOrEqual(10);
});
