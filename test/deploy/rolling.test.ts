/**
 * Three processes behind the shipped proxy files, during a rolling restart and
 * with one process frozen. Visitors send their form once and do not retry.
 */
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, newCluster } from '../cluster/cluster.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { waitUntil } from '../support/kept.js';
import { freePort, type RunningServer } from '../support/server.js';
import {
  hostName,
  type ProxyServer,
  startCaddy,
  startHaproxy,
  startNginx,
} from '../support/services/proxies.js';

/** Longer than the slowest of the shipped health checks needs: that of Caddy, with 2 s and a timeout of 2 s. */
const drain = '5 s';

let cluster: Cluster;
const servers: RunningServer[] = [];
const proxies: ProxyServer[] = [];
let form: MadeForm;

beforeAll(async () => {
  cluster = await newCluster({
    ...{ BASE_URL: `https://${hostName}`, TRUST_PROXY: '127.0.0.1', SHUTDOWN_DRAIN: drain },
    INLET_SECRET: 'a secret that all processes of this test share',
  });
  for (let n = 0; n < 3; n += 1) servers.push(await cluster.start({ port: await freePort() }));
  const upstreams = { upstreamPorts: servers.map(({ port }) => port) };
  for (const start of [startNginx, startCaddy, startHaproxy]) proxies.push(await start(upstreams));
  form = await makeForm(servers[0]?.url ?? '');
});
afterAll(async () => {
  for (const proxy of proxies) await proxy.dispose();
  await cluster?.dispose();
});

interface Sent {
  readonly mark: string;
  readonly proxy: string;
  /** The status of the response, or text that says why there was none. null while it is pending. */
  outcome: number | string | null;
}
const all: Sent[] = [];

/** Sends one form once. Never rejects. */
function send(proxy: ProxyServer, agent: Agent | false): Sent & { readonly done: Promise<void> } {
  const sent: Sent = { mark: `${proxy.name} ${all.length}`, proxy: proxy.name, outcome: null };
  all.push(sent);
  const body = JSON.stringify({ mark: sent.mark });
  const done = new Promise<void>((resolve) => {
    const end = (outcome: number | string): void => {
      sent.outcome ??= outcome;
      resolve();
    };
    const post = request({
      ...{ host: '127.0.0.1', port: proxy.port, path: `/f/${form.publicId}`, method: 'POST', agent },
      ...{ servername: hostName, rejectUnauthorized: false },
      headers: { host: hostName, 'content-type': 'application/json', 'content-length': body.length },
    });
    post.on('error', (error) => end(String(error)));
    post.on('response', (response) => {
      response.on('error', (error) => end(String(error)));
      response.resume().on('end', () => end(response.statusCode ?? 0));
    });
    post.end(body);
  });
  return Object.assign(sent, { done });
}

/** Some visitors reuse their connections, others open a new one each time. */
async function visitorsUntil(proxy: ProxyServer, isEnough: (sent: number) => boolean): Promise<void> {
  const agents = [true, true, true, false].map((keepAlive) => new Agent({ keepAlive, maxSockets: 2 }));
  let count = 0;
  const visit = async (agent: Agent): Promise<void> => {
    while (!isEnough(count)) {
      count += 1;
      await send(proxy, agent).done;
    }
  };
  await Promise.all(agents.flatMap((agent) => [visit(agent), visit(agent)]));
  for (const agent of agents) agent.destroy();
}

async function stored(): Promise<readonly string[]> {
  const [first] = servers;
  const path = `/api/v1/forms/${form.formId}/submissions/export?format=jsonl`;
  const { text } = await client(first?.url ?? '').get(path);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).data.mark as string);
}

describe('a rolling restart of three processes', () => {
  /** The minimum number of visits per proxy. Those after the last restart only round up the figure in docs/guides/upgrading.md. */
  const least = Number(process.env.ROLLING_VISITS ?? 0);
  /** With fewer visits, nobody could have noticed the restart. */
  const leastOfRestart = 50;

  it('no visitor notices', { timeout: 180_000 }, async () => {
    let isOver = false;
    const visitors = proxies.map((proxy) => visitorsUntil(proxy, (sent) => isOver && sent >= least));
    for (const [n, server] of servers.entries()) {
      const before = all.length;
      expect(await server.end('SIGTERM')).toBe(0);
      servers[n] = await cluster.start({ port: server.port });
      for (const { name } of proxies) {
        const visits = all.slice(before).filter(({ proxy }) => proxy === name);
        expect(visits.length, name).toBeGreaterThanOrEqual(leastOfRestart);
      }
    }
    isOver = true;
    await Promise.all(visitors);

    const failed = all.filter(({ outcome }) => outcome !== 200);
    expect(failed).toEqual([]);
    const marks = await stored();
    expect(marks.length - new Set(marks).size, 'stored twice').toBe(0);
    expect(new Set(marks)).toEqual(new Set(all.map(({ mark }) => mark)));
  });
});

describe('one of three processes that is frozen', () => {
  /** Only visitors who were sent to the frozen process first wait that long. The others get a response within milliseconds. */
  const patienceMs = 5_000;
  const lanes = 4;
  const visitsOfLane = 50;

  it('holds few visitors, and they are answered when it goes on', { timeout: 300_000 }, async () => {
    const [frozen] = servers;
    const before = all.length;
    const held = new Map<string, number>();
    const visit = async (proxy: ProxyServer): Promise<void> => {
      const { done } = send(proxy, false);
      const late = Symbol('late');
      const patience = new Promise((resolve) => setTimeout(resolve, patienceMs, late));
      if ((await Promise.race([done, patience])) === late)
        held.set(proxy.name, (held.get(proxy.name) ?? 0) + 1);
    };
    const lane = async (proxy: ProxyServer): Promise<void> => {
      for (let n = 0; n < visitsOfLane; n += 1) await visit(proxy);
    };
    frozen?.process.kill('SIGSTOP');
    try {
      await Promise.all(proxies.flatMap((proxy) => Array.from({ length: lanes }, () => lane(proxy))));
    } finally {
      frozen?.process.kill('SIGCONT');
    }
    // No more than came at once: the process with the most requests in progress gets no further ones.
    for (const { name } of proxies) expect(held.get(name) ?? 0, name).toBeLessThanOrEqual(lanes);
    await waitUntil(() => all.slice(before).every(({ outcome }) => outcome !== null), 60_000);
    expect(all.slice(before).filter(({ outcome }) => outcome !== 200)).toEqual([]);
    const marks = await stored();
    expect([marks.length, new Set(marks).size]).toEqual([all.length, all.length]);
  });
});
