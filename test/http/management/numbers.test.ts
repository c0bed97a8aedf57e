/** The numbers by day, what needs attention, the state of the instance, lists of deliveries, deleting many. */
import { execFileSync } from 'node:child_process';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import {
  expectFaults,
  expectFields,
  expectProblem,
  instant,
  unknownId,
  uuid,
} from '../../support/contract.js';
import { changeStored, isOnPostgres } from '../../support/engine.js';
import { keptFiles } from '../../support/kept.js';
import { answer, startMailServer } from '../../support/mail-server.js';
import { node, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';
import { postJson } from '../../support/visitor.js';
import {
  becomes,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let reader: Client;
let outsider: Client;
let receiver: TurningReceiver;

beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '0.05,0.05,0.05,0.05' });
  api = client(server.url);
  receiver = await startTurning();
  const key = await api.post('/api/v1/api-keys', { name: 'Reader', scope: 'read' });
  reader = client(server.url, key.body.api_key);
  outsider = client(server.url, (await makeAccount(server, 'business')).api_key);
});
afterAll(async () => {
  await server.dispose();
  await receiver.close();
});

interface DayNumbers {
  readonly day: string;
  readonly received: number;
  readonly quarantined: number;
  readonly refused: number;
  readonly delivered: number;
  readonly retried: number;
  readonly failed: number;
}
const counted = ['received', 'quarantined', 'refused', 'delivered', 'retried', 'failed'] as const;

async function statsOf(query: string, who: Client = api) {
  const { status, body, text } = await who.get(`/api/v1/stats${query}`);
  expect(status, text).toBe(200);
  const days = body.days as readonly DayNumbers[];
  // Summed over all days: a test that runs over midnight has its counts on two.
  const sums = Object.fromEntries(
    counted.map((name) => [name, days.reduce((sum, one) => sum + one[name], 0)]),
  );
  return { body, days, sums };
}

const nothing = { received: 0, quarantined: 0, refused: 0, delivered: 0, retried: 0, failed: 0 };

