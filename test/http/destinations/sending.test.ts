/** Submissions on their way to destinations: who gets which, in what form, and what happens to those that fail. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload } from '../../support/cli.js';
import { type Answer, type Client, client, type MadeForm, makeForm, request } from '../../support/client.js';
import { expectFaults, expectFields, fields } from '../../support/contract.js';
import type { RunningServer } from '../../support/server.js';
import {
  becomes,
  hasState,
  signatureOf,
  startHookServer,
  startTurning,
  submit,
  type TurningReceiver,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '0.02,0.02,0.02,0.02' });
  api = client(server.url);
});
afterAll(() => server.dispose());

type Json = Record<string, unknown>;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

async function aWebhook(owner: string, receiver: TurningReceiver, more: Json = {}): Promise<Answer['body']> {
  const { config, ...rest } = more;
  const body = { kind: 'webhook', config: { url: receiver.url, ...(config as Json) }, ...rest };
  const answer = await api.post(`/api/v1/${owner}/destinations`, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const ofForm = ({ formId }: MadeForm): string => `forms/${formId}`;
const deliveriesOf = async (id: string) => (await api.get(`/api/v1/submissions/${id}/deliveries`)).body;
const allEnded = (id: string) =>
  becomes(
    () => deliveriesOf(id),
    ({ data }) => data.length > 0 && data.every(({ state }: { state: string }) => state !== 'pending'),
  );
const destination = async (id: string) => (await api.get(`/api/v1/destinations/${id}`)).body;

describe('a webhook of its own', () => {
  it('is sent as it is configured: method, headers, secret', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url);
    const made = await aWebhook(ofForm(form), receiver, {
      name: 'CRM',
      config: { method: 'PUT', headers: { 'X-Team': 'sales', Authorization: 'Bearer hidden' }, secret },
    });
    const id = await submit(form.endpoint);
    const { data, skipped } = await allEnded(id);
    expect(skipped).toEqual([]);
    expectFields(data[0], fields.delivery);
    expect(data[0]).toMatchObject({
      destination_id: made.id,
      kind: 'webhook',
      name: 'CRM',
      target: 'form',
      url: receiver.url,
      state: 'delivered',
    });
    const [seen] = receiver.requests;
    expect(seen?.method).toBe('PUT');
    expect(seen?.headers.get('x-team')).toBe('sales');
    expect(seen?.headers.get('authorization')).toBe('Bearer hidden');
    expect(seen?.headers.get('x-webhook-signature')).toBe(signatureOf(seen?.body ?? Buffer.of(), secret));
    expect(seen?.headers.get('webhook-id')).toBe(data[0].id);
    await receiver.close();
  });

  it('may be urlencoded: members of the event by name, objects as JSON', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url);
    await aWebhook(ofForm(form), receiver, { config: { content_type: 'application/x-www-form-urlencoded' } });
    const id = await submit(form.endpoint, { name: 'Ada & Co' });
    await allEnded(id);
    const [seen] = receiver.requests;
    expect(seen?.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
    const sent = new URLSearchParams(seen?.body.toString());
    expect([...sent.keys()]).toEqual(['event', 'timestamp', 'form', 'submission']);
    expect(JSON.parse(sent.get('submission') ?? '')).toMatchObject({ id, data: { name: 'Ada & Co' } });
    await receiver.close();
  });

  it('sends what its template makes of a submission, with the types of the values', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url);
    await aWebhook(ofForm(form), receiver, {
      template: {
        who: '{{fields.name}}',
        age: '{{fields.age}}',
        nobody: '{{fields.none}}',
        text: 'Hi {{fields.name}}!',
      },
    });
    await allEnded(await submit(form.endpoint, { name: '"Ada"', age: 36 }));
    expect(JSON.parse(String(receiver.requests[0]?.body))).toEqual({
      who: '"Ada"',
      age: 36,
      nobody: null,
      text: 'Hi "Ada"!',
    });
    await receiver.close();
  });

  it('of a project gets the submissions of all its forms, beside the built-in one', async () => {
    const [built, own] = [await startTurning(), await startTurning()];
    const form = await makeForm(server.url, { form: { webhook_url: built.url } });
    await aWebhook(`projects/${form.projectId}`, own);
    const { data } = await allEnded(await submit(form.endpoint));
    expect(data.map(({ target, name }: Json) => [target, name])).toEqual([
      ['form', 'Webhook'],
      ['project', 'Webhook'],
    ]);
    expect([built.requests.length, own.requests.length]).toEqual([1, 1]);
    await Promise.all([built.close(), own.close()]);
  });

  it('is retried by its own schedule', async () => {
    const receiver = await startTurning({ status: 500 });
    const form = await makeForm(server.url);
    await aWebhook(ofForm(form), receiver, { retry: { delays: [0.01, 0.01] } });
    const { data } = await allEnded(await submit(form.endpoint));
    expect(data[0]).toMatchObject({ state: 'failed' });
    expect(data[0].attempts).toHaveLength(3);
    await receiver.close();
  });

  it('that never is retried fails at once', async () => {
    const receiver = await startTurning({ status: 500 });
    const form = await makeForm(server.url);
    await aWebhook(ofForm(form), receiver, { retry: { delays: [] } });
    const { data } = await allEnded(await submit(form.endpoint));
    expect(data[0].attempts).toHaveLength(1);
    await receiver.close();
  });
});

describe('a filter', () => {
  it('sends each submission where it belongs, and says where it was skipped', async () => {
    const [sales, rest] = [await startTurning(), await startTurning()];
    const form = await makeForm(server.url);
    const isSales = { submission: { data: { topic: 'sales' } } };
    const first = await aWebhook(ofForm(form), sales, { name: 'Sales', filter: isSales });
    const second = await aWebhook(ofForm(form), rest, { name: 'Support', filter: { $not: isSales } });
    const [one, other] = [
      await submit(form.endpoint, { topic: 'sales' }),
      await submit(form.endpoint, { topic: 'help' }),
    ];
    expect((await allEnded(one)).skipped).toEqual([
      { destination_id: second.id, kind: 'webhook', name: 'Support' },
    ]);
    expect((await allEnded(other)).skipped).toEqual([
      { destination_id: first.id, kind: 'webhook', name: 'Sales' },
    ]);
    expect(sales.requests.map(({ headers }) => headers.get('x-submission-id'))).toEqual([one]);
    expect(rest.requests.map(({ headers }) => headers.get('x-submission-id'))).toEqual([other]);
    await Promise.all([sales.close(), rest.close()]);
  });

  it('also works for the built-in webhook', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const [built] = (await api.get(`/api/v1/forms/${form.formId}/destinations`)).body.data;
    const filter = { submission: { data: { topic: 'sales' } } };
    expect((await api.patch(`/api/v1/destinations/${built.id}`, { filter })).status).toBe(200);
    const skippedId = await submit(form.endpoint, { topic: 'help' });
    await allEnded(await submit(form.endpoint, { topic: 'sales' }));
    expect(receiver.requests).toHaveLength(1);
    expect(await deliveriesOf(skippedId)).toEqual({
      data: [],
      skipped: [{ destination_id: built.id, kind: 'webhook', name: 'Webhook' }],
    });
    await receiver.close();
  });
});

it('a destination that is switched off or removed gets nothing, and what waited for it ends', async () => {
  const receiver = await startTurning({ status: 500 });
  const form = await makeForm(server.url);
  const made = await aWebhook(ofForm(form), receiver, { retry: { delays: [3, 3, 3, 3, 3] } });
  const id = await submit(form.endpoint);
  await becomes(
    () => receiver.requests.length,
    (count) => count > 0,
  );
  expect((await api.patch(`/api/v1/destinations/${made.id}`, { is_active: false })).status).toBe(200);
  const { data } = await allEnded(id);
  expect(data[0].attempts.at(-1).error).toBe('cancelled: the destination is disabled');
  expect((await deliveriesOf(await submit(form.endpoint))).data).toEqual([]);
  expect(await destination(made.id)).toMatchObject({ is_active: false, status: { state: 'disabled' } });

  const second = await aWebhook(ofForm(form), receiver, { retry: { delays: [0.5, 0.5] } });
  const other = await submit(form.endpoint);
  const before = receiver.requests.length;
  await becomes(
    () => receiver.requests.length,
    (count) => count >= before,
  );
  expect((await api.delete(`/api/v1/destinations/${second.id}`)).status).toBe(204);
  const ended = await allEnded(other);
  expect(ended.data[0]).toMatchObject({ state: 'failed', name: 'Removed destination' });
  await receiver.close();
});

it('410 disables it; a built-in webhook only ends that delivery', async () => {
  const receiver = await startTurning({ status: 410 });
  const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
  const made = await aWebhook(ofForm(form), receiver, { config: { url: `${receiver.url}?own` } });
  await allEnded(await submit(form.endpoint));
  const disabled = await becomes(
    () => destination(made.id),
    ({ status }) => status.state === 'disabled',
  );
  expect(disabled).toMatchObject({ is_active: false });
  expect(disabled.status.last_error).toMatch(/^gone: /);
  const { data } = await allEnded(await submit(form.endpoint));
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ name: 'Webhook', state: 'failed' });
  expect((await api.patch(`/api/v1/destinations/${made.id}`, { is_active: true })).body.status).toMatchObject(
    {
      state: 'ok',
      failing_since: null,
    },
  );
  await receiver.close();
});

describe('a test', () => {
  it('returns the whole exchange, without secrets', async () => {
    const receiver = await startTurning({ status: 202, body: 'hidden-token came' });
    const form = await makeForm(server.url);
    const made = await aWebhook(ofForm(form), receiver, {
      config: { headers: { 'X-Api-Token': 'hidden-token', 'X-Team': 'sales' } },
      template: { hello: '{{fields.name}}' },
    });
    const answer = await api.post(`/api/v1/destinations/${made.id}/test`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ delivered: true, status: 202, error: null, response: '••• came' });
    expect(answer.body.request).toMatchObject({
      method: 'POST',
      url: receiver.url,
      body: '{"hello":"Ada Lovelace"}',
    });
    expect(answer.body.request.headers).toMatchObject({ 'x-api-token': '•••', 'x-team': 'sales' });
    expect(receiver.requests[0]?.headers.get('x-api-token')).toBe('hidden-token');
    expect(answer.text).not.toContain('hidden-token');
    receiver.turnTo({ status: 500 });
    expect((await api.post(`/api/v1/destinations/${made.id}/test`)).body).toMatchObject({
      delivered: false,
      status: 500,
      error: 'http_5xx',
    });
    // A test is not a delivery.
    expect(await destination(made.id)).toMatchObject({ status: { state: 'ok', last_success_at: null } });
    await receiver.close();
  });
});

describe('a preview', () => {
  it('counts which of the last submissions match, and shows what the newest becomes', async () => {
    const form = await makeForm(server.url);
    for (const name of ['Ada', 'Grace']) await submit(form.endpoint, { name, topic: 'sales' });
    await submit(form.endpoint, { name: 'Edsger', topic: 'help' });
    const preview = (body: Json) => api.post(`/api/v1/forms/${form.formId}/destinations/preview`, body);
    const filter = { submission: { data: { topic: 'sales' } } };
    const template = { name: '{{fields.name}}' };
    expect((await preview({ kind: 'webhook', filter, template })).body).toEqual({
      matched: 2,
      of: 3,
      body: '{"name":"Grace"}',
    });
    expect((await preview({ kind: 'slack', template: 'From {{fields.name}}' })).body.body).toContain(
      'Edsger',
    );
    expect((await preview({ kind: 'email', filter: { submission: { id: 'none' } } })).body).toEqual({
      matched: 0,
      of: 3,
      body: null,
    });
    const ofProject = await api.post(`/api/v1/projects/${form.projectId}/destinations/preview`, {
      kind: 'webhook',
    });
    expect(ofProject.body).toMatchObject({ matched: 3, of: 3 });
    expectFaults(await preview({ kind: 'webhook', filter: { submission: { $gt: {} } } }), [
      'filter.submission.$gt',
    ]);
    expectFaults(await preview({ kind: 'webhook', template: { a: '{{#b}}' } }), ['template.a']);
  });

  it('links to files only for those who are signed in', async () => {
    const form = await makeForm(server.url);
    await upload(form.endpoint, 'a note');
    const template = '{{#submission.files}}{{url}}{{/submission.files}}';
    for (const draft of [{ kind: 'slack' }, { kind: 'slack', template }]) {
      const { body } = await api.post(`/api/v1/forms/${form.formId}/destinations/preview`, draft);
      const [url] = /http[^"|>\s\\]+\/download[^"|>\s\\]*/.exec(body.body) ?? [];
      expect(url).toMatch(/\/download$/);
      expect((await request(url ?? '')).status).toBe(401);
    }
  });
});

