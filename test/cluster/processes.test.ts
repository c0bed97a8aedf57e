/** `--processes N`: one address, several processes, one startup message. They are restarted when they die, and stop together. */
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { client, makeForm, submitJson } from '../support/client.js';
import { apiKey, freePort, type RunningServer } from '../support/server.js';
import { type Cluster, eventually, newCluster } from './cluster.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.dispose();
  cluster = undefined;
});

const linesOf = (server: RunningServer, message: string) =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes(message));

/** The ids of its processes, as each reported its own. */
async function pidsOf(on: Cluster): Promise<readonly number[]> {
  const { default: pg } = await import('pg');
  const db = new pg.Client({ connectionString: on.databaseUrl });
  await db.connect();
  try {
    const { rows } = await db.query<{ pid: string }>('SELECT pid FROM processes ORDER BY id');
    return rows.map(({ pid }) => Number(pid));
  } finally {
    await db.end();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Resolves once all processes are up, not only the first. */
async function started(on: Cluster, count: number): Promise<RunningServer> {
  const server = await on.start({ words: ['--processes', String(count)] });
  await eventually(() => expect(server.output()).toContain('Data '), 30_000);
  return server;
}

describe('--processes 3', { timeout: 300_000 }, () => {
  it('greets once, serves as one, adds up its numbers, and ends all with one signal', async () => {
    cluster = await newCluster({ INLET_API_KEY: '' });
    const server = await started(cluster, 3);
    expect(linesOf(server, 'is running')).toHaveLength(1);
    expect(linesOf(server, 'Processes  3')).toHaveLength(1);
    expect(linesOf(server, '(works once)')).toHaveLength(1);
    const [key, ...more] = [...server.output().matchAll(/API key +(\S+)/g)].map(([, text]) => text);
    expect(more).toEqual([]);
    const api = client(server.url, key ?? '');
    expect((await api.get('/api/v1/account')).status).toBe(200);

    const form = await makeForm(server.url, { key: key ?? '' });
    const sent = 30;
    for (let i = 0; i < sent; i += 1) expect((await submitJson(form.endpoint, { i })).status).toBe(200);
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text();
    const accepted = /^inlet_submissions_total\{outcome="accepted"\} (\d+)$/m;
    for (let i = 0; i < 4; i += 1) expect(accepted.exec(await metrics())?.[1]).toBe(String(sent));
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(sent);

    const pids = await pidsOf(cluster);
    expect(pids).toHaveLength(3);
    const { processes } = (await api.get('/api/v1/instance')).body;
    expect(processes.map(({ pid }: { pid: number }) => pid)).toEqual(pids);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await pidsOf(cluster), 'all have left').toEqual([]);
  });

  it('starts one again that was killed, and says so; the others serve on', async () => {
    cluster = await newCluster();
    const server = await started(cluster, 3);
    const before = await pidsOf(cluster);
    const [victim = 0] = before;
    process.kill(victim, 'SIGKILL');
    await eventually(() => expect(linesOf(server, 'a process died')).toHaveLength(1), 30_000);
    for (let i = 0; i < 10; i += 1) expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const on = cluster;
    // The row of the dead process is deleted once it has been silent for long. The row of the new one appears at once.
    await eventually(async () => {
      const now = await pidsOf(on);
      expect(now).toHaveLength(3);
      expect(now).not.toContain(victim);
    }, 60_000);
    expect(await server.end('SIGINT')).toBe(0);
    expect(before.filter(isAlive)).toEqual([]);
  });

  it('keeps what a process has counted when it ends, and says when one was started', async () => {
    cluster = await newCluster({ LOG_LEVEL: 'info' });
    const server = await started(cluster, 2);
    const form = await makeForm(server.url);
    const numbers = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const read = (series: string) => Number(new RegExp(`^${series} (\\S+)$`, 'm').exec(text)?.[1]);
      return {
        accepted: read('inlet_submissions_total\\{outcome="accepted"\\}'),
        timed: read('inlet_submission_duration_seconds_count'),
        startedAt: read('process_start_time_seconds'),
        processes: read('inlet_info\\{version="[^"]+",role="all"\\}'),
      };
    };
    const send = async (count: number) => {
      for (let i = 0; i < count; i += 1)
        expect((await submitJson(form.endpoint, { i }, { connection: 'close' })).status).toBe(200);
    };
    await send(20);
    const before = await numbers();
    expect(before).toMatchObject({ accepted: 20, timed: 20, processes: 2 });
    expect(before.startedAt).toBeGreaterThan(Date.now() / 1000 - 300);

    // After SIGKILL the numbers last read count. After SIGTERM the final numbers do.
    let sent = 20;
    for (const [round, signal] of (['SIGKILL', 'SIGTERM'] as const).entries()) {
      const [victim = 0] = (await pidsOf(cluster)).filter(isAlive);
      process.kill(victim, signal);
      await eventually(() => expect(linesOf(server, 'a process died')).toHaveLength(round + 1), 30_000);
      expect(await numbers()).toMatchObject({ accepted: sent, timed: sent });
      // A new process reports its numbers before it listens. Until it listens, the next round must not end the other one.
      await eventually(
        () => expect(linesOf(server, 'a process is up again')).toHaveLength(round + 1),
        30_000,
      );
      await eventually(async () => expect((await numbers()).processes).toBe(2), 30_000);
      await send(10);
      sent += 10;
      if (signal === 'SIGTERM') expect(await numbers()).toMatchObject({ accepted: sent, timed: sent });
    }
    expect((await numbers()).startedAt).toBeGreaterThanOrEqual(before.startedAt);
  });

  it('leaves nothing behind when the one that leads is killed', async () => {
    cluster = await newCluster();
    const server = await started(cluster, 2);
    const pids = await pidsOf(cluster);
    await server.end('SIGKILL');
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]), 45_000);
    expect(await pidsOf(cluster), 'they ended in order').toEqual([]);
  });

  it('gives up when they cannot start, and says why once', async () => {
    cluster = await newCluster();
    const port = await freePort();
    const running = await cluster.start({ port });
    const options = {
      dataDir: cluster.dataDir,
      env: {
        DATABASE_URL: cluster.databaseUrl,
        HOST: '127.0.0.1',
        PORT: String(port),
        INLET_API_KEY: apiKey,
      },
    };
    const { code, stdout, stderr } = await inlet(['serve', '--processes', '2'], options);
    expect(code).toBe(1);
    expect(stderr.match(/the port is in use/g), stderr + stdout).toHaveLength(1);
    expect(stdout).not.toContain('is running');
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
  });

  it('uses no key up when the port is taken', async () => {
    cluster = await newCluster({ INLET_API_KEY: '' });
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const env = {
      DATABASE_URL: cluster.databaseUrl,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'silent',
    };
    const refused = await inlet(['serve', '--processes', '2'], { dataDir: cluster.dataDir, env }).finally(
      () => taken.close(),
    );
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    const server = await started(cluster, 2);
    const key = /API key +(\S+)/.exec(server.output())?.[1] ?? '';
    expect((await client(server.url, key).get('/api/v1/account')).status).toBe(200);
  });
});
