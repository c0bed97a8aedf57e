/** A webhook never leads back: not to this service, not to what it runs on, and not in a loop through another service. Decisions 6. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, expectProblem } from '../../support/contract.js';
import { engineSettings } from '../../support/engine.js';
import { type Receiver, startAnswering } from '../../support/receivers.js';
import { freePort, type RunningServer } from '../../support/server.js';
import { becomes, deliveryBecomes, hasAttempts, startHookServer, submit } from '../../support/webhooks.js';

const refusal = / is this service itself, or a service that it uses$/;

/** Checks every way to save a webhook URL, and to test one. */
async function expectRefused(api: Client, made: MadeForm, url: string): Promise<void> {
  const saved = [
    await api.post('/api/v1/projects', { name: 'P', webhook_url: url }),
    await api.patch(`/api/v1/projects/${made.projectId}`, { webhook_url: url }),
    await api.post(`/api/v1/projects/${made.projectId}/forms`, { name: 'F', webhook_url: url }),
    await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: url }),
  ];
  for (const answer of saved) expectFaults(answer, ['webhook_url']);
  const tried = await api.post(`/api/v1/forms/${made.formId}/webhook-test`, { url });
  expectFaults(tried, ['url']);
  for (const { body } of [...saved, tried]) expect(body.details[0].message, url).toMatch(refusal);
}

describe('saving', () => {
  let server: RunningServer;
  let api: Client;
  let made: MadeForm;
  let ports: { ops: number; mail: number; redis: number; bucket: number };
  beforeAll(async () => {
    const [ops, mail, redis, bucket] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    ports = { ops, mail, redis, bucket };
    server = await startHookServer({
      BASE_URL: 'https://Forms.Example.com',
      OPS_PORT: String(ports.ops),
      WEBHOOK_ALLOWED_NETWORKS: '0.0.0.0/0,::/0,localhost,forms.example.com',
      SMTP_URL: `smtp://localhost:${ports.mail}`,
      MAIL_FROM: 'forms@example.com',
      REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
      STORAGE_URL: `s3://files?endpoint=http://127.0.0.1:${ports.bucket}&region=here`,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
    api = client(server.url);
    made = await makeForm(server.url);
  });
  afterAll(() => server.dispose());

  it.each(['127.0.0.1', '127.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.LOCALHOST.'])(
    'refuses where this service listens, as %s',
    async (host) => {
      await expectRefused(api, made, `http://${host}:${server.port}/f/${made.publicId}`);
    },
  );

  it.each(['https://forms.example.com/f/x', 'https://FORMS.example.com./', 'http://forms.example.com:443/'])(
    'refuses the address of its links: %s',
    (url) => expectRefused(api, made, url),
  );

  it('refuses the port of operations, mail server, Redis, bucket and database', async () => {
    const { DATABASE_URL } = await engineSettings(server.dataDir);
    const database = DATABASE_URL === undefined ? [] : [Number(new URL(DATABASE_URL).port || 5432)];
    for (const port of [...Object.values(ports), ...database]) {
      await expectRefused(api, made, `http://127.0.0.1:${port}/`);
    }
    // The service may listen on more than the address in the setting.
    await expectRefused(api, made, `http://127.0.0.2:${ports.mail}/`);
  });

  it('takes everything else that is allowed', async () => {
    for (const url of ['http://127.0.0.1:9/', 'http://localhost/', 'http://forms.example.com:8080/']) {
      const answer = await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: url });
      expect(answer.status, answer.text).toBe(200);
    }
  });
});