describe('a backfill', () => {
  const backfill = (id: string, body: Json) => api.post(`/api/v1/destinations/${id}/backfill`, body);
  const finished = (id: string) =>
    becomes(
      async () => (await api.get(`/api/v1/deliveries/replays/${id}`)).body,
      ({ status }) => status === 'finished',
    );

  it('sends what the destination never got, by its filter and another, once', async () => {
    const receiver = await startTurning();
    const form = await makeForm(server.url);
    const ids: string[] = [];
    for (const topic of ['sales', 'help', 'sales']) {
      ids.push(await submit(form.endpoint, { topic, size: ids.length }));
    }
    const made = await aWebhook(ofForm(form), receiver, {
      filter: { submission: { data: { topic: 'sales' } } },
    });
    expect((await backfill(made.id, { dry_run: true })).body).toEqual({ count: 2 });
    const small = { submission: { data: { size: { $lt: 1 } } } };
    expect((await backfill(made.id, { dry_run: true, filter: small })).body).toEqual({ count: 1 });
    expect(receiver.requests).toHaveLength(0);
    const begun = await backfill(made.id, { per_minute: 60_000 });
    expect(begun.status).toBe(202);
    expect(begun.body).toMatchObject({
      form_id: form.formId,
      project_id: null,
      destination_id: made.id,
      count: 2,
    });
    expect(await finished(begun.body.id)).toMatchObject({ sent: 2 });
    const { data } = await allEnded(ids[0] ?? '');
    expect(data[0]).toMatchObject({ destination_id: made.id, state: 'delivered' });
    expect(data[0].attempts).toMatchObject([{ trigger: 'replay' }]);
    expect(receiver.requests.map(({ headers }) => headers.get('x-submission-id')).sort()).toEqual(
      [ids[0], ids[2]].sort(),
    );
    expect((await backfill(made.id, { dry_run: true })).body).toEqual({ count: 0 });
    expect(await finished((await backfill(made.id, {})).body.id)).toMatchObject({ count: 0, sent: 0 });
    expect(receiver.requests).toHaveLength(2);
    await receiver.close();
  });

  it('of a project takes all its forms, sends again what failed, and keeps to times', async () => {
    const receiver = await startTurning({ status: 500 });
    const form = await makeForm(server.url);
    const made = await aWebhook(`projects/${form.projectId}`, receiver, { retry: { delays: [] } });
    const id = await submit(form.endpoint);
    await allEnded(id);
    receiver.turnTo({ status: 200 });
    const past = new Date(Date.now() - 60_000).toISOString();
    expect((await backfill(made.id, { dry_run: true, until: past })).body).toEqual({ count: 0 });
    const begun = await backfill(made.id, { since: past, per_minute: 60_000 });
    expect(await finished(begun.body.id)).toMatchObject({ count: 1, sent: 1, project_id: form.projectId });
    const delivered = await becomes(
      () => deliveriesOf(id),
      ({ data }) => hasState('delivered')(data[0]),
    );
    expect(delivered.data).toHaveLength(1);
    expectFaults(await backfill(made.id, { filter: { $nope: 1 } }), ['filter.$nope']);
    await receiver.close();
  });

  it('sends failed deliveries again only when they pass its filter and another', async () => {
    const receiver = await startTurning({ status: 500 });
    const form = await makeForm(server.url);
    const made = await aWebhook(ofForm(form), receiver, { retry: { delays: [] } });
    const topics = ['sales', 'sales', 'help'];
    const ids: string[] = [];
    for (const topic of topics) ids.push(await submit(form.endpoint, { topic, size: ids.length }));
    for (const id of ids) await allEnded(id);
    receiver.turnTo({ status: 200 });
    const filter = { submission: { data: { topic: 'sales' } } };
    expect((await api.patch(`/api/v1/destinations/${made.id}`, { filter })).status).toBe(200);
    expect((await backfill(made.id, { dry_run: true })).body).toEqual({ count: 2 });
    const small = { submission: { data: { size: { $lt: 1 } } } };
    expect((await backfill(made.id, { dry_run: true, filter: small })).body).toEqual({ count: 1 });
    const begun = await backfill(made.id, { filter: small, per_minute: 60_000 });
    expect(await finished(begun.body.id)).toMatchObject({ count: 1, sent: 1 });
    const states = await becomes(
      async () => (await Promise.all(ids.map(deliveriesOf))).map(({ data }) => data[0].state),
      ([first]) => first === 'delivered',
    );
    expect(states).toEqual(['delivered', 'failed', 'failed']);
    await receiver.close();
  });
});
