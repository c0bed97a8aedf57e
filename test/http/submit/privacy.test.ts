/** What a form does not store about its visitors: neither in a row nor anywhere in the data folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { filePart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { startMailServer } from '../../support/mail-server.js';
import { asked, confirm, confirmationOf, mailing, makeOptInForm } from '../../support/opt-in.js';
import { type Receiver, startAnswering } from '../../support/receivers.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { hoursLater } from '../../support/upkeep.js';
import { postJson, postMultipart } from '../../support/visitor.js';
import { becomes } from '../../support/webhooks.js';

const address = '203.0.113.77';
const browser = 'Browser-of-somebody/7.7';
const asVisitor = { 'x-forwarded-for': address, 'user-agent': browser };
const nothing = { store_ip: false, store_user_agent: false };
const proxied = { TRUST_PROXY: 'loopback', API_RATE_LIMIT_PER_MINUTE: '1000000' };

let server: RunningServer | undefined;
let receiver: Receiver | undefined;
afterEach(async () => {
  await server?.dispose();
  await receiver?.close();
});

const metadataOf = async (url: string, id: string) =>
  (await client(url).get(`/api/v1/submissions/${id}`)).body.metadata;

/** Each file of the data folder that contains one of the texts. */
async function filesWith(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (texts.some((text) => bytes.includes(text))) found.push(path);
  }
  return found;
}

async function sendOfEveryKind(form: MadeForm): Promise<string> {
  const sent = await postJson(form.endpoint, { a: 1 }, asVisitor);
  await postJson(form.endpoint, { a: 1, _gotcha: 'robot' }, asVisitor);
  expect((await postJson(form.endpoint, { b: 1 }, asVisitor)).status).toBe(422);
  return sent.body.submission_id;
}

const rules = { fields: [{ name: 'a', type: 'number', required: true }] };

it('keeps address and browser by default', async () => {
  server = await startServer({ env: proxied });
  const form = await makeForm(server.url, { form: rules });
  const id = await sendOfEveryKind(form);
  expect(await metadataOf(server.url, id)).toMatchObject({ ip: address, user_agent: browser });
  expect(await filesWith(server.dataDir, [address, browser])).not.toEqual([]);
});

it('keeps neither where the form says so: in no row, no delivery, no example, no file', async () => {
  receiver = await startAnswering({});
  server = await startServer({ env: proxied });
  const form = await makeForm(server.url, { form: { ...rules, ...nothing, webhook_url: receiver.url } });
  const id = await sendOfEveryKind(form);
  expect(await metadataOf(server.url, id)).toMatchObject({ ip: '', user_agent: '' });
  const [request] = await becomes(
    async () => receiver?.requests ?? [],
    ({ length }) => length > 0,
  );
  expect(request?.body.toString()).toContain(id);
  expect(request?.body.toString()).not.toMatch(new RegExp(`${address}|${browser}`));
  const api = client(server.url);
  const [held] = (await api.get(`/api/v1/forms/${form.formId}/spam`)).body.data;
  expect(held.metadata).toMatchObject({ ip: '', user_agent: '' });
  const { examples } = (await api.get(`/api/v1/forms/${form.formId}/rejections`)).body;
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(example).toMatchObject({ ip: '', user_agent: '' });
  await server.end();
  expect(await filesWith(server.dataDir, [address, browser])).toEqual([]);
});

it('does not name an address that is blocked', async () => {
  server = await startServer({ env: proxied });
  const form = await makeForm(server.url, { form: { ...nothing, blocked_ips: [address] } });
  expect((await postJson(form.endpoint, { a: 1 }, asVisitor)).status).toBe(403);
  const { examples } = (await client(server.url).get(`/api/v1/forms/${form.formId}/rejections`)).body;
  expect(examples).toEqual([
    expect.objectContaining({ reason: 'blocked', seen: 'an address that is not stored', ip: '' }),
  ]);
});

it('still counts visitors, each for themselves', async () => {
  server = await startServer({ env: proxied });
  const form = await makeForm(server.url, { project: { rate_limit_per_minute: 2 }, form: nothing });
  const from = async (ip: string): Promise<number> =>
    (await postJson(form.endpoint, { a: 1 }, { 'x-forwarded-for': ip })).status;
  // Six tries span at most two windows, so one window gets at least three of them.
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) statuses.push(await from(address));
  expect(statuses).toContain(429);
  expect(await from('198.51.100.9')).toBe(200);
});

it('confirms an address without keeping that of the visitor', async () => {
  const mails = await startMailServer();
  try {
    server = await startServer({ env: { ...mailing(mails), ...proxied } });
    const form = await makeOptInForm(server.url, nothing);
    const { id, link } = await asked(form, mails, 'ada@example.org');
    expect((await confirm(link, asVisitor)).status).toBe(200);
    const evidence = await confirmationOf(server.url, id);
    expect(evidence).toMatchObject({
      state: 'confirmed',
      address: 'ada@example.org',
      ip: '',
      user_agent: '',
    });
  } finally {
    await mails.close();
  }
});

it('keeps files for shorter than their submission, if the form says so', async () => {
  server = await startServer();
  const form = await makeForm(server.url, { form: { file_retention_days: 2 } });
  const sent = await postMultipart(form.endpoint, [filePart('cv', 'cv.txt', 'hello', 'text/plain')], {
    accept: 'application/json',
  });
  const id: string = sent.body.files[0].id;
  await server.end();
  const { dataDir, port } = server;
  server = await startServer({ dataDir, port, ...hoursLater(49) });
  const api = client(server.url);
  await becomes(
    async () => (await api.get(`/api/v1/files/${id}`)).status,
    (status) => status === 410,
  );
  expect((await api.get(`/api/v1/submissions/${sent.body.submission_id}`)).status).toBe(200);
});
