/**
 * Redis fails in every way it can and comes back, under a process that accepts submissions and one that delivers. It carries only hints and
 * counts: no visitor notices, no webhook is lost, and each process applies limits on its own.
 */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, eventually, newCluster } from '../cluster/cluster.js';
import { type MadeForm, makeForm, request, submitJson } from '../support/client.js';
import { noteFaults } from '../support/fault-counts.js';
import { answerBytes, type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.js';
import type { RunningServer } from '../support/server.js';
import { type RedisServer, startRedis } from '../support/services/redis.js';

let redis: RedisServer;
let cluster: Cluster;
let receiver: Receiver;
let api: RunningServer;
let worker: RunningServer;
let form: MadeForm;
/** While this is set, the endpoint accepts webhooks but delays its responses. */
let held: (() => void)[] | null = null;

const away = 'Redis is unavailable';
const back = 'Redis is there';
const deaf = 'wake-ups from other processes do not arrive';
const hearing = 'wake-ups from other processes arrive';
const times = (server: RunningServer, text: string): number => server.output().split(text).length - 1;

/** How often they reported that Redis was lost and that it came back. The worker counts no requests, so it may not notice. */
const expectSaid = (outages: number, returns: number): Promise<void> =>
  eventually(() => {
    for (const server of [api, worker])
      expect([times(server, deaf), times(server, hearing)]).toEqual([outages, returns]);
    expect([times(api, away), times(api, back)]).toEqual([outages, returns]);
  }, 45_000);

beforeAll(async () => {
  receiver = await startReceiver((socket) => {
    const answer = (): void => void socket.write(answerBytes({ status: 200 }));
    if (held) held.push(answer);
    else answer();
  });
  redis = await startRedis();
  await redis.stop('kill');
  cluster = await newCluster({ REDIS_URL: redis.url, LOG_LEVEL: 'info', WEBHOOK_TIMEOUT: '60' });
  // It is down when they start.
  [api, worker] = await Promise.all([
    cluster.start({ words: ['--role', 'api'] }),
    cluster.start({ words: ['--role', 'worker'] }),
  ]);
  form = await makeForm(api.url, { form: { webhook_url: receiver.url } });
});
afterAll(async () => {
  await cluster?.dispose();
  await redis?.dispose();
  await receiver?.close();
});

const numberIn = ({ body }: ReceivedRequest): number => JSON.parse(body.toString()).submission.data.n;
let last = 0;

/** All are accepted, and none waits so long that the visitor would see a failure. */
async function submit(count: number): Promise<readonly number[]> {
  const numbers = Array.from({ length: count }, () => {
    last += 1;
    return last;
  });
  const answers = await Promise.all(numbers.map((n) => submitJson(form.endpoint, { n })));
  expect(answers.map(({ status }) => status)).toEqual(numbers.map(() => 200));
  return numbers;
}

const expectDelivered = (numbers: readonly number[]): Promise<void> =>
  eventually(() => {
    const arrived = new Set(receiver.requests.map(numberIn));
    expect(numbers.filter((n) => !arrived.has(n))).toEqual([]);
  }, 45_000);

/** How many of `count` submissions from one address a process accepts. */
async function taken(server: RunningServer, publicId: string, count: number): Promise<number> {
  let accepted = 0;
  for (let i = 0; i < count; i += 1) {
    const { status } = await submitJson(`${server.url}/f/${publicId}`, { i });
    expect([200, 429]).toContain(status);
    if (status === 200) accepted += 1;
  }
  return accepted;
}

describe('Redis', { timeout: 300_000 }, () => {
  it('is down at the start: all serve and deliver, and say so once; then it is used', async () => {
    await expectDelivered(await submit(10));
    expect((await request(`${api.url}/readyz`)).status).toBe(200);
    await expectSaid(1, 0);
    await redis.start();
    await expectSaid(1, 1);
    await expectDelivered(await submit(10));
  });

  it('is killed under load, and comes back empty', async () => {
    const before = await submit(10);
    const during: number[] = [];
    const load = (async () => {
      for (let i = 0; i < 10; i += 1) during.push(...(await submit(5)));
    })();
    await redis.stop('kill');
    await load;
    await expectSaid(2, 1);
    await expectDelivered([...before, ...during, ...(await submit(10))]);
    await redis.start();
    await expectSaid(2, 2);
    await expectDelivered(await submit(10));
  });

  it('forgets everything while webhooks are waiting', async () => {
    held = [];
    const waiting = await submit(60);
    await eventually(() => expect(held?.length).toBeGreaterThan(0), 45_000);
    const someone = new Redis(redis.url);
    await someone.flushall();
    someone.disconnect();
    const answers = held;
    held = null;
    for (const answer of answers) answer();
    await expectDelivered([...waiting, ...(await submit(10))]);
    await expectSaid(2, 2);
  });

  it('stands still: it is done without, and used again when it goes on', async () => {
    await submit(1);
    redis.pause();
    try {
      const during = await submit(20);
      await expectSaid(3, 2);
      await expectDelivered([...during, ...(await submit(10))]);
    } finally {
      redis.resume();
    }
    await expectSaid(3, 3);
    await expectDelivered(await submit(10));
  });

  it('counts for all of them; without it each counts for itself', async () => {
    const twin = await cluster.start({ words: ['--role', 'api'] });
    const limited = () => makeForm(api.url, { project: { rate_limit_per_minute: 12 } });
    const shared = await limited();
    await eventually(() => expect(times(twin, away)).toBe(times(twin, back)), 45_000);
    const together = (await taken(api, shared.publicId, 9)) + (await taken(twin, shared.publicId, 9));
    expect(together).toBe(12);

    await redis.stop('kill');
    await expectSaid(4, 3);
    await eventually(() => expect(times(twin, away)).toBe(times(twin, back) + 1), 45_000);
    const alone = await limited();
    expect(await taken(api, alone.publicId, 15)).toBe(12);
    expect(await taken(twin, alone.publicId, 15)).toBe(12);
    await redis.start();
    await expectSaid(4, 4);
    // The faults: down, killed, emptied, frozen, killed.
    const arrived = new Set(receiver.requests.map(numberIn));
    noteFaults('redis', { faults: 5, acknowledged: last, lost: last - arrived.size });
  });
});