describe('GET /api/v1/stats', () => {
  it('counts what was received, held, refused and sent, by form, project and account', async () => {
    receiver.turnTo({ status: 500 });
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const { form: other } = await client(server.url)
      .post(`/api/v1/projects/${form.projectId}/forms`, { name: 'Other', is_active: false })
      .then(({ body }) => ({ form: body }));
    const before = (await statsOf('')).sums;
    await submit(form.endpoint);
    await becomes(
      () => statsOf(`?form_id=${form.formId}`),
      ({ sums }) => sums.failed === 1,
    );
    receiver.turnTo({});
    await submit(form.endpoint);
    await submit(form.endpoint);
    await submitJson(form.endpoint, { a: 1, _gotcha: 'robot' });
    expect((await submitJson(other.endpoint, { a: 1 })).status).toBe(403);
    const { sums, body } = await becomes(
      () => statsOf(`?form_id=${form.publicId}`),
      (seen) => seen.sums.delivered === 2,
    );
    const ofForm = { ...nothing, received: 3, quarantined: 1, delivered: 2, retried: 4, failed: 1 };
    expect(sums).toEqual(ofForm);
    expect(body.delivery_ms.p50).toBeGreaterThan(0);
    expect(body.delivery_ms.p95).toBeGreaterThanOrEqual(body.delivery_ms.p50);
    expect((await statsOf(`?project_id=${form.projectId}`, reader)).sums).toEqual({ ...ofForm, refused: 1 });
    const after = (await statsOf('')).sums;
    for (const name of counted) {
      expect((after[name] ?? 0) - (before[name] ?? 0), name).toBe({ ...ofForm, refused: 1 }[name]);
    }
    expect((await statsOf('', outsider)).sums).toEqual(nothing);
  });

  it('has every day, oldest first, today last, and nothing where nothing was', async () => {
    const { formId } = await makeForm(server.url);
    for (const [query, length] of [
      ['', 30],
      ['&days=1', 1],
      ['&days=366', 366],
    ] as const) {
      const { body, days } = await statsOf(`?form_id=${formId}${query}`);
      expectFields(body, ['days', 'delivery_ms']);
      expect(body.delivery_ms).toEqual({ p50: null, p95: null });
      const last = Date.parse(`${days.at(-1)?.day}T00:00:00.000Z`);
      expect(Math.abs(Date.now() - last)).toBeLessThan(25 * 60 * 60_000);
      expect(days).toEqual(
        Array.from({ length }, (_, index) => ({
          day: new Date(last - (length - 1 - index) * 86_400_000).toISOString().slice(0, 10),
          ...nothing,
          deliveries: { delivered: 0, waiting: 0, paused: 0, failed: 0 },
        })),
      );
    }
  });

  it('keeps what was received when it is deleted, and forgets it with the form', async () => {
    const form = await makeForm(server.url);
    const id = await submit(form.endpoint);
    await api.delete(`/api/v1/submissions/${id}`);
    expect((await statsOf(`?form_id=${form.formId}`)).sums.received).toBe(1);
    await api.delete(`/api/v1/forms/${form.formId}`);
    expect((await statsOf(`?project_id=${form.projectId}`)).sums.received).toBe(0);
  });

  it('is nobody else’s, and refuses what it does not understand', async () => {
    const form = await makeForm(server.url);
    expectProblem(await outsider.get(`/api/v1/stats?form_id=${form.formId}`), 404, 'Form not found');
    expectProblem(await outsider.get(`/api/v1/stats?project_id=${form.projectId}`), 404, 'Project not found');
    expectProblem(await api.get(`/api/v1/stats?form_id=${unknownId}`), 404, 'Form not found');
    for (const days of ['0', '367', 'x', '1.5'])
      expectFaults(await api.get(`/api/v1/stats?days=${days}`), ['days']);
    const both = `/api/v1/stats?form_id=${form.formId}&project_id=${form.projectId}`;
    expectFaults(await api.get(both), ['project_id']);
    expectFaults(await api.get('/api/v1/stats?from=1'), ['from']);
  });

  it('counts by the days of a time zone, also those of 23 and 25 hours', async () => {
    const first = await startServer();
    let second: RunningServer | undefined;
    try {
      const { formId } = await makeForm(first.url);
      expect(await first.end()).toBe(0);
      const quarterMs = 900_000;
      const now = Math.floor(Date.now() / quarterMs);
      const quarters = Array.from({ length: 59 * 96 }, (_, n) => now - n);
      const rows = quarters.map((quarter, n) => `('${formId}', ${quarter}, 'received', 0, ${(n % 7) + 1})`);
      // A process of the previous release counted by UTC days.
      const oldDay = Math.floor(now / 96) - 3;
      await changeStored(
        first.dataDir,
        `INSERT INTO form_quarter_hours (form_id, quarter_hour, kind, slot, count) VALUES ${rows.join(', ')};
         INSERT INTO form_days (form_id, day, kind, slot, count) VALUES ('${formId}', ${oldDay}, 'received', 0, 1000000)`,
      );
      second = await startServer({ dataDir: first.dataDir });
      for (const zone of [
        'UTC',
        'Europe/Berlin',
        'America/St_Johns',
        'Asia/Kathmandu',
        'Pacific/Kiritimati',
      ]) {
        const inZone = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
        const expected = new Map([[new Date(oldDay * 86_400_000).toISOString().slice(0, 10), 1_000_000]]);
        quarters.forEach((quarter, n) => {
          const day = inZone.format(quarter * quarterMs);
          expected.set(day, (expected.get(day) ?? 0) + (n % 7) + 1);
        });
        const path = `/api/v1/stats?form_id=${formId}&days=50&time_zone=${encodeURIComponent(zone)}`;
        const { body } = await client(second.url).get(path);
        expect(body.days).toHaveLength(50);
        for (const { day, received } of body.days)
          expect([zone, day, received]).toEqual([zone, day, expected.get(day) ?? 0]);
        const report = await client(second.url).get(
          `/api/v1/forms/${formId}/rejections?time_zone=${encodeURIComponent(zone)}`,
        );
        expect(report.body.days.at(-1).day).toBe(body.days.at(-1).day);
      }
      expectFaults(await client(second.url).get('/api/v1/stats?time_zone=Mars%2FOlympus'), ['time_zone']);
      expectFaults(await client(second.url).get(`/api/v1/stats?time_zone=${'a'.repeat(65)}`), ['time_zone']);
    } finally {
      await second?.dispose();
      await first.dispose();
    }
  });

  it('survives a restart', async () => {
    const first = await startServer();
    let second: RunningServer | undefined;
    try {
      const form = await makeForm(first.url, { form: { webhook_url: receiver.url } });
      await submit(form.endpoint);
      const path = `/api/v1/stats?form_id=${form.formId}`;
      await becomes(
        () => client(first.url).get(path),
        ({ body }) => body.days.at(-1).delivered + body.days.at(-2).delivered === 1,
      );
      expect(await first.end()).toBe(0);
      second = await startServer({ dataDir: first.dataDir });
      const { body } = await client(second.url).get(path);
      const sum = (name: string) => body.days.reduce((all: number, one: never) => all + one[name], 0);
      expect([sum('received'), sum('delivered')]).toEqual([1, 1]);
    } finally {
      await second?.dispose();
      await first.dispose();
    }
  });
});

