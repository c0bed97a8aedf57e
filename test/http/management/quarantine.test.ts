/** What bots sent, as the owner sees it, and what happens when it was a person after all. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { filePart, textPart } from '../../support/bodies.js';
import { type Client, client, type MadeForm, makeForm, request } from '../../support/client.js';
import { expectFaults, instant, unknownId, uuid } from '../../support/contract.js';
import { keptFiles } from '../../support/kept.js';
import { startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { postJson, postMultipart } from '../../support/visitor.js';
import { becomes, deliveriesOf, startHookServer } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const quarantineOf = async (form: MadeForm) =>
  (await api.get(`/api/v1/forms/${form.formId}/spam`)).body.data as Record<string, unknown>[];

const trapped = async (form: MadeForm, body: Record<string, unknown> = { name: 'Bot' }): Promise<string> => {
  const answer = await postJson(
    form.endpoint,
    { ...body, _gotcha: 'x' },
    { referer: 'https://example.com/contact', 'user-agent': 'Robot/1' },
  );
  expect(answer.status).toBe(200);
  return answer.body.submission_id as string;
};

describe('the quarantine', () => {
  it('shows every field that a bot sent, except the honeypot', async () => {
    const form = await makeForm(server.url);
    const id = await trapped(form, { b: 1, a: ['ü'] });
    const page = await api.get(`/api/v1/forms/${form.formId}/spam`);
    expect(page.body).toEqual({
      data: [
        {
          id,
          form_id: form.formId,
          project_id: form.projectId,
          data: { b: 1, a: ['ü'] },
          field: '_gotcha',
          files_dropped: 0,
          metadata: {
            ip: '127.0.0.1',
            user_agent: 'Robot/1',
            submitted_from: 'https://example.com/contact',
          },
          created_at: expect.stringMatching(instant),
          expires_at: expect.stringMatching(instant),
        },
      ],
      next_cursor: null,
    });
    const [item] = page.body.data;
    expect(Date.parse(item.expires_at) - Date.parse(item.created_at)).toBe(30 * 86_400_000);
    expect(page.text).toContain('{"b":1,"a":["ü"]}');
  });

  it('says how many files came and keeps none of them', async () => {
    const form = await makeForm(server.url);
    const before = (await keptFiles(server)).length;
    const parts = [filePart('cv', 'cv.txt', 'x', 'text/plain'), textPart('_honeypot', 'bot')];
    expect((await postMultipart(form.endpoint, parts, { accept: 'application/json' })).status).toBe(200);
    expect(await quarantineOf(form)).toMatchObject([{ files_dropped: 1, field: '_honeypot' }]);
    await expect.poll(async () => (await keptFiles(server)).length).toBe(before);
  });

  it('catches a file in the trap as well', async () => {
    const form = await makeForm(server.url);
    const parts = [textPart('name', 'Bot'), filePart('_gotcha', 'x.txt', 'x', 'text/plain')];
    expect((await postMultipart(form.endpoint, parts, { accept: 'application/json' })).status).toBe(200);
    expect(await quarantineOf(form)).toMatchObject([{ files_dropped: 1, field: '_gotcha' }]);
  });

  it('is paged, newest first, by form and over all forms', async () => {
    const { api_key: key } = await makeAccount(server, 'enterprise');
    const mine = client(server.url, key);
    const [one, two] = [await makeForm(server.url, { key }), await makeForm(server.url, { key })];
    const ids = [await trapped(one), await trapped(two), await trapped(one)];
    const pages: string[][] = [];
    let cursor = '';
    do {
      const { body } = await mine.get(`/api/v1/spam?limit=2${cursor}`);
      pages.push(body.data.map((item: { id: string }) => item.id));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(pages).toEqual([[ids[2], ids[1]], [ids[0]]]);
    const { body } = await mine.get(`/api/v1/forms/${one.publicId}/spam?limit=1`);
    expect(body.data.map((item: { id: string }) => item.id)).toEqual([ids[2]]);
    expect(body.next_cursor).not.toBeNull();
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=nonsense', 'page=2'])('refuses %s', async (query) => {
    const answer = await api.get(`/api/v1/spam?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('Invalid request body');
  });

  it('shows nothing of another account, and lets it do nothing', async () => {
    const form = await makeForm(server.url);
    const id = await trapped(form);
    const other = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    expect((await other.get('/api/v1/spam')).body).toEqual({ data: [], next_cursor: null });
    expect((await other.get(`/api/v1/forms/${form.formId}/spam`)).status).toBe(404);
    expect((await other.post(`/api/v1/spam/${id}/release`)).status).toBe(404);
    expect((await other.delete(`/api/v1/spam/${id}`)).status).toBe(404);
    expect(await quarantineOf(form)).toHaveLength(1);
  });
});

describe('a release', () => {
  it('makes a new submission of it, delivers it and takes it out', async () => {
    const receiver = await startAnswering();
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const id = await trapped(form, { name: 'Ada', n: 12345678901234567890n.toString() });
    const released = await api.post(`/api/v1/spam/${id}/release`);
    expect(released.status).toBe(201);
    expect(released.body).toEqual({
      id: expect.stringMatching(uuid),
      data: { name: 'Ada', n: '12345678901234567890' },
      files: [],
      form_id: form.formId,
      project_id: form.projectId,
      metadata: { ip: '127.0.0.1', user_agent: 'Robot/1', submitted_from: 'https://example.com/contact' },
      created_at: expect.stringMatching(instant),
    });
    expect(released.body.id).not.toBe(id);
    expect((await api.get(`/api/v1/submissions/${released.body.id}`)).body).toEqual(released.body);
    await becomes(
      () => deliveriesOf(api, released.body.id),
      ([delivery]) => delivery?.state === 'delivered',
    );
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.headers.get('x-submission-id')).toBe(released.body.id);
    expect(await quarantineOf(form)).toEqual([]);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(1);
    await receiver.close();
  });

  it('happens once, however many ask for it at the same moment', async () => {
    const form = await makeForm(server.url);
    const id = await trapped(form);
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.post(`/api/v1/spam/${id}/release`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(1);
    expect((await api.post(`/api/v1/spam/${id}/release`)).body).toEqual({
      error: 'There is nothing with this id in quarantine',
      code: 'quarantined_not_found',
    });
  });
});

describe('many at once', () => {
  const idsOf = async (form: MadeForm) => (await quarantineOf(form)).map(({ id }) => id);

  it('are released, each to a submission of its own', async () => {
    const receiver = await startAnswering();
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const [one, two, three] = [await trapped(form), await trapped(form), await trapped(form)];
    const { status, body } = await api.post('/api/v1/spam/release', { ids: [one, two, one, unknownId, 'x'] });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: [one, two].map((id) => ({ id, submission_id: expect.stringMatching(uuid) })),
    });
    for (const { submission_id } of body.data) {
      await becomes(
        () => deliveriesOf(api, submission_id),
        ([delivery]) => delivery?.state === 'delivered',
      );
    }
    expect(await idsOf(form)).toEqual([three]);
    expect((await api.post('/api/v1/spam/release', { ids: [one, two] })).body).toEqual({ data: [] });
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(2);
    await receiver.close();
  });

  it('are deleted', async () => {
    const form = await makeForm(server.url);
    const [one, two, three] = [await trapped(form), await trapped(form), await trapped(form)];
    const answer = await api.post('/api/v1/spam/delete', { ids: [one, three, three, unknownId, 'x'] });
    expect([answer.status, answer.body]).toEqual([200, { deleted: 2 }]);
    expect(await idsOf(form)).toEqual([two]);
  });

  it('are all of a form, or all of the account', async () => {
    const { api_key: key } = await makeAccount(server, 'enterprise');
    const mine = client(server.url, key);
    const [form, other] = [await makeForm(server.url, { key }), await makeForm(server.url, { key })];
    const foreign = await makeForm(server.url);
    for (const each of [form, form, other, other, foreign]) await trapped(each);
    const ofForm = await mine.post('/api/v1/spam/empty', { form_id: form.publicId });
    expect([ofForm.status, ofForm.body]).toEqual([200, { deleted: 2, is_empty: true }]);
    expect((await mine.get('/api/v1/spam')).body.data).toHaveLength(2);
    expect((await mine.post('/api/v1/spam/empty')).body).toEqual({ deleted: 2, is_empty: true });
    expect((await mine.get('/api/v1/spam')).body.data).toEqual([]);
    expect((await mine.post('/api/v1/spam/empty', { form_id: foreign.formId })).status).toBe(404);
    expect(await idsOf(foreign)).toHaveLength(1);
  });

  it('are nobody else’s', async () => {
    const form = await makeForm(server.url);
    const id = await trapped(form);
    const other = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    expect((await other.post('/api/v1/spam/release', { ids: [id] })).body).toEqual({ data: [] });
    expect((await other.post('/api/v1/spam/delete', { ids: [id] })).body).toEqual({ deleted: 0 });
    expect((await other.post('/api/v1/spam/empty')).body).toEqual({ deleted: 0, is_empty: true });
    expect(await idsOf(form)).toEqual([id]);
  });

  it.each([
    ['release', 100],
    ['delete', 1_000],
  ])('are as many as %s takes', async (what, most) => {
    const path = `/api/v1/spam/${what}`;
    expectFaults(await api.post(path, { ids: [] }), ['ids']);
    expectFaults(await api.post(path, { ids: new Array(most + 1).fill(unknownId) }), ['ids']);
    expect((await api.post(path, { ids: new Array(most).fill(unknownId) })).status).toBeLessThan(300);
  });
});

it('is deleted when its owner says so', async () => {
  const form = await makeForm(server.url);
  const id = await trapped(form);
  expect((await api.delete(`/api/v1/spam/${id}`)).status).toBe(204);
  expect(await quarantineOf(form)).toEqual([]);
  expect((await api.delete(`/api/v1/spam/${id}`)).status).toBe(404);
  expect((await api.delete(`/api/v1/spam/${unknownId}`)).status).toBe(404);
});

it('goes with its form', async () => {
  const form = await makeForm(server.url);
  const id = await trapped(form);
  expect((await api.delete(`/api/v1/forms/${form.formId}`)).status).toBe(204);
  expect((await api.post(`/api/v1/spam/${id}/release`)).status).toBe(404);
});

describe('beside a receiver that is waited for', () => {
  const sent = async (endpoint: string, fields: Record<string, string>): Promise<string | null> => {
    const answer = await request(endpoint, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: new URLSearchParams(fields),
    });
    expect(answer.status).toBe(303);
    return new URL(answer.headers.get('location') ?? '').searchParams.get('webhook');
  };

  it.each([
    [200, 'delivered'],
    [500, 'pending'],
  ])('a robot is told what people are told: %i, %s', async (status, told) => {
    const receiver = await startAnswering({ status });
    const form = await makeForm(server.url, {
      form: { webhook_url: receiver.url, wait_for_webhook: true },
    });
    expect(await sent(form.endpoint, { a: '1' })).toBe(told);
    expect(await sent(form.endpoint, { a: '1', _gotcha: 'x' })).toBe(told);
    // A slow machine may see the first retry; the bot's submission is never sent.
    const submissions = new Set(receiver.requests.map(({ headers }) => headers.get('x-submission-id')));
    expect(submissions.size).toBe(1);
    await receiver.close();
  });

  it('and where there is no receiver, the same too', async () => {
    const form = await makeForm(server.url, { form: { wait_for_webhook: true } });
    expect(await sent(form.endpoint, { a: '1' })).toBe('pending');
    expect(await sent(form.endpoint, { a: '1', _gotcha: 'x' })).toBe('pending');
  });
});
