/** Equal processes on one database: which one sets it up, which one does what, and how soon the others see a change. */
import { afterEach, describe, expect, it } from 'vitest';
import { inlet, inletJson } from '../support/cli.js';
import { client, makeForm, request, submitJson } from '../support/client.js';
import { admin, signedIn, withAdmin } from '../support/dashboard.js';
import { answerBytes, type Receiver, startReceiver } from '../support/receivers.js';
import { apiKey, temporaryFolder } from '../support/server.js';
import { type Cluster, eventually, newCluster } from './cluster.js';

let cluster: Cluster | undefined;
let receiver: Receiver | undefined;
afterEach(async () => {
  await cluster?.dispose();
  await receiver?.close();
  cluster = undefined;
  receiver = undefined;
});

const within = { timeout: 300_000 };

describe('processes that start at the same moment on an empty database', within, () => {
  it('make one account, show its key once, and all show the same set-up link', async () => {
    cluster = await newCluster({ INLET_API_KEY: '' });
    const { start } = cluster;
    const servers = await Promise.all([start(), start(), start()]);
    await eventually(() => {
      for (const server of servers) expect(server.output()).toContain('Data ');
    }, 30_000);
    const found = (pattern: RegExp) =>
      servers.flatMap((server) => [...server.output().matchAll(pattern)].map(([, text]) => text ?? ''));
    const keys = found(/API key +(\S+)/g);
    expect(keys).toHaveLength(1);
    const tokens = found(/setup#token=(\S+)/g);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(1);

    const [key = ''] = keys;
    for (const server of servers)
      expect((await client(server.url, key).get('/api/v1/account')).status).toBe(200);
    const accounts = await inletJson(['accounts', 'list'], {
      dataDir: cluster.dataDir,
      env: { DATABASE_URL: cluster.databaseUrl },
    });
    expect(accounts).toHaveLength(1);

    const [first, second] = servers;
    const setUp = (url: string) =>
      request(`${url}/api/v1/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ ...admin, token: tokens[0] }),
      });
    const answers = await Promise.all([setUp(first?.url ?? ''), setUp(second?.url ?? '')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
  });

  it('make the user whom the settings name once', async () => {
    cluster = await newCluster(withAdmin);
    const { start } = cluster;
    const servers = await Promise.all([start(), start()]);
    for (const server of servers) expect((await signedIn(server)).cookie).toMatch(/^inlet_session=/);
  });
});

describe('a machine with another secret', within, () => {
  it('is rejected, with a message to set the same', async () => {
    cluster = await newCluster();
    await cluster.start();
    const elsewhere = await temporaryFolder();
    const ran = await inlet(['serve'], {
      dataDir: elsewhere,
      env: {
        DATABASE_URL: cluster.databaseUrl,
        PORT: '0',
        BASE_URL: 'http://localhost',
        INLET_API_KEY: apiKey,
      },
    });
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/INLET_SECRET/);
  });
});

describe('what one process changes', within, () => {
  it('holds for the others a moment later: keys, sessions, settings', async () => {
    cluster = await newCluster(withAdmin);
    const one = await cluster.start();
    const other = await cluster.start();
    const form = await makeForm(one.url);
    const there = form.endpoint.replace(one.url, other.url);
    expect((await submitJson(there, { n: 1 })).status).toBe(200);

    const made = (await client(one.url).post('/api/v1/api-keys', { name: 'A', scope: 'full' })).body;
    const elsewhere = client(other.url, made.key ?? made.api_key);
    expect((await elsewhere.get('/api/v1/account')).status).toBe(200);
    await client(one.url).delete(`/api/v1/api-keys/${made.id}`);
    expect((await elsewhere.get('/api/v1/account')).status).toBe(401);

    const ada = await signedIn(one);
    const session = () =>
      request(`${other.url}/api/v1/session`, { headers: { cookie: ada.cookie } }).then(
        ({ status }) => status,
      );
    expect(await session()).toBe(200);
    await ada.ask('DELETE', '/session');
    await eventually(async () => expect(await session()).toBe(401), 45_000);

    await client(one.url).patch(`/api/v1/forms/${form.formId}`, { is_active: false });
    await eventually(async () => expect((await submitJson(there, { n: 2 })).status).not.toBe(200), 45_000);
  });
});

describe('roles', within, () => {
  it('an api process takes submissions and sends nothing; a worker sends, and answers only who watches it', async () => {
    receiver = await startReceiver((socket) => void socket.write(answerBytes({ status: 200 })));
    cluster = await newCluster();
    const api = await cluster.start({ words: ['--role', 'api'] });
    const form = await makeForm(api.url, { form: { webhook_url: receiver.url, wait_for_webhook: true } });
    const first = await submitJson(form.endpoint, { n: 1 });
    expect(first.status).toBe(200);
    expect(receiver.requests).toHaveLength(0);

    const worker = await cluster.start({ words: ['--role', 'worker'] });
    const { requests } = receiver;
    await eventually(() => expect(requests).toHaveLength(1), 45_000);
    // The visitor of one process gets the confirmation for what another process sent.
    const visitor = await fetch(form.endpoint, {
      method: 'POST',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'n=2',
      redirect: 'manual',
    });
    await visitor.arrayBuffer();
    expect(requests).toHaveLength(2);

    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await request(worker.url + path)).status, path).toBe(200);
    // Not with the client that checks responses against the API document: a worker has no API.
    for (const path of ['/', '/dashboard', '/docs', '/api/v1/account', `/f/${form.publicId}`])
      expect((await fetch(worker.url + path)).status, path).toBe(404);
    expect(worker.output()).toContain('as worker');
    expect(worker.output()).not.toContain('API key');

    const env = { DATABASE_URL: cluster.databaseUrl };
    const { checks } = await inletJson(['doctor'], { dataDir: cluster.dataDir, env });
    const found = checks.find(({ name }: { name: string }) => name === 'processes');
    expect(found).toMatchObject({ state: 'ok', message: expect.stringMatching(/^2 live: .*api.*worker/) });
    expect(await worker.end()).toBe(0);
    expect(await api.end()).toBe(0);
  });
});