describe('GET /api/v1/attention', () => {
  interface Item {
    readonly kind: string;
    readonly form_id: string | null;
    readonly form_name: string | null;
    readonly count: number;
    readonly detail: string;
  }
  const itemFields = ['kind', 'form_id', 'form_name', 'count', 'detail', 'project_id', 'destination'];
  /** The properties of an item about a form alone. */
  const ofForm = ({ formId, projectId }: MadeForm) => ({
    form_id: formId,
    project_id: projectId,
    destination: null,
  });
  const attention = async (formId: string, who: Client = api, url = '/api/v1/attention') => {
    const { status, body, text } = await who.get(url);
    expect(status, text).toBe(200);
    expectFields(body, ['data']);
    for (const item of body.data)
      expectFields(item, item.kind === 'receiver_failing' ? [...itemFields, 'given_up'] : itemFields);
    return (body.data as Item[]).filter((item) => item.form_id === formId);
  };

  it('says nothing of a form that is well', async () => {
    receiver.turnTo({});
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    await submit(form.endpoint);
    expect(await attention(form.formId)).toEqual([]);
  });

  it('names a receiver that fails, until it was sent again', async () => {
    receiver.turnTo({ status: 500 });
    const form = await makeForm(server.url, { form: { name: 'Orders', webhook_url: receiver.url } });
    const id = await submit(form.endpoint);
    const [item] = await becomes(
      () => attention(form.formId, reader),
      (seen) => seen[0]?.kind === 'receiver_failing',
    );
    expect(item).toEqual({
      kind: 'receiver_failing',
      ...ofForm(form),
      form_name: 'Orders',
      count: 1,
      given_up: 1,
      detail: '1 submission of the last 7 days not delivered',
    });
    expect(await attention(form.formId, outsider)).toEqual([]);
    receiver.turnTo({});
    await api.post(`/api/v1/submissions/${id}/retry-webhook`);
    await becomes(
      () => attention(form.formId),
      (seen) => seen.length === 0,
    );
  });

  it('names a form that was left in sandbox mode and is used', async () => {
    const form = await makeForm(server.url, {
      form: { validation_mode: 'sandbox', sandbox_ips: ['192.0.2.1'] },
    });
    expect(await attention(form.formId)).toEqual([]);
    for (let n = 0; n < 2; n += 1) expect((await postJson(form.endpoint, { n })).status).toBe(403);
    expect(await attention(form.formId)).toEqual([
      {
        kind: 'sandbox_in_use',
        ...ofForm(form),
        form_name: 'Contact',
        count: 2,
        detail: 'in sandbox mode; 2 requests rejected in the last 7 days',
      },
    ]);
  });

  it('names what waits in quarantine', async () => {
    const form = await makeForm(server.url);
    await submitJson(form.endpoint, { a: 1, _gotcha: 'robot' });
    expect(await attention(form.formId)).toEqual([
      {
        kind: 'quarantine_waiting',
        ...ofForm(form),
        form_name: 'Contact',
        count: 1,
        detail: '1 submission in quarantine',
      },
    ]);
  });

  it('names a form whose mails are not taken', async () => {
    const mails = await startMailServer({
      onRcptTo: (_address, _session, callback) => callback(answer(550, 'No such user here')),
    });
    const posting = await startServer({ env: { SMTP_URL: mails.url, MAIL_FROM: 'inlet@example.com' } });
    try {
      const form = await makeForm(posting.url, { form: { notify_emails: ['gone@example.com'] } });
      await submit(form.endpoint);
      const [item] = await becomes(
        () => attention(form.formId, client(posting.url)),
        (seen) => seen.length > 0,
      );
      expect(item).toMatchObject({
        kind: 'mail_failing',
        form_name: 'Contact',
        count: 1,
        detail: '1 mail not taken in the last 2 days',
      });
      const { body } = await client(posting.url).get('/api/v1/instance');
      expect(body.mail).toEqual({ is_configured: true });
    } finally {
      await posting.dispose();
      await mails.close();
    }
  });
});

