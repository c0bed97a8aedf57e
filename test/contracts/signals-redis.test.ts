import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { redisTransport } from '../../src/adapters/signals/redis.js';
import { newRedisDatabase, type RedisServer, startRedis } from '../support/services/redis.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import {
  expectCarried,
  hearing,
  isUp,
  recovery,
  type Side,
  signalsBetweenContract,
  startSide,
} from './signals-between.js';

const through = (url: string): Side => startSide((news) => redisTransport({ url, ...news }));

signalsBetweenContract('Redis', async () => {
  const { url } = await newRedisDatabase(inject('services').redisUrl);
  const [first, second] = [through(url), through(url)];
  return {
    first,
    second,
    async dispose() {
      await first.signals.close();
      await second.signals.close();
    },
  };
});

it('keeps instances apart that use two databases of one Redis', async () => {
  const { redisUrl } = inject('services');
  const [first, second] = [await newRedisDatabase(redisUrl), await newRedisDatabase(redisUrl)];
  const sides = [through(first.url), through(first.url), through(second.url)] as const;
  try {
    await Promise.all(sides.map(isUp));
    const elsewhere = hearing(sides[2], 'deliveries-ready');
    await expectCarried(sides[0], sides[1]);
    expect(elsewhere.filter(({ lanes }) => lanes.length > 0)).toEqual([]);
  } finally {
    for (const side of sides) await side.signals.close();
  }
});

interface Faulty {
  readonly server: RedisServer;
  readonly proxy: TcpProxy;
  readonly sides: readonly [Side, Side];
}

/** Two processes, the first behind a network that can break. */
async function withFaults(work: (parts: Faulty) => Promise<void>, isThere = true): Promise<void> {
  const server = await startRedis();
  const proxy = await startTcpProxy({ port: server.port });
  if (!isThere) await server.stop();
  const sides = [through(`redis://127.0.0.1:${proxy.port}/0`), through(server.url)] as const;
  try {
    if (isThere) await Promise.all(sides.map(isUp));
    await work({ server, proxy, sides });
  } finally {
    for (const side of sides) await side.signals.close();
    await proxy.dispose();
    await server.dispose();
  }
}

const carriesBothWays = async ([first, second]: readonly [Side, Side]): Promise<void> => {
  await expectCarried(first, second);
  await expectCarried(second, first);
};

const worksAlone = async (side: Side): Promise<void> => {
  const heard = hearing(side, 'files-changed');
  side.signals.publish({ kind: 'files-changed' });
  await expect.poll(() => heard.length, recovery).toBe(1);
};

describe('signals through a Redis that fails', () => {
  it('starts without it, works within the process, and is joined when it comes', () =>
    withFaults(async ({ server, sides }) => {
      await worksAlone(sides[1]);
      await expect.poll(() => sides[1].told.length, recovery).toBe(1);
      await server.start();
      await Promise.all(sides.map(isUp));
      await carriesBothWays(sides);
      expect(sides[1].told).toEqual([expect.stringContaining('ECONNREFUSED'), 'up']);
    }, false));

  it('is joined again after Redis was killed and started, and lets everybody look what happened', () =>
    withFaults(async ({ server, sides }) => {
      await carriesBothWays(sides);
      await server.stop('kill');
      await expect.poll(() => sides[1].transport.isUp(), recovery).toBe(false);
      await worksAlone(sides[1]);
      const kinds = ['intake-changed', 'deliveries-ready', 'files-changed'] as const;
      const heard = kinds.map((kind) => hearing(sides[1], kind));
      await server.start();
      for (const list of heard) await expect.poll(() => list.length, recovery).toBeGreaterThan(0);
      expect(heard[1]?.[0]).toEqual({ kind: 'deliveries-ready', lanes: [] });
      await Promise.all(sides.map(isUp));
      await carriesBothWays(sides);
      expect(sides[1].told).toEqual([expect.stringMatching(/^down: /), 'up']);
    }));

  it('is not disturbed by FLUSHALL', () =>
    withFaults(async ({ server, sides }) => {
      const admin = new Redis(server.url);
      await admin.flushall();
      admin.disconnect();
      await carriesBothWays(sides);
      expect(sides.map(({ told }) => told)).toEqual([[], []]);
    }));

  it('gives up a Redis that hangs, and is joined again when it responds', () =>
    withFaults(async ({ server, sides }) => {
      server.pause();
      await expect.poll(() => sides[1].transport.isUp(), recovery).toBe(false);
      await worksAlone(sides[1]);
      server.resume();
      await Promise.all(sides.map(isUp));
      await carriesBothWays(sides);
    }));

  it('notices that a connection is only half there, and opens another', () =>
    withFaults(async ({ proxy, sides }) => {
      await carriesBothWays(sides);
      proxy.halfOpen();
      await expect
        .poll(() => sides[0].told, recovery)
        .toEqual([expect.stringContaining('no message came back')]);
      await isUp(sides[0]);
      await carriesBothWays(sides);
    }));

  it('goes on alone with a wrong password, and does not tell it', async () => {
    const server = await startRedis(['--requirepass', 'right-password']);
    const side = through(`redis://:wrong-password@127.0.0.1:${server.port}/0`);
    try {
      await expect.poll(() => side.told.length, recovery).toBe(1);
      expect(side.told[0]).toContain('WRONGPASS');
      expect(side.told[0]).not.toContain('wrong-password');
      await worksAlone(side);
    } finally {
      await side.signals.close();
      await server.dispose();
    }
  });

  it('ignores what others say on its channel', () =>
    withFaults(async ({ server, sides }) => {
      const admin = new Redis(server.url);
      const heard = hearing(sides[0], 'intake-changed');
      const before = heard.length;
      for (const junk of ['hello', '{"from":"an outsider","signals":[{"kind":"delete-everything"}]}'])
        expect(await admin.publish('inlet:signals:0', junk)).toBe(2);
      admin.disconnect();
      await carriesBothWays(sides);
      expect(heard).toHaveLength(before);
    }));
});
