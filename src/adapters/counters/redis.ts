/**
 * Counters that all processes share, in Redis; without it each process counts for itself.
 *
 * Invariants: a hit never fails and never waits longer than `deadlineMs`. While Redis is known to be unavailable,
 * no hit waits for it at all. If Redis loses data (FLUSHALL, a restart, eviction), a window starts afresh.
 *
 * All hits of one event loop iteration go in one script call: under load that is one command for many requests,
 * one timer and one write to the socket. The script uses the Redis server's clock, so that processes agree.
 */
import type { Redis, Result } from 'ioredis';
import { keepConnected } from '../../kernel/kept-connection.js';
import type { Counters, Window } from '../../ports/counters.js';
import { connectRedis } from '../redis/connect.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    inletCount(keyCount: number, ...keysWindowsAndTasks: (string | number)[]): Result<number[], Context>;
  }
}

/**
 * Returns for each key the hits in its window and when the window ends. The arguments are the window lengths, then the
 * tasks. The opening time is stored with a window, because a window that starts in the future is not open: after the
 * server's clock was set back it would lock a visitor out.
 */
const countScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answer = {}
for i, key in ipairs(KEYS) do
  local known = redis.call('HMGET', key, 'openedAt', 'windowMs')
  local openedAt, windowMs = tonumber(known[1]), tonumber(known[2])
  local isOpen = openedAt and windowMs and openedAt <= now and now < openedAt + windowMs
  local task = ARGV[#KEYS + i]
  if task == 'peek' then
    answer[2 * i - 1] = isOpen and tonumber(redis.call('HGET', key, 'count')) or 0
    answer[2 * i] = now
  elseif isOpen and task == 'hit' then
    answer[2 * i - 1] = redis.call('HINCRBY', key, 'count', 1)
    answer[2 * i] = openedAt + windowMs
  else
    windowMs = tonumber(ARGV[i])
    redis.call('HSET', key, 'count', 1, 'openedAt', string.format('%.0f', now), 'windowMs', ARGV[i])
    redis.call('PEXPIRE', key, ARGV[i])
    answer[2 * i - 1] = 1
    answer[2 * i] = now + windowMs
  end
end
return answer
`;

// Redis runs nothing else during a script. 256 keys take it less than a millisecond.
const maxHitsPerCall = 256;
/** Beyond this, the process counts locally: every hit queued for a slow Redis is a request that waits. */
const maxHitsWaiting = 10_000;

/** Any operation on a counter, not only a hit. */
interface Hit {
  readonly task: 'hit' | 'peek' | 'renew';
  readonly key: string;
  readonly windowMs: number;
  readonly resolve: (window: Window) => void;
}

export interface RedisCountersOptions {
  readonly url: string;
  /** Counts while Redis is unavailable. Closed together with this one. */
  readonly fallback: Counters;
  /** Called once per outage, also if Redis is unavailable at startup. The message contains no password. */
  readonly onDown: (reason: string) => void;
  /** Called once after each reported outage. */
  readonly onUp: () => void;
  readonly deadlineMs?: number;
  readonly prefix?: string;
}

export interface RedisCounters extends Counters {
  /** Whether hits are currently counted together with the other processes. */
  isShared(): boolean;
}

export function redisCounters(options: RedisCountersOptions): RedisCounters {
  const { url, fallback, onDown, onUp, deadlineMs = 150, prefix = 'inlet:' } = options;
  let gathered: Hit[] = [];
  /** Sent to Redis, without a response yet. */
  const sent = new Set<readonly Hit[]>();
  let waiting = 0;
  let isClosed = false;

  const countHere = async (hits: readonly Hit[]): Promise<void> => {
    for (const { task, key, windowMs, resolve } of hits) {
      resolve(
        task === 'peek'
          ? { count: await fallback.peek(key), resetsAt: 0 }
          : await fallback[task](key, windowMs),
      );
    }
  };

  /** Claims the hits of a call before they are resolved. Returns false if they were already claimed. */
  function take(hits: readonly Hit[]): boolean {
    if (!sent.delete(hits)) return false;
    waiting -= hits.length;
    return true;
  }

  const kept = keepConnected<Redis>({
    async open(attempt) {
      const redis = await connectRedis(url, attempt);
      redis.defineCommand('inletCount', { lua: countScript });
      // Checks also that it is writable and fast enough: a Redis that connects but responds late is not used.
      const startedAt = performance.now();
      await redis.inletCount(1, `${prefix}trial`, 1_000, 'hit');
      if (performance.now() - startedAt > deadlineMs)
        throw new Error(`it answers later than ${deadlineMs} ms`);
      return redis;
    },
    onUp(_redis, wasDown) {
      if (wasDown) onUp();
    },
    onDown(error) {
      onDown(error.message);
    },
  });

  function fail(redis: Redis, error: unknown): void {
    kept.lose(redis, error);
    for (const hits of [...sent]) if (take(hits)) void countHere(hits);
  }

  function send(redis: Redis, hits: readonly Hit[]): void {
    sent.add(hits);
    const keys = hits.map(({ key }) => prefix + key);
    const windows = hits.map(({ windowMs }) => windowMs);
    // After this process was paused, timers run before I/O: the response may have arrived and not been read yet.
    const limit = setTimeout(() => setImmediate(judge), deadlineMs);
    const judge = (): void => {
      if (sent.has(hits)) fail(redis, new Error(`no answer within ${deadlineMs} ms`));
    };
    const tasks = hits.map(({ task }) => task);
    redis.inletCount(keys.length, ...keys, ...windows, ...tasks).then(
      (answer) => {
        clearTimeout(limit);
        if (!take(hits)) return;
        for (const [i, { resolve }] of hits.entries())
          resolve({ count: answer[2 * i] as number, resetsAt: answer[2 * i + 1] as number });
      },
      (error: unknown) => {
        clearTimeout(limit);
        fail(redis, error);
      },
    );
  }

  function sendGathered(): void {
    const hits = gathered;
    gathered = [];
    const redis = kept.current;
    if (redis === null) {
      waiting -= hits.length;
      void countHere(hits);
      return;
    }
    for (let i = 0; i < hits.length; i += maxHitsPerCall) send(redis, hits.slice(i, i + maxHitsPerCall));
  }

  const isUsable = (): boolean => kept.current !== null && waiting < maxHitsWaiting;

  function gather(task: Hit['task'], key: string, windowMs: number): Promise<Window> {
    waiting += 1;
    return new Promise((resolve) => {
      if (gathered.push({ task, key, windowMs, resolve }) === 1) setImmediate(sendGathered);
    });
  }

  return {
    hit: (key, windowMs) => (isUsable() ? gather('hit', key, windowMs) : fallback.hit(key, windowMs)),
    peek: (key) => (isUsable() ? gather('peek', key, 0).then(({ count }) => count) : fallback.peek(key)),
    renew: (key, windowMs) => (isUsable() ? gather('renew', key, windowMs) : fallback.renew(key, windowMs)),

    isShared: () => kept.current !== null,

    async close() {
      if (isClosed) return;
      isClosed = true;
      kept.close();
      for (const hits of [...sent]) if (take(hits)) await countHere(hits);
      await fallback.close();
    },
  };
}
