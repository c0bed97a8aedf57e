import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryCounters } from '../../src/adapters/counters/memory.js';
import { type RedisCounters, redisCounters } from '../../src/adapters/counters/redis.js';
import type { Window } from '../../src/ports/counters.js';
import { type RedisServer, startRedis } from '../support/services/redis.js';
import { countersContract } from './counters.js';

const minute = 60_000;

// Not shared, because its clock must be this machine's.
let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.dispose());

/** The clock of a running Redis cannot be moved forward, so its windows are moved back instead. */
const moveWindows = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, key in ipairs(redis.call('KEYS', '*')) do
  local openedAt = redis.call('HINCRBY', key, 'openedAt', -tonumber(ARGV[1]))
  local left = openedAt + redis.call('HGET', key, 'windowMs') - now
  if left > 0 then redis.call('PEXPIRE', key, string.format('%.0f', left)) else redis.call('DEL', key) end
end
`;

async function start(): Promise<RedisCounters> {
  const counters = redisCounters({
    url: server.url,
    fallback: memoryCounters({ now: Date.now }),
    // Only a hang can reach it: this is about what Redis counts.
    deadlineMs: 20_000,
    onDown(reason) {
      throw new Error(reason);
    },
    onUp() {},
  });
  await expect.poll(() => counters.isShared()).toBe(true);
  return counters;
}

countersContract('Redis', async () => {
  const admin = new Redis(server.url);
  await admin.flushall();
  const counters = await start();
  let movedMs = 0;
  const moved = async (window: Window | Promise<Window>): Promise<Window> => {
    const { count, resetsAt } = await window;
    return { count, resetsAt: resetsAt + movedMs };
  };
  return {
    counters: {
      ...counters,
      hit: (key, windowMs) => moved(counters.hit(key, windowMs)),
      renew: (key, windowMs) => moved(counters.renew(key, windowMs)),
    },
    now: () => Date.now() + movedMs,
    async advance(ms) {
      movedMs += ms;
      await admin.eval(moveWindows, 0, ms);
    },
    async dispose() {
      await counters.close();
      admin.disconnect();
    },
  };
});

it('counts the hits of two processes together', async () => {
  const [first, second] = [await start(), await start()];
  try {
    const hits = Array.from({ length: 600 }, (_, i) => (i % 2 ? first : second).hit('together', minute));
    const windows = await Promise.all(hits);
    expect(windows.map(({ count }) => count).sort((a, b) => a - b)).toEqual(hits.map((_, i) => i + 1));
    expect(new Set(windows.map(({ resetsAt }) => resetsAt)).size).toBe(1);
  } finally {
    await first.close();
    await second.close();
  }
});

it('keeps its keys under one name, and each until its window ends', async () => {
  const admin = new Redis(server.url);
  const counters = await start();
  try {
    await counters.hit('named', minute);
    expect(await admin.keys('*named')).toEqual(['inlet:named']);
    const left = await admin.pttl('inlet:named');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(minute);
  } finally {
    await counters.close();
    admin.disconnect();
  }
});

it('opens a fresh window after the clock of the server was set back', async () => {
  const admin = new Redis(server.url);
  const counters = await start();
  try {
    await counters.hit('future', minute);
    await admin.hincrby('inlet:future', 'openedAt', 10 * minute);
    const { count, resetsAt } = await counters.hit('future', minute);
    expect(count).toBe(1);
    expect(resetsAt).toBeLessThanOrEqual(Date.now() + minute);
  } finally {
    await counters.close();
    admin.disconnect();
  }
});
