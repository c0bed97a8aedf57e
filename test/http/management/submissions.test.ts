/** Submissions for their owner: get, pages, filters, delete. Interface 2 and 4.3, decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import {
  expectDeleted,
  expectFaults,
  expectFields,
  expectProblem,
  fields,
  instant,
  uuid,
} from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
let made: MadeForm;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  made = await makeForm(server.url);
});
afterAll(() => server.dispose());

const submit = async (
  endpoint: string,
  data: unknown,
  headers: Record<string, string> = {},
): Promise<string> => {
  const answer = await submitJson(endpoint, data, headers);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.submission_id;
};
const idsOf = (data: readonly { id: string }[]): string[] => data.map((item) => item.id);
const list = async (path: string) => {
  const answer = await api.get(path);
  expect(answer.status, answer.text).toBe(200);
  expectFields(answer.body, ['data', 'next_cursor']);
  return answer.body as {
    data: { id: string; created_at: string; delivery_state?: string | null }[];
    next_cursor: string | null;
  };
};

describe('get', () => {
  it('returns exactly the fields of the decisions', async () => {
    const id = await submit(
      made.endpoint,
      { name: 'Ada', n: 5, list: [1, 'two', null], deep: { a: { b: true } } },
      { 'user-agent': 'Test/1.0', referer: 'https://example.com/contact?x=1' },
    );
    const answer = await api.get(`/api/v1/submissions/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expectFields(answer.body, fields.submission);
    expectFields(answer.body.metadata, fields.metadata);
    expect(answer.body.id).toMatch(uuid);
    expect(answer.body.created_at).toMatch(instant);
    expect(answer.body).toEqual({
      id,
      data: { name: 'Ada', n: 5, list: [1, 'two', null], deep: { a: { b: true } } },
      files: [],
      form_id: made.formId,
      project_id: made.projectId,
      metadata: {
        ip: '127.0.0.1',
        user_agent: 'Test/1.0',
        submitted_from: 'https://example.com/contact?x=1',
      },
      created_at: answer.body.created_at,
    });
  });

  it('gives absent metadata as empty strings', async () => {
    const id = await submit(made.endpoint, { a: 1 }, { 'user-agent': '' });
    const { metadata } = (await api.get(`/api/v1/submissions/${id}`)).body;
    expect(metadata).toMatchObject({ user_agent: '', submitted_from: '' });
  });

  it('shows files as summaries', async () => {
    const sent = await submitFiles(
      made.endpoint,
      [
        { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' },
        { field: 'photos', filename: 'ü b.bin', type: 'application/x-thing', content: '12345678' },
      ],
      { name: 'Ada' },
    );
    const { data, files } = (await api.get(`/api/v1/submissions/${sent.body.submission_id}`)).body;
    expect(data).toEqual({ name: 'Ada' });
    for (const file of files) expectFields(file, fields.fileSummary);
    expect(files).toEqual([
      { id: sent.body.files[0].id, field: 'cv', filename: 'cv.txt', type: 'text/plain', size: 5 },
      {
        id: sent.body.files[1].id,
        field: 'photos',
        filename: 'ü b.bin',
        type: 'application/x-thing',
        size: 8,
      },
    ]);
  });

  it('keeps order, numbers and names of the fields as they were sent', async () => {
    const text =
      '{"z":1,"10":"ten","2":"two","big":12345678901234567890,"__proto__":"p","constructor":[],"ключ":"🎉"}';
    const sent = await fetch(made.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    const { submission_id: id } = (await sent.json()) as { submission_id: string };
    expect((await api.get(`/api/v1/submissions/${id}`)).text).toContain(`"data":${text}`);
    expect((await api.get(`/api/v1/forms/${made.formId}/submissions?limit=1`)).text).toContain(
      `"data":${text}`,
    );
  });
});

describe('pages', () => {
  const total = 60;
  let many: MadeForm;
  let newestFirst: string[];
  beforeAll(async () => {
    many = await makeForm(server.url);
    newestFirst = [];
    for (let n = 0; n < total; n += 1) newestFirst.unshift(await submit(many.endpoint, { n }));
  });

  const owners = [
    ['a form', () => `/api/v1/forms/${many.formId}/submissions`],
    ['a form by its public id', () => `/api/v1/forms/${many.publicId}/submissions`],
    ['a project', () => `/api/v1/projects/${many.projectId}/submissions`],
  ] as const;

  it.each(owners)('of %s have the same objects as get, newest first, 25 at a time', async (_, path) => {
    const page = await list(path());
    expect(idsOf(page.data)).toEqual(newestFirst.slice(0, 25));
    expect(typeof page.next_cursor).toBe('string');
    expect(page.data[0]).toEqual((await api.get(`/api/v1/submissions/${newestFirst[0]}`)).body);
  });

  it.each([1, 100])('may have %i items', async (limit) => {
    const page = await list(`/api/v1/forms/${many.formId}/submissions?limit=${limit}`);
    expect(idsOf(page.data)).toEqual(newestFirst.slice(0, limit));
  });

  it('end with a null cursor when the last item is shown, also on an even count', async () => {
    const page = await list(`/api/v1/forms/${many.formId}/submissions?limit=${total}`);
    expect(page.data).toHaveLength(total);
    expect(page.next_cursor).toBeNull();
  });

  it('of a form without submissions are empty', async () => {
    const { formId } = await makeForm(server.url);
    expect(await list(`/api/v1/forms/${formId}/submissions`)).toEqual({ data: [], next_cursor: null });
  });

  it.each([
    ['garbage!'],
    [''],
    ['AAAA'],
    ['null'],
    [Buffer.from('zzz').toString('base64url')],
    [Buffer.from('abc').toString('base64url')],
    [Buffer.from('-').toString('base64url')],
    [Buffer.from("' OR 1=1 --").toString('base64url')],
    ['🎉'],
    ['a'.repeat(5000)],
  ])('refuse the cursor %s', async (cursor) => {
    for (const [, path] of owners) {
      expectFaults(await api.get(`${path()}?cursor=${encodeURIComponent(cursor)}`), ['cursor']);
      expectFaults(await api.get(`${path()}?q=x&cursor=${encodeURIComponent(cursor)}`), ['cursor']);
    }
  });

  // Last of this block, because it adds submissions while it pages.
  it.each(owners)(
    'of %s are walked by sevens without gaps or doubles while new ones arrive',
    async (_, path) => {
      const before = idsOf((await list(`${path()}?limit=100`)).data);
      const walked: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await list(`${path()}?limit=7${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        expect(page.data.length).toBe(Math.min(7, before.length - walked.length));
        walked.push(...idsOf(page.data));
        cursor = page.next_cursor;
        await submit(many.endpoint, { late: true });
      }
      expect(walked).toEqual(before);
    },
  );
});

describe('filters', () => {
  let form: MadeForm;
  let stamps: { id: string; created_at: string }[];
  beforeAll(async () => {
    form = await makeForm(server.url);
    for (let n = 0; n < 5; n += 1) {
      await submit(form.endpoint, { n });
      // The bounds are tested to the millisecond, so each submission gets its own.
      const now = Date.now();
      while (Date.now() <= now + 1);
    }
    stamps = (await list(`/api/v1/forms/${form.formId}/submissions`)).data;
  });
  const found = async (query: string) =>
    idsOf((await list(`/api/v1/forms/${form.formId}/submissions?${query}`)).data);
  const at = (index: number): string => stamps[index]?.created_at ?? '';
  const ids = (from: number, to: number): string[] => idsOf(stamps.slice(from, to));

  it('since takes its moment in, until leaves it out', async () => {
    expect(await found(`since=${at(2)}`)).toEqual(ids(0, 3));
    expect(await found(`until=${at(2)}`)).toEqual(ids(3, 5));
    expect(await found(`since=${at(3)}&until=${at(1)}`)).toEqual(ids(2, 4));
    expect(await found(`since=${at(2)}&until=${at(2)}`)).toEqual([]);
    expect(await found(`since=${at(0)}&until=${at(4)}`)).toEqual([]);
  });

  it('reach over all when wide and over nothing when outside', async () => {
    expect(await found('since=1970-01-01T00:00:00Z&until=9999-12-31T23:59:59Z')).toEqual(ids(0, 5));
    expect(await found('since=9999-01-01T00:00:00Z')).toEqual([]);
    expect(await found('until=1970-01-01T00:00:00Z')).toEqual([]);
    expect(await found('since=2020-01-01')).toEqual(ids(0, 5));
  });

  it('understand other time zones', async () => {
    const moment = new Date(Date.parse(at(2)) + 2 * 3_600_000).toISOString().replace('Z', '+02:00');
    expect(await found(`since=${encodeURIComponent(moment)}`)).toEqual(ids(0, 3));
  });

  it('go together with pages', async () => {
    const first = await list(`/api/v1/forms/${form.formId}/submissions?limit=2&since=${at(3)}`);
    expect(idsOf(first.data)).toEqual(ids(0, 2));
    expect(await found(`limit=2&since=${at(3)}&cursor=${first.next_cursor}`)).toEqual(ids(2, 4));
  });

  it.each([
    'since=yesterday',
    'until=',
    'since=2026-13-01T00:00:00Z',
    'until=1700000000',
    'since=2026-01-01T99:00:00Z',
  ])('refuse %s', async (query) => {
    const [name = ''] = query.split('=');
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?${query}`), [name]);
  });

  it.each(['webhook_state=none', 'webhook_state=', 'webhook_state=Pending'])('refuse %s', async (query) => {
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?${query}`), ['webhook_state']);
  });

  it('include the delivery state on demand, null without a webhook, at the end of each submission', async () => {
    const { data } = await list(`/api/v1/forms/${form.formId}/submissions?include=delivery_state`);
    expect(data.length).toBeGreaterThan(0);
    for (const item of data) {
      expect(item.delivery_state).toBeNull();
      expect(Object.keys(item).at(-1)).toBe('delivery_state');
    }
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?include=everything`), ['include']);
  });

  it('by webhook_state leave out what has no webhook', async () => {
    for (const state of ['pending', 'delivered', 'failed'])
      expect(await found(`webhook_state=${state}`)).toEqual([]);
  });
});

describe('a project', () => {
  it('lists the submissions of all its forms but the deleted ones', async () => {
    const first = await makeForm(server.url);
    const second = (await api.post(`/api/v1/projects/${first.projectId}/forms`, { name: 'Second' })).body;
    const path = `/api/v1/projects/${first.projectId}/submissions`;
    const a = await submit(first.endpoint, { word: 'shared' });
    const b = await submit(second.endpoint, { word: 'shared' });
    const c = await submit(first.endpoint, { word: 'shared' });
    expect(idsOf((await list(path)).data)).toEqual([c, b, a]);
    expect(idsOf((await list(`${path}?q=shared`)).data)).toEqual([c, b, a]);
    expectDeleted(await api.delete(`/api/v1/forms/${first.formId}`));
    expect(idsOf((await list(path)).data)).toEqual([b]);
    expect(idsOf((await list(`${path}?q=shared`)).data)).toEqual([b]);
  });
});

describe('delete', () => {
  it('returns 204, then the submission is unknown everywhere', async () => {
    const { endpoint, formId } = await makeForm(server.url);
    const id = await submit(endpoint, { word: 'transient' });
    const kept = await submit(endpoint, { word: 'transient' });
    expectDeleted(await api.delete(`/api/v1/submissions/${id}`));
    expectProblem(await api.get(`/api/v1/submissions/${id}`), 404, 'Submission not found');
    expectProblem(await api.get(`/api/v1/submissions/${id}/deliveries`), 404, 'Submission not found');
    expectProblem(await api.delete(`/api/v1/submissions/${id}`), 404, 'Submission not found');
    for (const query of ['', '?q=transient']) {
      expect(idsOf((await list(`/api/v1/forms/${formId}/submissions${query}`)).data)).toEqual([kept]);
    }
    expect((await api.get(`/api/v1/forms/${formId}/submissions/export`)).text).not.toContain(id);
  });
});
