/** Erasing a person: afterwards nothing of them is in any file of the instance, and everybody else is still there. */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { isOnPostgres } from '../../support/engine.js';
import { filesWith } from '../../support/raw-bytes.js';
import { type Receiver, startAnswering, startHanging } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';
import {
  becomes,
  deliveryBecomes,
  hasAttempts,
  signatureOf,
  startHookServer,
  startTurning,
  submit,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let echoing: Receiver;
beforeAll(async () => {
  echoing = await startAnswering({ status: 500, body: 'no such user: ann.echo@example.com' });
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  api = client(server.url);
});
afterAll(async () => {
  await server?.dispose();
  await echoing?.close();
});

const finished = (id: string) =>
  becomes(
    async () => (await api.get(`/api/v1/erasures/${id}`)).body,
    (erasure) => erasure.status === 'finished',
  );

const erase = async (q: string) => {
  const begun = await api.post('/api/v1/persons/erase', { q });
  expect(begun.status).toBe(202);
  return finished(begun.body.id);
};

describe('erasing a person', () => {
  it('leaves the address in no file: rows, index, log, files, deliveries, notes, quarantine', async () => {
    const address = 'ann.echo@example.com';
    const form = await makeForm(server.url, {
      form: { webhook_url: echoing.url },
    });
    const id = await submit(form.endpoint, { name: 'Ann Echo', email: 'Ann.Echo@Example.com' });
    const upload = await submitFiles(
      form.endpoint,
      [{ field: 'cv', filename: `${address}.txt`, content: `I am ${address}`, type: 'text/plain' }],
      { name: 'somebody' },
    );
    expect(upload.status).toBeLessThan(300);
    // The audit log knows the name of the file.
    await api.get(`/api/v1/files/${upload.body.files[0].id}`);
    const nested = '{"contact":{"mail":"ann.echo\\u0040example.com"},"long":"'.concat(
      'x'.repeat(20_000),
      '"}',
    );
    const raw = await fetch(form.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once-1' },
      body: nested,
    });
    expect(raw.status).toBeLessThan(300);
    const bot = await submitJson(form.endpoint, { _gotcha: 'spam', email: address });
    expect(bot.status).toBeLessThan(300);
    const other = await submit(form.endpoint, { name: 'Bob', email: 'joann.echo@example.com' });
    await api.post(`/api/v1/submissions/${other}/notes`, { text: `Ask ${address} about this` });
    await deliveryBecomes(api, id, hasAttempts(1));
    // The index has it too.
    const listed = await api.get(`/api/v1/forms/${form.formId}/submissions?q=echo`);
    expect(listed.body.data.length).toBeGreaterThan(0);
    await becomes(
      () => filesWith(server.dataDir, address),
      (files) => files.length > 0,
    );

    const dry = await api.post('/api/v1/persons/erase', { q: address, dry_run: true });
    expect(dry.status).toBe(200);
    expect(dry.body.counts).toMatchObject({ submissions: 2, files: 1, quarantine: 1, notes: 1 });

    const done = await erase(' Ann.Echo@EXAMPLE.com ');
    expect(done.counts).toMatchObject({ submissions: 3, quarantine: 1, notes: 1 });
    expect(done.files_removed).toBe(1);
    // Somebody else's address has it at its end.
    const kept = await api.get(`/api/v1/submissions/${other}`);
    expect(kept.body.data.email).toBe('joann.echo@example.com');
    expect((await api.get(`/api/v1/submissions/${id}`)).status).toBe(404);
    await api.delete(`/api/v1/submissions/${other}`);
    const again = await erase('joann.echo@example.com');
    expect(again.receipt.person_hash).not.toBe(done.receipt.person_hash);
    expect(await filesWith(server.dataDir, address)).toEqual([]);
    const search = await api.post('/api/v1/persons/search', { q: address });
    expect(search.body).toMatchObject({ total: 0, examples: [], truncated: false });
  });

  it('ends with a receipt that only this instance can have signed', async () => {
    const { receipt } = await erase('nobody.at.all@example.com');
    expect(receipt.counts).toEqual({});
    const check = async (one: object) => (await api.post('/api/v1/erasures/check-receipt', one)).body;
    expect(await check(receipt)).toEqual({ valid: true });
    expect(await check({ ...receipt, files_removed: 1 })).toEqual({ valid: false });
    expect(await check({ ...receipt, counts: { submissions: 1 } })).toEqual({ valid: false });
    const list = await api.get('/api/v1/erasures');
    expect(list.body.data.map((one: { id: string }) => one.id)).toContain(receipt.erasure_id);
  });

  it('waits for a delivery that is being sent, and sends no other one', async () => {
    const hanging = await startHanging();
    const form = await makeForm(server.url, { form: { webhook_url: hanging.url } });
    const id = await submit(form.endpoint, { email: 'flight@example.com' });
    await becomes(
      () => hanging.requests.length,
      (count) => count === 1,
    );
    const begun = await api.post('/api/v1/persons/erase', { q: 'flight@example.com' });
    const running = await api.get(`/api/v1/erasures/${begun.body.id}`);
    expect(running.body).toMatchObject({ status: 'running', receipt: null });
    await hanging.close();
    await finished(begun.body.id);
    expect((await api.get(`/api/v1/submissions/${id}`)).status).toBe(404);
    expect(await filesWith(server.dataDir, 'flight@example.com')).toEqual([]);
  });

  it.skipIf(isOnPostgres)('ends only once nobody reads from before, such as a backup', async () => {
    const form = await makeForm(server.url);
    await submit(form.endpoint, { email: 'reader@example.com' });
    const reader = new DatabaseSync(join(server.dataDir, 'inlet.db'), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM submissions').get();
    const begun = await api.post('/api/v1/persons/erase', { q: 'reader@example.com' });
    await becomes(
      async () => (await api.get(`/api/v1/erasures/${begun.body.id}`)).body,
      ({ stage }) => stage === 'traces',
    );
    // Submissions are taken meanwhile.
    await submit(form.endpoint, { email: 'somebody@example.com' });
    expect((await api.get(`/api/v1/erasures/${begun.body.id}`)).body.status).toBe('running');
    reader.close();
    await finished(begun.body.id);
    expect(await filesWith(server.dataDir, 'reader@example.com')).toEqual([]);
  });

  it('tells the webhooks that asked for it which submissions are gone, and repeats it until it arrives', async () => {
    const receivers = await Promise.all([
      startTurning({ status: 503 }),
      startAnswering({}),
      startAnswering({}),
    ]);
    const [ofProject, ofForm, silent] = receivers;
    const form = await makeForm(server.url);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const add = async (path: string, config: object, more: object = {}) => {
      const made = await api.post(`/api/v1/${path}/destinations`, { kind: 'webhook', config, ...more });
      expect(made.status, made.text).toBe(201);
      return made.body;
    };
    const filter = { submission: { data: { name: 'nobody' } } };
    const retry = { delays: [0.1, 0.1] };
    const told = { url: ofProject.url, secret, person_erased: true };
    const shown = await add(`projects/${form.projectId}`, told, { filter, retry });
    expect(shown.config).toMatchObject({ person_erased: true });
    await add(`forms/${form.formId}`, { url: ofForm.url, person_erased: true }, { filter });
    await add(`forms/${form.formId}`, { url: silent.url }, { filter });
    await add(`forms/${form.formId}`, { url: silent.url, person_erased: true }, { filter, is_active: false });
    const ids = [
      await submit(form.endpoint, { email: 'told@example.com' }),
      await submit(form.endpoint, { email: 'told@example.com' }),
    ];
    const done = await erase('told@example.com');
    await becomes(
      () => ofProject.requests.length,
      (count) => count === 1,
    );
    ofProject.turnTo({});
    await becomes(
      () => [ofProject.requests.length, ofForm.requests.length],
      ([first, second]) => first === 2 && second === 1,
    );
    const [first, again] = ofProject.requests;
    expect(again?.body).toEqual(first?.body);
    expect(again?.headers.get('x-webhook-signature')).toBe(signatureOf(again?.body ?? Buffer.of(), secret));
    expect(again?.headers.get('x-submission-id')).toBe(done.id);
    for (const request of [again, ofForm.requests[0]])
      expect(JSON.parse(String(request?.body))).toEqual({
        event: 'person.erased',
        timestamp: expect.stringMatching(/^\d{4}-.+Z$/),
        erasure: { id: done.id },
        submission_ids: ids,
      });
    // Nobody was found.
    await erase('not.told@example.com');
    expect([ofProject.requests.length, ofForm.requests.length, silent.requests.length]).toEqual([2, 1, 0]);
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  it('keeps what is submitted after it began', async () => {
    const form = await makeForm(server.url);
    const before = await submit(form.endpoint, { email: 'back@example.com' });
    const begun = await api.post('/api/v1/persons/erase', { q: 'back@example.com' });
    const after = await submit(form.endpoint, { email: 'back@example.com' });
    await finished(begun.body.id);
    expect((await api.get(`/api/v1/submissions/${before}`)).status).toBe(404);
    expect((await api.get(`/api/v1/submissions/${after}`)).status).toBe(200);
  });

  it('finds phone numbers and names as people write them', async () => {
    const form = await makeForm(server.url);
    const ids = [
      await submit(form.endpoint, { tel: '+49 (170) 123-45 67' }),
      await submit(form.endpoint, { text: 'call 0049.170.1234567 on 2026-11-18' }),
      await submit(form.endpoint, { name: 'ZOË  Möller-Schmidt' }),
    ];
    const other = await submit(form.endpoint, { tel: '+49 170 12345678', name: 'Zoë Schmidt Möller' });
    const counts = async (q: string) =>
      (await api.post('/api/v1/persons/search', { q })).body.counts.submissions;
    expect(await counts('+49 170 1234567')).toBe(2);
    expect(await counts('zoe moller schmidt')).toBe(1);
    await erase('0049 170 1234567');
    await erase('Zoe Möller Schmidt');
    for (const id of ids) expect((await api.get(`/api/v1/submissions/${id}`)).status).toBe(404);
    expect((await api.get(`/api/v1/submissions/${other}`)).status).toBe(200);
  });

  it('refuses what nobody can be found by', async () => {
    for (const path of ['search', 'erase', 'export']) {
      const refused = await api.post(`/api/v1/persons/${path}`, { q: ' a- ' });
      expect([refused.status, refused.body.code]).toEqual([422, 'person_too_vague']);
    }
  });
});