describe('GET /api/v1/instance', () => {
  it('tells version, database, storage, queue, mail, and who asks', async () => {
    const { status, body } = await reader.get('/api/v1/instance');
    expect(status).toBe(200);
    expectFields(body, [
      'version',
      'node',
      'started_at',
      'uptime_s',
      'database',
      'storage',
      'queue',
      'mail',
      'processes',
      'your_ip',
    ]);
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(body.node).toBe(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim());
    expect(body.started_at).toMatch(instant);
    expect(Date.parse(body.started_at)).toBeLessThanOrEqual(Date.now());
    expect(body.uptime_s).toBeGreaterThanOrEqual(0);
    expectFields(body.database, ['engine', 'size_bytes']);
    expect(body.database.engine).toBe(isOnPostgres ? 'postgresql' : 'sqlite');
    expect(body.database.size_bytes).toBeGreaterThan(10_000);
    expectFields(body.storage, ['kind', 'free_bytes']);
    expect(body.storage.kind).toBe('disk');
    expect(body.storage.free_bytes).toBeGreaterThan(0);
    expect(body.mail).toEqual({ is_configured: false });
    expect(body.your_ip).toBe('127.0.0.1');
  });

  it('lists the processes that serve it', async () => {
    const { body } = await reader.get('/api/v1/instance');
    const { started_at, seen_at, ...rest } = body.processes[0];
    expect(body.processes).toHaveLength(1);
    expect(rest).toEqual({ role: 'all', host: hostname(), pid: server.process.pid, version: body.version });
    expect([started_at, seen_at]).toEqual([expect.stringMatching(instant), expect.stringMatching(instant)]);
    const again = (await reader.get('/api/v1/instance')).body.processes[0];
    expect(Date.parse(again.seen_at)).toBeGreaterThanOrEqual(Date.parse(seen_at));
  });

  it('tells sizes and the queue to the oldest account only: they are the operator’s', async () => {
    const { status, body } = await outsider.get('/api/v1/instance');
    expect(status).toBe(200);
    expect(body.database).toEqual({ engine: isOnPostgres ? 'postgresql' : 'sqlite', size_bytes: null });
    expect(body.storage).toEqual({ kind: 'disk', free_bytes: null });
    expect(body.queue).toEqual({ age_ms: null, waiting: null });
    expect(body.processes).toBeNull();
    expect([body.mail, body.your_ip]).toEqual([{ is_configured: false }, '127.0.0.1']);
    expect((await reader.get('/api/v1/instance')).body.database.size_bytes).toBeGreaterThan(0);
  });

  it('counts what waits to be sent', async () => {
    receiver.turnTo({ status: 500 });
    const waiting = await startServer();
    try {
      const form = await makeForm(waiting.url, { form: { webhook_url: receiver.url } });
      for (let n = 0; n < 3; n += 1) await submit(form.endpoint);
      const { body } = await client(waiting.url).get('/api/v1/instance');
      expect(body.queue.waiting).toBe(3);
      expect(body.queue.age_ms).toBeGreaterThanOrEqual(0);
    } finally {
      await waiting.dispose();
    }
  });

  it('tells the address behind a trusted proxy', async () => {
    const behind = await startServer({ env: { TRUST_PROXY: '127.0.0.1' } });
    try {
      const response = await fetch(`${behind.url}/api/v1/instance`, {
        headers: { authorization: 'Bearer test-key-0123456789abcdef', 'x-forwarded-for': '203.0.113.9' },
      });
      expect(((await response.json()) as { your_ip: string }).your_ip).toBe('203.0.113.9');
    } finally {
      await behind.dispose();
    }
  });
});