describe('sending', () => {
  const mailFrom = 'forms@example.com';
  let mail: Receiver;
  let server: RunningServer;
  let api: Client;
  /** Saved when their webhooks still led elsewhere. */
  let forms: readonly MadeForm[];
  let markBefore: string;

  /** The instance id in a server's deliveries. */
  async function markOf(from: RunningServer): Promise<string> {
    const receiver = await startAnswering();
    const { publicId } = await makeForm(from.url, { form: { webhook_url: receiver.url } });
    await submit(`${from.url}/f/${publicId}`);
    const [request] = await becomes(
      () => receiver.requests,
      (all) => all.length > 0,
    );
    await receiver.close();
    return request?.headers.get('x-inlet-instance') ?? '';
  }

  beforeAll(async () => {
    mail = await startAnswering();
    const port = await freePort();
    const first = await startHookServer();
    forms = [
      await makeForm(first.url, { form: { webhook_url: `http://127.0.0.1:${port}/f/nothing` } }),
      await makeForm(first.url, { form: { webhook_url: mail.url } }),
    ];
    markBefore = await markOf(first);
    await first.end();
    server = await startHookServer(
      {
        WEBHOOK_RETRY_DELAYS: '600,600,600,600',
        ...{ SMTP_URL: `smtp://localhost:${mail.port}`, MAIL_FROM: mailFrom },
      },
      { dataDir: first.dataDir, port },
    );
    api = client(server.url);
  });
  afterAll(async () => {
    await mail.close();
    await server.dispose();
  });

  it('refuses a URL that was saved before, once it leads to this service or one it uses', async () => {
    for (const { publicId } of forms) {
      const id = await submit(`${server.url}/f/${publicId}`);
      const { attempts } = await deliveryBecomes(api, id, hasAttempts(1));
      expect(attempts).toMatchObject([{ status: null, error: expect.stringMatching(/^blocked_address: /) }]);
      expect(attempts[0]?.error).toMatch(refusal);
    }
    expect(mail.connections()).toBe(0);
  });

  it('rejects a delivery that comes back before anything is stored, and its owner sees why', async () => {
    let endpoint = '';
    const relay = await startRelay(() => endpoint);
    const made = await makeForm(server.url, { form: { webhook_url: relay.url } });
    endpoint = made.endpoint;
    const id = await submit(endpoint);
    const { attempts } = await deliveryBecomes(api, id, hasAttempts(1));
    expect(attempts).toMatchObject([{ status: 403, response: expect.stringContaining('webhook_loop') }]);
    expect(relay.statuses).toEqual([403]);
    const stored = await api.get(`/api/v1/forms/${made.formId}/submissions`);
    expect(stored.body.data).toHaveLength(1);
    const seen = await api.get(`/api/v1/forms/${made.formId}/rejections`);
    expect(seen.body.days.at(-1).reasons.webhook_loop).toBe(1);
    expect(seen.body.examples).toMatchObject([{ reason: 'webhook_loop', ip: '127.0.0.1' }]);
    relay.close();
  });

  it.each(['slack', 'discord', 'teams'])(
    'rejects what comes back from a destination of kind %s',
    async (kind) => {
      let endpoint = '';
      const relay = await startRelay(() => endpoint);
      const made = await makeForm(server.url);
      endpoint = made.endpoint;
      const body = { kind, config: { url: relay.url } };
      expect((await api.post(`/api/v1/forms/${made.formId}/destinations`, body)).status).toBe(201);
      const id = await submit(endpoint);
      const { attempts } = await deliveryBecomes(api, id, hasAttempts(1));
      expect(attempts).toMatchObject([{ status: 403 }]);
      expect((await api.get(`/api/v1/forms/${made.formId}/submissions`)).body.data).toHaveLength(1);
      relay.close();
    },
  );

  it('marks its deliveries the same after a restart, and takes those of other instances', async () => {
    const mark = await markOf(server);
    expect(mark).toMatch(/^[0-9a-f]{32}$/);
    expect(mark).toBe(markBefore);
    const { endpoint } = await makeForm(server.url);
    const passOn = (instance: string) => submitJson(endpoint, { a: 1 }, { 'x-inlet-instance': instance });
    expect((await passOn(mark.replace(/./g, '0'))).status).toBe(200);
    expectProblem(await passOn(mark), 403, 'This request is a webhook delivery from this service', {
      code: 'webhook_loop',
    });
  });
});

/** Forwards every request with its headers, like a tunnel or a proxy. */
async function startRelay(to: () => string): Promise<{ url: string; statuses: number[]; close(): void }> {
  const statuses: number[] = [];
  const relay = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    // Stops after a while, in case nothing else ends the loop.
    const passed =
      statuses.length > 20
        ? null
        : await fetch(to(), {
            method: 'POST',
            headers: headers as Record<string, string>,
            body: Buffer.concat(chunks),
          });
    statuses.push(passed?.status ?? 0);
    response.writeHead(passed?.status ?? 500).end(await passed?.text());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    statuses,
    close: () => {
      relay.close();
      relay.closeAllConnections();
    },
  };
}
