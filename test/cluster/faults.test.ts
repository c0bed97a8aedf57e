/** Processes die, freeze and come back under load. What was acknowledged arrives, and nothing stays pending. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { client, makeForm, submitJson } from '../support/client.js';
import { noteFaults } from '../support/fault-counts.js';
import { answerBytes, type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.js';
import { runSeed, seeded } from '../support/seeded.js';
import type { RunningServer } from '../support/server.js';
import { type Cluster, eventually, newCluster } from './cluster.js';

let cluster: Cluster | undefined;
let receiver: Receiver | undefined;
afterEach(async () => {
  await cluster?.dispose();
  await receiver?.close();
  cluster = undefined;
  receiver = undefined;
});

const kills = Number(process.env.CRASH_CYCLES ?? 6);
const within = { timeout: 5 * 60_000 };
const clientIdIn = ({ body }: ReceivedRequest): string =>
  JSON.parse(body.toString()).submission.data.client_id;

const listed = async (url: string, formId: string, state: string): Promise<number> =>
  (await client(url).get(`/api/v1/forms/${formId}/submissions?webhook_state=${state}&limit=100`)).body.data
    .length;

const untilSettled = (url: string, formId: string): Promise<void> =>
  eventually(async () => expect(await listed(url, formId, 'pending')).toBe(0), 90_000);

it('one of three is killed every second: nothing is lost, all is delivered', within, async () => {
  const chance = seeded(runSeed());
  process.stdout.write(`One of three processes killed every second: CRASH_SEED=${chance.seed}\n`);
  receiver = await startReceiver((socket) => void socket.write(answerBytes({ status: 200 })));
  cluster = await newCluster({ LOG_LEVEL: 'error' });
  const { start } = cluster;
  const servers = await Promise.all([start(), start(), start()]);
  const form = await makeForm(servers[0]?.url ?? '', { form: { webhook_url: receiver.url } });
  const promised = new Set<string>();
  let isOver = false;
  const load = async (first: number): Promise<void> => {
    for (let turn = first; !isOver; turn += 1) {
      const server = servers[turn % servers.length];
      const id = randomUUID();
      const answer = await submitJson(`${server?.url}/f/${form.publicId}`, { client_id: id }).catch(
        () => null,
      );
      if (answer?.status === 200) promised.add(id);
      await pause(20);
    }
  };
  const loads = Array.from({ length: 6 }, (_, i) => load(i));
  try {
    for (let round = 0; round < kills; round += 1) {
      await pause(1_000);
      const at = chance.between(0, 2);
      const { port } = servers[at] as RunningServer;
      await servers[at]?.end('SIGKILL');
      servers[at] = await start({ port });
    }
  } finally {
    isOver = true;
    await Promise.all(loads);
  }
  expect(promised.size).toBeGreaterThan(0);
  const [server] = servers;
  const url = server?.url ?? '';
  await untilSettled(url, form.formId);
  expect(await listed(url, form.formId, 'failed')).toBe(0);
  const arrived = new Set(receiver.requests.map(clientIdIn));
  const lost = [...promised].filter((id) => !arrived.has(id));
  noteFaults('cluster-killed', { faults: kills, acknowledged: promised.size, lost: lost.length });
  expect(lost).toEqual([]);
  const { body } = await client(url).get(`/api/v1/forms/${form.formId}`);
  expect(body.submissions_count, 'also those whose answer was cut off').toBeGreaterThanOrEqual(promised.size);
  for (const running of servers) expect(await running.end()).toBe(0);
});

it(
  'one that is frozen past the patience of the others loses its leases, and is welcome again',
  within,
  async () => {
    const held: (() => void)[] = [];
    let isHolding = false;
    receiver = await startReceiver((socket) => {
      const answer = (): void => void socket.write(answerBytes({ status: 200 }));
      if (isHolding) held.push(answer);
      else answer();
    });
    cluster = await newCluster({ LOG_LEVEL: 'info', WEBHOOK_TIMEOUT: '100' });
    const frozen = await cluster.start();
    const form = await makeForm(frozen.url, { form: { webhook_url: receiver.url } });
    const submitTwenty = async (): Promise<void> => {
      for (let i = 0; i < 20; i += 1)
        expect((await submitJson(form.endpoint, { client_id: randomUUID() })).status).toBe(200);
    };
    // After that many successes an endpoint gets twenty sends at once: all of the next twenty are leased before the other process starts.
    await submitTwenty();
    await untilSettled(frozen.url, form.formId);
    isHolding = true;
    await submitTwenty();
    await eventually(() => expect(held).toHaveLength(20), 45_000);
    const other = await cluster.start();
    frozen.process.kill('SIGSTOP');
    const frozenAt = performance.now();
    isHolding = false;
    await untilSettled(other.url, form.formId);
    const recoveredMs = performance.now() - frozenAt;
    expect(other.output()).toContain('a process fell silent');
    expect(recoveredMs, 'its lease alone would have lasted longer').toBeLessThan(60_000);
    const arrived = new Set(receiver.requests.map(clientIdIn)).size;
    noteFaults('frozen', { faults: 1, acknowledged: 40, lost: 40 - arrived });
    expect(arrived).toBe(40);

    // The responses arrive, and the frozen process wakes up, both too late.
    for (const answer of held) answer();
    frozen.process.kill('SIGCONT');
    await eventually(() => expect(frozen.output()).toContain('took this one for dead; it is back'), 30_000);
    await eventually(() => expect(frozen.output()).toContain('came after their lease had ended'), 30_000);
    for (const server of [frozen, other]) {
      expect(await listed(server.url, form.formId, 'pending')).toBe(0);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    }
    const { body } = await client(other.url).get(`/api/v1/forms/${form.formId}/submissions?limit=100`);
    for (const { id } of body.data) {
      const deliveries = (await client(other.url).get(`/api/v1/submissions/${id}/deliveries`)).body.data;
      expect(deliveries).toMatchObject([{ state: 'delivered', attempts: [{ number: 1, status: 200 }] }]);
      expect(deliveries[0].attempts).toHaveLength(1);
    }
    expect(await frozen.end()).toBe(0);
    expect(await other.end()).toBe(0);
  },
);

describe('a backlog', within, () => {
  it('is shared by two workers', async () => {
    const backlog = 400;
    const waiting: (() => void)[] = [];
    let isHolding = true;
    receiver = await startReceiver((socket) => {
      const answer = (): void => void setTimeout(() => socket.write(answerBytes({ status: 200 })), 5);
      if (isHolding) waiting.push(answer);
      else answer();
    });
    cluster = await newCluster({ WEBHOOK_TIMEOUT: '60' });
    const { start } = cluster;
    const api = await start({ words: ['--role', 'api'] });
    const form = await makeForm(api.url, { form: { webhook_url: receiver.url } });
    const submit = async (from: number): Promise<void> => {
      for (let i = from; i < backlog; i += 8) await submitJson(form.endpoint, { client_id: String(i) });
    };
    await Promise.all(Array.from({ length: 8 }, (_, i) => submit(i)));
    const workers = await Promise.all([0, 1].map(() => start({ words: ['--role', 'worker'] })));
    const numberOf = async (server: RunningServer, name: RegExp): Promise<number> =>
      Number(name.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1] ?? 0);
    const sending = /^inlet_deliveries_sending (\d+)$/m;
    // Neither worker gets a head start: the endpoint responds once both are sending.
    await eventually(async () => {
      for (const worker of workers) expect(await numberOf(worker, sending)).toBeGreaterThan(0);
    }, 40_000);
    isHolding = false;
    for (const answer of waiting) answer();
    await untilSettled(api.url, form.formId);
    const sent = /^inlet_delivery_duration_seconds_count\{outcome="succeeded"\} (\d+)$/m;
    const shares = await Promise.all(workers.map((worker) => numberOf(worker, sent)));
    process.stdout.write(`two workers shared a backlog of ${backlog}: ${shares.join(' and ')}\n`);
    expect((shares[0] ?? 0) + (shares[1] ?? 0)).toBe(backlog);
    // On an idle machine each has about half. A busy one may favour one of them.
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(backlog * 0.05);
    expect(receiver.requests).toHaveLength(backlog);
  });
});
