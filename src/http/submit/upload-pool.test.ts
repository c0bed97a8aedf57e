import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { networksAround } from '../../kernel/addresses.js';
import { UploadPool, uploadPoolDefaults } from './upload-pool.js';

const fast = 1024 * 1024;

/** An upload from an address at a steady rate, on the virtual clock. If evicted, it leaves at once unless it lingers. */
function begin(pool: UploadPool, address: string, bytesPerSecond: number) {
  const beganAt = performance.now();
  const upload = {
    isIn: false,
    isRefused: false,
    isEvicted: false,
    rate: bytesPerSecond,
    isOurTurn: false,
    lingers: false,
  };
  const leave = (): void => {
    upload.isIn = false;
    place.leave();
  };
  const place = pool.enter(networksAround(address), {
    progress() {
      const clientMs = upload.isOurTurn ? 0 : performance.now() - beganAt;
      return { bytes: (upload.rate * clientMs) / 1000, clientMs };
    },
    evict() {
      upload.isEvicted = true;
      if (!upload.lingers) leave();
    },
  });
  const settle = (hasEntered: boolean): void => {
    upload.isIn = hasEntered;
    upload.isRefused = !hasEntered;
  };
  if (typeof place.entered === 'boolean') settle(place.entered);
  else void place.entered.then(settle);
  return Object.assign(upload, { leave });
}

