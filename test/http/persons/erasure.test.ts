/** Erasing a person: afterwards no file of the instance contains them, and everyone else is still there. */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { personPlaces } from '#inlet/model/erasure.js';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { expectProblem } from '../../support/contract.js';
import { changeStored, isOnPostgres, storedRows } from '../../support/engine.js';
import { keptFiles } from '../../support/kept.js';
import { startMailServer } from '../../support/mail-server.js';
import { asked, mailing, makeOptInForm } from '../../support/opt-in.js';
import { picture } from '../../support/pictures.js';
import { filesWith } from '../../support/raw-bytes.js';
import { type Receiver, startAnswering, startHanging } from '../../support/receivers.js';
import { type RunningServer, startServer } from '../../support/server.js';
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
    // Puts the name of the file into the audit log.
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
    // The index contains it, too.
    const listed = await api.get(`/api/v1/forms/${form.formId}/submissions?q=echo`);
    expect(listed.body.data.length).toBeGreaterThan(0);
    // Shows that the search reads database and files: finding nothing afterwards would otherwise prove nothing. Whether the tables or the
    // log contain it depends on the last checkpoint, and on other writes to the same server.
    const database = isOnPostgres ? /\/(base|pg_wal)\// : /\/inlet\.db(-wal)?$/;
    await becomes(
      () => filesWith(server.dataDir, address),
      (files) => [database, /\/files\//].every((kind) => files.some((file) => kind.test(file))),
    );

    const dry = await api.post('/api/v1/persons/erase', { q: address, dry_run: true });
    expect(dry.status).toBe(200);
    expect(dry.body.counts).toMatchObject({ submissions: 2, files: 1, quarantine: 1, notes: 1 });

    const done = await erase(' Ann.Echo@EXAMPLE.com ');
    expect(done.counts).toMatchObject({ submissions: 3, quarantine: 1, notes: 1 });
    expect(done.files_removed).toBe(1);
    // Another person's address ends with it.
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

  it('finds and erases them in every place that may hold somebody', async () => {
    const mails = await startMailServer();
    const env = { ...mailing(mails), WEBHOOK_RETRY_DELAYS: '600,600,600,600' };
    const full = await startServer({ env });
    const address = 'ann.everywhere@example.com';
    const repeating = await startAnswering({ status: 500, body: `no such user: ${address}` });
    try {
      const own = client(full.url);
      const fields = [{ name: 'email', type: 'email' }];
      const form = await makeForm(full.url, { form: { webhook_url: repeating.url, fields } });
      const newsletter = await makeOptInForm(full.url);
      await asked(newsletter, mails, address);
      const upload = { field: 'cv', filename: `${address}.pdf`, content: 'x', type: 'application/pdf' };
      expect((await submitFiles(form.endpoint, [upload], { name: 'Ann' })).status).toBe(200);
      const once = { 'idempotency-key': address };
      const sent = await submitJson(form.endpoint, { email: address, [address]: 'a field' }, once);
      const id: string = sent.body.submission_id;
      const { id: echoed } = await deliveryBecomes(own, id, hasAttempts(1));
      expect((await submitJson(form.endpoint, { _gotcha: 'spam', email: address })).status).toBe(200);
      const refused = await submitJson(form.endpoint, { email: 'no' }, { 'user-agent': address });
      expect(refused.status).toBe(422);
      const other = await submit(form.endpoint, { name: 'Bob' });
      await own.post(`/api/v1/submissions/${other}/notes`, { text: `Ask ${address}` });
      await own.post('/api/v1/views', { name: address, form_id: form.formId });
      await own.post('/api/v1/deliveries/replay', { form_id: form.formId, state: 'delivered' });
      const config = { url: repeating.url };
      await own.post(`/api/v1/forms/${form.formId}/destinations`, { kind: 'webhook', config });
      const [row] = await storedRows<{ id: string }>(full.dataDir, 'SELECT id FROM accounts');
      const inAnHour = Date.now() + 3_600_000;
      // Inserted directly: what a test would have to wait for, like a bounced mail, and what the previous release is sending.
      for (const statement of [
        `INSERT INTO suppressed_addresses (id, account_id, destination_id, address, reason, detail, created_at)
          VALUES ('${newId(1)}', '${row?.id}', '', '${address}', 'bounced', '550 no ${address}', 1)`,
        `INSERT INTO mails (id, submission_id, form_id, recipient, state, attempt, next_attempt_at, lease_token, created_at)
          VALUES ('${newId(1)}', '${other}', '${form.formId}', '${address}', 'pending', 1, ${inAnHour}, 'x', 1)`,
        `UPDATE destinations SET last_error = '550 no ${address}'`,
        `UPDATE replays SET filter = '{"q":"${address}"}'`,
      ])
        await changeStored(full.dataDir, statement);

      const counts = async (): Promise<Record<string, number>> =>
        (await own.post('/api/v1/persons/search', { q: address })).body.counts;
      // Rejections and fields are written a moment later.
      const missing = async () => {
        const found = await counts();
        return personPlaces.filter((place) => !((found[place] ?? 0) > 0));
      };
      await expect.poll(missing, { timeout: 30_000 }).toEqual([]);
      const begun = await own.post('/api/v1/persons/erase', { q: address });
      await becomes(
        async () => (await own.get(`/api/v1/erasures/${begun.body.id}`)).body.status,
        (status) => status === 'finished',
      );
      expect(await filesWith(full.dataDir, address)).toEqual([]);
      expect(Object.values(await counts()).filter((count) => count > 0)).toEqual([]);
      expect((await own.get(`/api/v1/deliveries/${echoed}`)).status).toBe(404);
      expect((await own.get(`/api/v1/submissions/${other}`)).status).toBe(200);
      const [suppressed] = (await own.get('/api/v1/suppressed-addresses')).body.data;
      expect(suppressed).toMatchObject({ address: '[erased]', reason: 'bounced' });
    } finally {
      await full.dispose();
      await repeating.close();
      await mails.close();
    }
  });

  it('removes the images that were made of theirs', async () => {
    const form = await makeForm(server.url);
    const content = await picture('png', 40, 30);
    const photo = { field: 'photo', filename: 'photo.png', type: 'image/png', content };
    const sent = await submitFiles(form.endpoint, [photo], { email: 'picture@example.com' });
    const file = (await api.get(`/api/v1/files/${sent.body.files[0].id}`)).body;
    // Notes of erasures are stored there, too.
    const stored = async () => (await keptFiles(server)).filter((path) => !path.includes('/.notes/'));
    const before = await stored();
    expect((await fetch(`${file.download_url}&w=20`)).status).toBe(200);
    await becomes(stored, ({ length }) => length === before.length + 1);
    expect(await erase('picture@example.com')).toMatchObject({
      counts: { submissions: 1 },
      files_removed: 2,
    });
    expect(await stored()).toHaveLength(before.length - 1);
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

  it('runs beside four others of the account at most, also if more begin at once', async () => {
    const hanging = await startHanging();
    const form = await makeForm(server.url, { form: { webhook_url: hanging.url } });
    await submit(form.endpoint, { email: 'often@example.com' });
    await becomes(
      () => hanging.requests.length,
      (count) => count === 1,
    );
    const asking = Array.from({ length: 15 }, () =>
      api.post('/api/v1/persons/erase', { q: 'often@example.com' }),
    );
    const answers = await Promise.all(asking);
    const begun = answers.filter(({ status }) => status === 202);
    expect(begun).toHaveLength(5);
    for (const answer of answers)
      if (!begun.includes(answer)) expectProblem(answer, 409, '5 erasures are running already', { limit: 5 });
    await hanging.close();
    await Promise.all(begun.map(({ body }) => finished(body.id)));
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
    // Submissions are accepted meanwhile.
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
    // Nothing is found, so nothing is sent.
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