describe('lists of deliveries', () => {
  let form: MadeForm;
  let ids: string[];
  beforeAll(async () => {
    receiver.turnTo({});
    form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    ids = [];
    const statesBecome = (...states: string[]) =>
      becomes(
        () => api.get(`/api/v1/forms/${form.formId}/deliveries`),
        ({ body }) => body.data.map(({ state }: { state: string }) => state).join() === states.join(),
      );
    for (let n = 0; n < 4; n += 1) ids.unshift(await submit(form.endpoint));
    const delivered = ['delivered', 'delivered', 'delivered', 'delivered'];
    await statesBecome(...delivered);
    receiver.turnTo({ status: 503 });
    ids.unshift(await submit(form.endpoint));
    await statesBecome('failed', ...delivered);
  });

  it.each(['form', 'project'] as const)('of a %s are newest first, with all fields', async (owner) => {
    const id = owner === 'form' ? form.formId : form.projectId;
    const { status, body } = await reader.get(`/api/v1/${owner}s/${id}/deliveries`);
    expect(status).toBe(200);
    expectFields(body, ['data', 'next_cursor']);
    expect(body.next_cursor).toBeNull();
    expect(body.data.map((item: { submission_id: string }) => item.submission_id)).toEqual(ids);
    for (const item of body.data) {
      expectFields(item, [
        'id',
        'submission_id',
        'form_id',
        'destination_id',
        'kind',
        'name',
        'target',
        'url',
        'state',
        'attempts',
        'last_status',
        'last_error',
        'last_attempt_at',
        'paused_in',
        'next_attempt_at',
        'created_at',
      ]);
      expect(item.id).toMatch(uuid);
      expect(item.created_at).toMatch(instant);
      expect(item).toMatchObject({
        form_id: form.formId,
        target: 'form',
        url: receiver.url,
        next_attempt_at: null,
        paused_in: null,
      });
      expect(item.last_attempt_at).toMatch(instant);
    }
    expect(body.data[0]).toMatchObject({
      state: 'failed',
      attempts: 5,
      last_status: 503,
      last_error: 'http_5xx',
    });
    expect(body.data[1]).toMatchObject({
      state: 'delivered',
      attempts: 1,
      last_status: 200,
      last_error: null,
    });
  });

  it('go on page by page, and are filtered by state and address', async () => {
    const path = `/api/v1/forms/${form.formId}/deliveries`;
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await api.get(`${path}?limit=2${cursor}`);
      seen.push(...body.data.map((item: { submission_id: string }) => item.submission_id));
      if (body.next_cursor === null) break;
      expect(body.data).toHaveLength(2);
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(seen).toEqual(ids);
    const found = async (query: string) =>
      (await api.get(`${path}?${query}`)).body.data.map(
        (item: { submission_id: string }) => item.submission_id,
      );
    expect(await found('state=failed')).toEqual(ids.slice(0, 1));
    expect(await found('state=delivered')).toEqual(ids.slice(1));
    expect(await found('state=pending')).toEqual([]);
    expect(await found(`url=${encodeURIComponent(receiver.url)}&state=failed`)).toEqual(ids.slice(0, 1));
    expect(await found('url=https://elsewhere.example/')).toEqual([]);
  });

  it('are nobody else’s, and refuse what they do not understand', async () => {
    const path = `/api/v1/forms/${form.formId}/deliveries`;
    expectProblem(await outsider.get(path), 404, 'Form not found');
    expectProblem(
      await outsider.get(`/api/v1/projects/${form.projectId}/deliveries`),
      404,
      'Project not found',
    );
    for (const [query, name] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['state=lost', 'state'],
      ['cursor=abc', 'cursor'],
      [`cursor=${Buffer.from(`${unknownId} ${unknownId} x`).toString('base64url')}`, 'cursor'],
      ['q=x', 'q'],
    ] as const) {
      expectFaults(await api.get(`${path}?${query}`), [name]);
    }
  });
});