const crowd = (pool: UploadPool, networks: number, each: number, rate: number) =>
  Array.from({ length: networks * each }, (_, i) => begin(pool, `198.18.${i % networks}.1`, rate));

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** Fills every place, each from another network. */
function fullOf(pool: UploadPool, rate: number) {
  const uploads = crowd(pool, 256, 1, rate);
  expect(uploads.every(({ isIn }) => isIn)).toBe(true);
  return uploads;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  // A request that no longer waits leaves no timer behind.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('UploadPool', () => {
  it('lets a slow upload take its time while nobody waits', async () => {
    const pool = new UploadPool();
    const [slow] = crowd(pool, 1, 1, 1_000);
    await pass(15 * 60_000);
    expect(slow).toMatchObject({ isIn: true, isEvicted: false });
  });

  it('evicts slow uploads, as many as wait, and lets those in', async () => {
    const pool = new UploadPool();
    const slow = fullOf(pool, 1_000);
    const honest = Array.from({ length: 40 }, (_, i) => begin(pool, `203.0.${i}.1`, fast));
    expect([pool.uploading, pool.waiting]).toEqual([256, 40]);
    await pass(uploadPoolDefaults.stretchMs - 1);
    expect(slow.some(({ isEvicted }) => isEvicted)).toBe(false);
    await pass(1_000);
    expect(honest.every(({ isIn }) => isIn)).toBe(true);
    expect(slow.filter(({ isEvicted }) => isEvicted)).toHaveLength(40);
    expect([pool.uploading, pool.waiting]).toEqual([256, 0]);
  });

  it('judges by the time in which others wait: what was slow before may be fast now', async () => {
    const pool = new UploadPool();
    const uploads = fullOf(pool, 0);
    await pass(60_000);
    for (const upload of uploads) upload.rate = fast;
    const late = begin(pool, '203.0.113.1', fast);
    await pass(uploadPoolDefaults.maxWaitMs);
    expect(late.isRefused).toBe(true);
    expect(uploads.some(({ isEvicted }) => isEvicted)).toBe(false);
  });

  it('never evicts fast uploads, nor one that waits for our disk: who waits too long is refused', async () => {
    const pool = new UploadPool();
    const uploads = fullOf(pool, fast);
    for (const upload of uploads.slice(0, 100)) upload.isOurTurn = true;
    const late = begin(pool, '203.0.113.1', fast);
    await pass(uploadPoolDefaults.maxWaitMs - 1);
    expect(late.isRefused).toBe(false);
    await pass(1);
    expect(late.isRefused).toBe(true);
    expect(uploads.some(({ isEvicted }) => isEvicted)).toBe(false);
  });

  it('evicts the slowest first', async () => {
    const pool = new UploadPool();
    const uploads = fullOf(pool, 20_000);
    for (const [index, upload] of uploads.entries()) if ([7, 70, 170].includes(index)) upload.rate = index;
    const honest = [1, 2, 3].map((n) => begin(pool, `203.0.${n}.1`, fast));
    await pass(uploadPoolDefaults.stretchMs + 500);
    expect(honest.every(({ isIn }) => isIn)).toBe(true);
    expect(uploads.flatMap(({ isEvicted }, index) => (isEvicted ? [index] : []))).toEqual([7, 70, 170]);
  });

  it('evicts from the network that holds most, before a slower upload of anybody else', async () => {
    const pool = new UploadPool();
    const heavy = crowd(pool, 1, 20, 30_000);
    const others = Array.from({ length: 236 }, (_, i) => begin(pool, `198.19.${i}.1`, 10));
    expect(pool.uploading).toBe(256);
    const honest = Array.from({ length: 10 }, (_, i) => begin(pool, `203.0.${i}.1`, fast));
    await pass(uploadPoolDefaults.stretchMs + 500);
    expect(honest.every(({ isIn }) => isIn)).toBe(true);
    expect(heavy.filter(({ isEvicted }) => isEvicted)).toHaveLength(10);
    expect(others.some(({ isEvicted }) => isEvicted)).toBe(false);
  });

  it('takes no place from a network for one that holds as much', async () => {
    const pool = new UploadPool();
    const slow = fullOf(pool, 1_000);
    // Each of these networks has one fast upload already: its second one evicts no other.
    for (const upload of slow.slice(0, 50)) upload.rate = fast;
    const second = Array.from({ length: 50 }, (_, i) => begin(pool, `198.18.${i}.2`, fast));
    await pass(uploadPoolDefaults.maxWaitMs);
    expect(second.every(({ isRefused }) => isRefused)).toBe(true);
    expect(slow.some(({ isEvicted }) => isEvicted)).toBe(false);
  });

  it('lets a network exchange its own slow uploads when it has reached its limit', async () => {
    const pool = new UploadPool();
    const mine = crowd(pool, 1, 32, 1_000);
    const other = begin(pool, '203.0.113.1', 10);
    const waiting = begin(pool, '198.18.0.1', fast);
    await pass(uploadPoolDefaults.stretchMs + 500);
    expect(waiting.isIn).toBe(true);
    expect(mine.filter(({ isEvicted }) => isEvicted)).toHaveLength(1);
    expect(other.isEvicted).toBe(false);
  });

  it('evicts nobody while places are free, for a network that holds too many for what is left', async () => {
    const pool = new UploadPool();
    const campus = Array.from({ length: 30 }, () => begin(pool, '192.0.2.1', 1_000));
    const others = crowd(pool, 126, 1, 1_000);
    const many = Array.from({ length: 25 }, () => begin(pool, '203.0.113.1', fast));
    expect(many.filter(({ isIn }) => isIn)).toHaveLength(20);
    expect([pool.uploading, pool.waiting]).toEqual([176, 5]);
    await pass(uploadPoolDefaults.maxWaitMs);
    expect([...campus, ...others].some(({ isEvicted }) => isEvicted)).toBe(false);
    expect(many.filter(({ isRefused }) => isRefused)).toHaveLength(5);
  });

  it('evicts nobody whose place would not let in the one who waits, also of the same network', async () => {
    const pool = new UploadPool();
    const mine = Array.from({ length: 32 }, () => begin(pool, '192.0.2.1', 1_000));
    crowd(pool, 120, 1, 1_000);
    const waiting = begin(pool, '192.0.2.1', fast);
    await pass(uploadPoolDefaults.maxWaitMs);
    expect(waiting.isRefused).toBe(true);
    expect(mine.some(({ isEvicted }) => isEvicted)).toBe(false);
  });

  it('evicts one upload for a network that holds nothing, however many of it wait', async () => {
    const pool = new UploadPool();
    const slow = fullOf(pool, 1_000);
    for (const upload of slow) upload.lingers = true;
    const newcomers = Array.from({ length: 20 }, () => begin(pool, '203.0.113.1', fast));
    await pass(uploadPoolDefaults.stretchMs + 2_000);
    const evicted = slow.filter(({ isEvicted }) => isEvicted);
    expect(evicted).toHaveLength(1);
    for (const upload of evicted) upload.leave();
    await pass(uploadPoolDefaults.maxWaitMs);
    expect(newcomers.filter(({ isRefused }) => isRefused)).toHaveLength(19);
    expect(slow.filter(({ isEvicted }) => isEvicted)).toHaveLength(1);
  });

  it('looks at few of those who wait when a place becomes free', async () => {
    const pool = new UploadPool();
    let looks = 0;
    class Networks extends Array<string> {
      override [Symbol.iterator]() {
        looks += 1;
        return super[Symbol.iterator]();
      }
    }
    const body = { progress: () => null, evict: () => {} };
    const uploads = Array.from({ length: 1_156 }, (_, i) =>
      pool.enter(Networks.from(networksAround(`10.${i >> 8}.${i & 255}.1`)), body),
    );
    expect([pool.uploading, pool.waiting]).toEqual([256, 900]);
    looks = 0;
    for (const upload of uploads.slice(0, 100)) upload.leave();
    expect([pool.uploading, pool.waiting]).toEqual([256, 800]);
    expect(looks).toBeLessThan(3_000);
    await pass(uploadPoolDefaults.maxWaitMs);
  });

  it.each([8, 16])('keeps places for newcomers while %i networks ask for 32 each', async (networks) => {
    const pool = new UploadPool();
    crowd(pool, networks, 32, 1_000);
    const honest = Array.from({ length: 10 }, (_, i) => begin(pool, `203.0.${i}.1`, fast));
    expect(honest.every(({ isIn }) => isIn)).toBe(true);
    await pass(uploadPoolDefaults.maxWaitMs * 60);
  });

  it('counts the /64s of one /48 together', async () => {
    const pool = new UploadPool();
    const many = Array.from({ length: 300 }, (_, i) => begin(pool, `2001:db8:1:${i.toString(16)}::1`, fast));
    expect(many.filter(({ isIn }) => isIn)).toHaveLength(uploadPoolDefaults.places.wide);
    expect(begin(pool, '2001:db8:2::1', fast).isIn).toBe(true);
    await pass(uploadPoolDefaults.maxWaitMs);
  });

  it('lets the next one in from the network that holds least, not the one who came first', async () => {
    const pool = new UploadPool();
    const uploads = fullOf(pool, fast);
    const second = begin(pool, '198.18.5.1', fast);
    const newcomer = begin(pool, '203.0.113.1', fast);
    uploads[100]?.leave();
    await pass(0);
    expect([second.isIn, newcomer.isIn]).toEqual([false, true]);
    for (const upload of uploads.slice(101, 106)) upload.leave();
    await pass(0);
    expect(second.isIn).toBe(true);
  });

  it('leaves room in the queue when one network fills its part of it', async () => {
    const pool = new UploadPool();
    fullOf(pool, fast);
    const flood = Array.from({ length: 2_000 }, (_, i) => begin(pool, `198.18.0.${i % 250}`, fast));
    expect(flood.filter(({ isRefused }) => isRefused)).toHaveLength(2_000 - uploadPoolDefaults.queue.wide);
    expect(begin(pool, '203.0.113.1', fast).isRefused).toBe(false);
    await pass(uploadPoolDefaults.maxWaitMs);
  });

  it('forgets who gives up waiting, and counts a place once however often it is left', async () => {
    const pool = new UploadPool();
    const uploads = fullOf(pool, fast);
    const impatient = begin(pool, '203.0.113.1', fast);
    impatient.leave();
    uploads[0]?.leave();
    uploads[0]?.leave();
    await pass(0);
    expect([impatient.isIn, pool.uploading, pool.waiting]).toEqual([false, 255, 0]);
    for (const upload of uploads) upload.leave();
    expect(pool.uploading).toBe(0);
  });
});
