/** A public service never posts to inside addresses: checked when a URL is saved, and at every attempt. Decisions 6. */
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  deliveryBecomes,
  hasAttempts,
  hasState,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

const publicBase = { BASE_URL: 'https://forms.example.com' };
const opened = { ...publicBase, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,localhost' };

let receiver: TurningReceiver;
beforeAll(async () => {
  receiver = await startTurning();
});
afterAll(() => receiver.close());

/** The endpoint at its real address; the links have the public one. */
const endpointOf = (server: RunningServer, publicId: string): string => `${server.url}/f/${publicId}`;

/** This machine's name, if it resolves to an inside address. */
const machine = hostname().toLowerCase();
const inside = /^(?:127|10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.|^::1$|^f[cd]/;
const machineAddresses = await lookup(machine, { all: true }).then(
  (found) => found.map(({ address }) => address).filter((address) => inside.test(address)),
  () => [],
);

describe('a public service', () => {
  let server: RunningServer;
  let api: Client;
  beforeAll(async () => {
    server = await startHookServer(publicBase);
    api = client(server.url);
  });
  afterAll(() => server.dispose());

  it('refuses inside addresses when they are saved, and says why', async () => {
    const made = await makeForm(server.url);
    const port = receiver.port;
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '10.0.0.1',
      '192.168.1.1',
      '0x7f.1',
      '169.254.169.254',
    ]) {
      const url = `http://${host}:${port}/hook`;
      const answers = [
        await api.post('/api/v1/projects', { name: 'P', webhook_url: url }),
        await api.patch(`/api/v1/projects/${made.projectId}`, { webhook_url: url }),
        await api.post(`/api/v1/projects/${made.projectId}/forms`, { name: 'F', webhook_url: url }),
        await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: url }),
      ];
      for (const answer of answers) {
        expectFaults(answer, ['webhook_url']);
        expect(answer.body.details[0].message).toMatch(/not a public address|link-local or metadata address/);
      }
    }
    expect((await api.get(`/api/v1/forms/${made.formId}`)).body.webhook_url).toBeNull();
    expect(receiver.connections()).toBe(0);
  });

  it.skipIf(machineAddresses.length === 0 || machine === 'localhost')(
    'where a refused name leads is told to the operator, and to nobody who asks over the interface',
    async () => {
      const url = `http://${machine}:${receiver.port}/hook`;
      const made = await makeForm(server.url, { form: { webhook_url: url } });
      const id = await submit(endpointOf(server, made.publicId));
      const { id: deliveryId } = await deliveryBecomes(api, id, hasAttempts(1));
      const answers = [
        await api.get(`/api/v1/submissions/${id}/deliveries`),
        await api.get(`/api/v1/deliveries/${deliveryId}`),
        await api.get(`/api/v1/forms/${made.formId}/deliveries`),
        await api.post(`/api/v1/forms/${made.formId}/webhook-test`),
      ];
      for (const { text } of answers) {
        expect(text).toContain(`blocked_address: ${machine} resolves to an address that is not allowed`);
        for (const address of machineAddresses) expect(text).not.toContain(address);
      }
      await becomes(
        () => server.output(),
        (output) => output.includes('webhook blocked'),
      );
      expect(machineAddresses.some((address) => server.output().includes(`${machine}: ${address} is`))).toBe(
        true,
      );
    },
  );
});

it('WEBHOOK_ALLOWED_NETWORKS opens what it names, for as long as it does', async () => {
  const local = await startTurning({ status: 500 });
  const urls = [local.url, local.url.replace('127.0.0.1', 'localhost')];
  const first = await startHookServer({ ...opened, WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  const firstApi = client(first.url);
  const forms = [];
  for (const url of urls) forms.push(await makeForm(first.url, { form: { webhook_url: url } }));
  const waiting: string[] = [];
  for (const form of forms) {
    const id = await submit(endpointOf(first, form.publicId));
    expect(await deliveryBecomes(firstApi, id, hasAttempts(1))).toMatchObject({
      attempts: [{ status: 500 }],
    });
    waiting.push(id);
  }
  expectFaults(
    await firstApi.patch(`/api/v1/forms/${forms[0]?.formId}`, { webhook_url: 'http://169.254.169.254/' }),
    ['webhook_url'],
  );
  expectFaults(
    await firstApi.patch(`/api/v1/forms/${forms[0]?.formId}`, { webhook_url: 'http://10.0.0.1/' }),
    ['webhook_url'],
  );
  await first.end();

  // Closed again: saved URLs and waiting deliveries are judged anew at every attempt.
  local.turnTo({ status: 200 });
  const calls = local.requests.length;
  const connections = local.connections();
  const second = await startHookServer(publicBase, { dataDir: first.dataDir });
  const secondApi = client(second.url);
  for (const form of forms) {
    const id = await submit(endpointOf(second, form.publicId));
    const failed = await deliveryBecomes(secondApi, id, hasState('failed'));
    expect(failed.attempts).toHaveLength(5);
    for (const attempt of failed.attempts) {
      expect(attempt).toMatchObject({ status: null, response: null });
      expect(attempt.error).toMatch(/^blocked_address: /);
    }
  }
  for (const id of waiting) {
    expect((await secondApi.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(202);
    const { attempts } = await deliveryBecomes(secondApi, id, hasAttempts(2));
    expect(attempts.at(-1)?.error).toMatch(/^blocked_address: /);
  }
  for (const form of forms) {
    expectFaults(await secondApi.post(`/api/v1/forms/${form.formId}/webhook-test`, {}), ['url']);
  }
  expect([local.requests.length, local.connections()]).toEqual([calls, connections]);
  await local.close();
  await second.dispose();
});

it.skipIf(machineAddresses.length === 0 || machine === 'localhost')(
  'where an allowed name leads is not shown either',
  async () => {
    const local = await startTurning();
    const server = await startHookServer({ ...publicBase, WEBHOOK_ALLOWED_NETWORKS: `${machine},127.0.0.1` });
    const api = client(server.url);
    for (const [host, shown] of [
      [machine, null],
      ['127.0.0.1', '127.0.0.1'],
    ]) {
      const made = await makeForm(server.url, { form: { webhook_url: `http://${host}:${local.port}/hook` } });
      const id = await submit(endpointOf(server, made.publicId));
      const { id: deliveryId } = await deliveryBecomes(api, id, hasAttempts(1));
      const { body } = await api.get(`/api/v1/deliveries/${deliveryId}`);
      expect(body.attempts).toMatchObject([{ remote_address: shown }]);
    }
    await local.close();
    await server.dispose();
  },
);

it('a name is judged by what it resolves to, however it is spelt', async () => {
  const local = await startTurning();
  // A name in the list may resolve to an inside address. Without it, the addresses it resolves to decide.
  const first = await startHookServer({ ...publicBase, WEBHOOK_ALLOWED_NETWORKS: 'localhost' });
  const made = await makeForm(first.url, { form: { webhook_url: `http://LocalHost:${local.port}/hook` } });
  const api = client(first.url);
  const taken = await submit(endpointOf(first, made.publicId));
  await deliveryBecomes(api, taken, hasState('delivered'));
  await first.end();
  const calls = local.connections();
  const second = await startHookServer(
    { ...publicBase, WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' },
    { dataDir: first.dataDir },
  );
  const refused = await submit(endpointOf(second, made.publicId));
  const { attempts } = await deliveryBecomes(client(second.url), refused, hasState('failed'));
  for (const { error } of attempts) expect(error).toMatch(/^blocked_address: /);
  expect(local.connections()).toBe(calls);
  await local.close();
  await second.dispose();
});
