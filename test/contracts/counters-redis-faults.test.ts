/** Redis may be unavailable, slow, empty or failing: every hit is counted at once, and Redis is used again when possible. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryCounters } from '../../src/adapters/counters/memory.js';
import { type RedisCounters, redisCounters } from '../../src/adapters/counters/redis.js';
import { type RedisServer, startRedis } from '../support/services/redis.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const minute = 60_000;
/** Only a hang can reach this deadline, for tests that are not about slowness. */
const patient = 20_000;
const recovery = { interval: 20 };

let server: RedisServer;
let proxy: TcpProxy;
let open: RedisCounters[];

beforeEach(async () => {
  server = await startRedis();
  proxy = await startTcpProxy({ port: server.port });
  open = [];
});
afterEach(async () => {
  for (const counters of open) await counters.close();
  await proxy.dispose();
  await server.dispose();
});

function start(url = server.url, deadlineMs?: number) {
  const told: string[] = [];
  const counters = redisCounters({
    url,
    fallback: memoryCounters({ now: Date.now }),
    onDown: (reason) => told.push(`down: ${reason}`),
    onUp: () => told.push('up'),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  open.push(counters);
  return {
    counters,
    told,
    isShared: () => counters.isShared(),
    count: async (key: string) => (await counters.hit(key, minute)).count,
  };
}

const up = (side: { isShared: () => boolean }) => expect.poll(side.isShared, recovery).toBe(true);

it('starts without Redis, counts by itself, says so once, and shares as soon as Redis is there', async () => {
  await server.stop();
  const side = start(server.url, patient);
  expect(await side.count('visitor')).toBe(1);
  expect(await side.count('visitor')).toBe(2);
  await expect.poll(() => side.told.length, recovery).toBe(1);
  expect(side.told[0]).toContain('ECONNREFUSED');
  await server.start();
  await up(side);
  expect(await side.count('visitor')).toBe(1);
  expect(side.told).toEqual([side.told[0], 'up']);
});

it('answers every hit while Redis is killed and started again under load', async () => {
  const side = start(server.url, patient);
  await up(side);
  const counts: number[] = [];
  const load = async (): Promise<void> => {
    while (!side.told.includes('up')) {
      counts.push(...(await Promise.all(Array.from({ length: 20 }, () => side.count('visitor')))));
      await new Promise(setImmediate);
    }
  };
  const loading = load();
  await server.stop('kill');
  await expect.poll(() => side.told.length, recovery).toBe(1);
  expect(side.counters.hit('at once', minute)).not.toBeInstanceOf(Promise);
  await server.start();
  await expect.poll(() => side.told.length, recovery).toBe(2);
  await loading;
  expect(side.told).toEqual([expect.stringMatching(/^down: /), 'up']);
  expect(counts.every((count) => count >= 1)).toBe(true);
});

it('is right after FLUSHALL and after its script was forgotten', async () => {
  const side = start(server.url, patient);
  await up(side);
  expect(await side.count('visitor')).toBe(1);
  expect(await side.count('visitor')).toBe(2);
  const admin = new Redis(server.url);
  await admin.flushall();
  await admin.script('FLUSH');
  admin.disconnect();
  expect(await side.count('visitor')).toBe(1);
  expect(await side.count('visitor')).toBe(2);
  expect(side.told).toEqual([]);
});

it('waits once for a Redis that hangs, then not at all, and uses it again when it responds', async () => {
  const side = start();
  await up(side);
  server.pause();
  const counts = await Promise.all(Array.from({ length: 1_000 }, () => side.count('visitor')));
  expect(counts.sort((a, b) => a - b)).toEqual(counts.map((_, i) => i + 1));
  expect(side.told).toEqual([expect.stringContaining('no answer within 150 ms')]);
  for (let i = 0; i < 1_000; i += 1) expect(side.counters.hit('visitor', minute)).not.toBeInstanceOf(Promise);
  server.resume();
  await up(side);
  expect(side.told.slice(1)).toEqual(['up']);
});

it('leaves a Redis alone that responds too late, without going back and forth', async () => {
  proxy.latency(150);
  const side = start(`redis://127.0.0.1:${proxy.port}/0`);
  await expect.poll(() => side.told, recovery).toEqual([expect.stringContaining('later than 150 ms')]);
  const before = proxy.accepted;
  await expect.poll(() => proxy.accepted, recovery).toBeGreaterThan(before);
  expect(side.isShared()).toBe(false);
  expect(side.told).toHaveLength(1);
  proxy.latency(0);
  await up(side);
});

it('notices a connection that is only half there with the first hit', async () => {
  const side = start(`redis://127.0.0.1:${proxy.port}/0`);
  await up(side);
  proxy.halfOpen();
  expect(await side.count('visitor')).toBe(1);
  await up(side);
  expect(side.told).toEqual([expect.stringContaining('no answer'), 'up']);
});

it('counts by itself with a wrong password, and does not tell it', async () => {
  const guarded = await startRedis(['--requirepass', 'right-password']);
  try {
    const side = start(`redis://:wrong-password@127.0.0.1:${guarded.port}/0`);
    await expect.poll(() => side.told.length, recovery).toBe(1);
    expect(side.told[0]).toContain('WRONGPASS');
    expect(side.told[0]).not.toContain('wrong-password');
    expect(await side.count('visitor')).toBe(1);
    const right = start(`redis://:right-password@127.0.0.1:${guarded.port}/0`);
    await up(right);
  } finally {
    await guarded.dispose();
  }
});

it('counts by itself while Redis refuses to write', async () => {
  const admin = new Redis(server.url);
  try {
    const side = start(server.url, patient);
    await up(side);
    await admin.config('SET', 'maxmemory', '1');
    expect(await side.count('visitor')).toBe(1);
    expect(side.told).toEqual([expect.stringContaining('OOM')]);
    await admin.config('SET', 'maxmemory', '0');
    await up(side);
  } finally {
    admin.disconnect();
  }
});

it('answers what is under way when it is closed', async () => {
  const side = start();
  await up(side);
  server.pause();
  const hits = Array.from({ length: 10 }, () => side.count('visitor'));
  await new Promise(setImmediate);
  await side.counters.close();
  expect((await Promise.all(hits)).length).toBe(10);
});