describe('POST /api/v1/submissions/delete', () => {
  it('deletes those that are there, with their files, and counts them', async () => {
    const form = await makeForm(server.url);
    const before = (await keptFiles(server)).length;
    const file = { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' };
    const withFile = await submitFiles(form.endpoint, [file]);
    const plain = await submit(form.endpoint);
    const kept = await submitFiles(form.endpoint, [file]);
    const ids = [withFile.body.submission_id, plain, plain, unknownId, 'no id'];
    const done = await api.post('/api/v1/submissions/delete', { ids });
    expect([done.status, done.body]).toEqual([200, { deleted: 2 }]);
    const left = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body.data;
    expect(left.map(({ id }: { id: string }) => id)).toEqual([kept.body.submission_id]);
    expectProblem(await api.get(`/api/v1/files/${withFile.body.files[0].id}`), 410, 'File has been deleted');
    expect((await api.get(`/api/v1/files/${kept.body.files[0].id}`)).status).toBe(200);
    expect((await keptFiles(server)).length).toBe(before + 1);
    expect((await api.post('/api/v1/submissions/delete', { ids })).body).toEqual({ deleted: 0 });
  });

  it('leaves alone what is another account’s, and needs a key that may change things', async () => {
    const form = await makeForm(server.url);
    const ids = [await submit(form.endpoint)];
    expect((await outsider.post('/api/v1/submissions/delete', { ids })).body).toEqual({ deleted: 0 });
    expectProblem(await reader.post('/api/v1/submissions/delete', { ids }), 403, 'This API key is read-only');
    expect((await api.get(`/api/v1/submissions/${ids[0]}`)).status).toBe(200);
  });

  it('takes a hundred at once and no more', async () => {
    const path = '/api/v1/submissions/delete';
    const many = (length: number) => ({ ids: Array.from({ length }, () => unknownId) });
    expect((await api.post(path, many(100))).body).toEqual({ deleted: 0 });
    expectFaults(await api.post(path, many(101)), ['ids']);
    expectFaults(await api.post(path, many(0)), ['ids']);
    expectFaults(await api.post(path, {}), ['ids']);
    expectFaults(await api.post(path, { ids: ['x'.repeat(65)] }), ['ids.0']);
    expectFaults(await api.post(path, { ids: [unknownId], all: true }), ['all']);
  });
});
