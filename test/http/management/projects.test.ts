/** Projects from create to delete: interface 2 and 4.1, decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, submitJson } from '../../support/client.js';
import { expectDeleted, expectFields, expectProblem, fields, instant, uuid } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

const everything = {
  name: 'Shop',
  webhook_url: 'https://hooks.example.com/inlet?a=1',
  allowed_origins: ['example.com', '*.example.org'],
  notify_emails: ['owner@example.com', 'Second.Owner+forms@example.org'],
  rate_limit_per_minute: 120,
  is_active: false,
};

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const make = async (body: Record<string, unknown>) => {
  const answer = await api.post('/api/v1/projects', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const get = async (id: string) => (await api.get(`/api/v1/projects/${id}`)).body;
const listed = async (id: string) => {
  const { data } = (await api.get('/api/v1/projects')).body;
  return data.find((item: { id: string }) => item.id === id);
};

describe('create', () => {
  it('returns 201 with exactly the create fields', async () => {
    const before = new Date().toISOString();
    const project = await make({ name: 'Website' });
    expectFields(project, fields.projectCreated);
    expect(project.id).toMatch(uuid);
    expect(project.created_at).toMatch(instant);
    expect(project.created_at >= before).toBe(true);
    expect(project.created_at <= new Date().toISOString()).toBe(true);
    expect(project).toMatchObject({ name: 'Website', slug: 'website', is_active: true });
  });

  it('takes the name alone and fills in the rest', async () => {
    const { id } = await make({ name: 'Minimal' });
    expect(await get(id)).toMatchObject({
      webhook_url: null,
      allowed_origins: [],
      notify_emails: [],
      rate_limit_per_minute: 60,
      is_active: true,
      forms: [],
    });
  });

  it('takes every field that PATCH takes', async () => {
    const { id, is_active } = await make(everything);
    expect(is_active).toBe(false);
    expect(await get(id)).toMatchObject(everything);
  });

  it('drops blanks around the name', async () => {
    expect((await make({ name: '  Blanks \t' })).name).toBe('Blanks');
  });

  it.each([
    ['the longest name', 'n'.repeat(200)],
    ['one letter', 'x'],
    ['other scripts', 'Формы 表單 نماذج'],
    ['emoji', '🎉👩‍👩‍👧'],
    ['markup and quotes', `<script>alert("x")</script> & 'co'`],
    ['SQL', "Robert'); DROP TABLE projects;--"],
  ])('keeps %s as it was sent', async (_, name) => {
    const { id } = await make({ name });
    expect((await get(id)).name).toBe(name);
    expect((await listed(id)).name).toBe(name);
  });
});

describe('slugs', () => {
  it('number the second and third project of one name', async () => {
    const slugs = [];
    for (let made = 0; made < 3; made += 1) slugs.push((await make({ name: 'My Twin Site!' })).slug);
    expect(slugs).toEqual(['my-twin-site', 'my-twin-site-2', 'my-twin-site-3']);
  });

  it('are unique when many are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => make({ name: 'Race' })));
    expect(new Set(made.map((project) => project.slug)).size).toBe(10);
  });

  it.each(['🎉', 'Формы', '表單', '---', '!!!', '_', '%', 'n'.repeat(200), 'Ünïcödé Náme', '\'"<>'])(
    'are readable, short and unique for the name %j',
    async (name) => {
      const slugs = [(await make({ name })).slug, (await make({ name })).slug];
      for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      for (const slug of slugs) expect(slug.length).toBeLessThanOrEqual(80);
      expect(slugs[0]).not.toBe(slugs[1]);
    },
  );

  it('may be the same in two accounts', async () => {
    const other = client(server.url, (await makeAccount(server, 'starter')).api_key);
    await make({ name: 'Shared name' });
    expect((await other.post('/api/v1/projects', { name: 'Shared name' })).body.slug).toBe('shared-name');
  });
});

describe('get', () => {
  it('returns exactly the get fields', async () => {
    const created = await make({ name: 'Whole' });
    const answer = await api.get(`/api/v1/projects/${created.id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expectFields(answer.body, fields.projectFull);
    expect(answer.body).toMatchObject(created);
    expect(answer.body.updated_at).toMatch(instant);
    expect(answer.body.webhook_secret).toMatch(/^\S{24,}$/);
  });

  it('gives every project its own secret', async () => {
    const secrets = [await make({ name: 'A' }), await make({ name: 'B' })].map(({ id }) => get(id));
    const [a, b] = await Promise.all(secrets);
    expect(a.webhook_secret).not.toBe(b.webhook_secret);
  });

  it('lists the forms as summaries', async () => {
    const { id } = await make({ name: 'With forms' });
    const first = (await api.post(`/api/v1/projects/${id}/forms`, { name: 'First' })).body;
    const second = (await api.post(`/api/v1/projects/${id}/forms`, { name: 'Second', is_active: false }))
      .body;
    const { forms } = await get(id);
    for (const form of forms) expectFields(form, fields.formSummary);
    expect(forms).toEqual([
      { id: first.id, public_id: first.public_id, name: 'First', slug: 'first', is_active: true },
      { id: second.id, public_id: second.public_id, name: 'Second', slug: 'second', is_active: false },
    ]);
  });
});

describe('list', () => {
  it('returns exactly the list fields of all projects, without a cursor unless pages are asked for', async () => {
    const { id } = await make(everything);
    const answer = await api.get('/api/v1/projects');
    expect(answer.status).toBe(200);
    expectFields(answer.body, ['data']);
    expect(answer.body.data.length).toBeGreaterThan(25);
    for (const item of answer.body.data) expectFields(item, fields.projectItem);
    const { name, webhook_url, allowed_origins, is_active } = everything;
    expect(await listed(id)).toMatchObject({
      name,
      webhook_url,
      allowed_origins,
      is_active,
      forms_count: 0,
      submissions_count: 0,
    });
    expect(answer.text).not.toContain('webhook_secret');
  });

  it('walks in pages without gaps or doubles', async () => {
    const all = (await api.get('/api/v1/projects')).body.data.map((item: { id: string }) => item.id);
    const walked: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await api.get(
        `/api/v1/projects?limit=10${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(page.status).toBe(200);
      expectFields(page.body, ['data', 'next_cursor']);
      walked.push(...page.body.data.map((item: { id: string }) => item.id));
      cursor = page.body.next_cursor;
    }
    expect(walked).toEqual(all);
  });

  it("leaves out other accounts' projects", async () => {
    const other = client(server.url, (await makeAccount(server, 'starter')).api_key);
    expect((await other.get('/api/v1/projects')).body).toEqual({ data: [] });
  });

  it('counts forms and submissions at once', async () => {
    const { id } = await make({ name: 'Counted' });
    const forms = [];
    for (const name of ['A', 'B'])
      forms.push((await api.post(`/api/v1/projects/${id}/forms`, { name })).body);
    expect(await listed(id)).toMatchObject({ forms_count: 2, submissions_count: 0 });
    const [a, b] = forms;
    const first = await submitJson(a.endpoint, { n: 1 });
    await submitJson(a.endpoint, { n: 2 });
    await submitJson(b.endpoint, { n: 3 });
    expect(await listed(id)).toMatchObject({ forms_count: 2, submissions_count: 3 });
    await api.delete(`/api/v1/submissions/${first.body.submission_id}`);
    expect(await listed(id)).toMatchObject({ forms_count: 2, submissions_count: 2 });
    await api.delete(`/api/v1/forms/${a.id}`);
    expect(await listed(id)).toMatchObject({ forms_count: 1, submissions_count: 1 });
  });
});

describe('update', () => {
  it.each([
    ['name', 'Renamed'],
    ['webhook_url', 'http://127.0.0.1:9/hook'],
    ['webhook_url', null],
    ['allowed_origins', ['one.example', '*.two.example']],
    ['allowed_origins', []],
    ['notify_emails', ['somebody@example.com']],
    ['notify_emails', []],
    ['rate_limit_per_minute', 1],
    ['rate_limit_per_minute', 10_000_000],
    ['is_active', true],
    ['is_active', false],
  ])('%s to %j, answering the get object', async (field, value) => {
    const { id } = await make({ ...everything, is_active: value === false });
    const before = await get(id);
    const answer = await api.patch(`/api/v1/projects/${id}`, { [field]: value });
    expect(answer.status, answer.text).toBe(200);
    expectFields(answer.body, fields.projectFull);
    expect(answer.body).toEqual({ ...before, [field]: value, updated_at: answer.body.updated_at });
    expect(answer.body.updated_at >= before.updated_at).toBe(true);
    expect(await get(id)).toEqual(answer.body);
  });

  it('takes several fields at once and keeps id, slug, secret and forms', async () => {
    const { id } = await make({ name: 'Before' });
    await api.post(`/api/v1/projects/${id}/forms`, { name: 'Form' });
    const before = await get(id);
    const { body } = await api.patch(`/api/v1/projects/${id}`, everything);
    expect(body).toEqual({ ...before, ...everything, updated_at: body.updated_at });
  });

  it('takes an empty object and changes nothing', async () => {
    const { id } = await make(everything);
    const before = await get(id);
    const answer = await api.patch(`/api/v1/projects/${id}`, {});
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...before, updated_at: answer.body.updated_at });
  });

  it('keeps host names in lower case, once each', async () => {
    const { id } = await make({ name: 'Hosts' });
    const { body } = await api.patch(`/api/v1/projects/${id}`, {
      allowed_origins: ['Example.COM', 'example.com', '*.EXAMPLE.com'],
    });
    expect(body.allowed_origins).toEqual(['example.com', '*.example.com']);
  });

  it('counts for submissions at once: is_active and allowed_origins', async () => {
    const { id } = await make({ name: 'Switched' });
    const { endpoint } = (await api.post(`/api/v1/projects/${id}/forms`, { name: 'F' })).body;
    expect((await submitJson(endpoint, { a: 1 })).status).toBe(200);
    await api.patch(`/api/v1/projects/${id}`, { is_active: false });
    expectProblem(await submitJson(endpoint, { a: 1 }), 403, 'Form is not active');
    await api.patch(`/api/v1/projects/${id}`, { is_active: true, allowed_origins: ['a.example'] });
    expectProblem(
      await submitJson(endpoint, { a: 1 }, { origin: 'https://b.example' }),
      403,
      'Origin not allowed',
    );
    expect((await submitJson(endpoint, { a: 1 }, { origin: 'https://a.example' })).status).toBe(200);
  });
});

describe('the webhook secret', () => {
  it('is replaced by a new one', async () => {
    const { id } = await make({ name: 'Rotated' });
    const before = await get(id);
    const answer = await api.post(`/api/v1/projects/${id}/webhook-secret`);
    expect(answer.status).toBe(200);
    expectFields(answer.body, fields.projectFull);
    expect(answer.body.webhook_secret).toMatch(/^\S{24,}$/);
    expect(answer.body.webhook_secret).not.toBe(before.webhook_secret);
    expect(await get(id)).toEqual(answer.body);
    const { webhook_secret, updated_at, ...rest } = answer.body;
    expect(before).toMatchObject(rest);
    expect((await api.post(`/api/v1/projects/${id}/webhook-secret`)).body.webhook_secret).not.toBe(
      webhook_secret,
    );
  });

  it('is not for the caller to choose', async () => {
    const { id } = await make({ name: 'Chosen' });
    expect((await api.patch(`/api/v1/projects/${id}`, { webhook_secret: 'mine' })).status).toBe(400);
  });

  it('rotates with an empty JSON object as well', async () => {
    const { id } = await make({ name: 'Rotated' });
    expect((await api.post(`/api/v1/projects/${id}/webhook-secret`, {})).status).toBe(200);
  });
});

describe('delete', () => {
  it('returns 204, then the project is unknown and its slug is free', async () => {
    const { id, slug } = await make({ name: 'Short life' });
    expectDeleted(await api.delete(`/api/v1/projects/${id}`));
    expect(await listed(id)).toBeUndefined();
    expectProblem(await api.get(`/api/v1/projects/${id}`), 404, 'Project not found');
    expectProblem(await api.patch(`/api/v1/projects/${id}`, { name: 'X' }), 404, 'Project not found');
    expectProblem(await api.delete(`/api/v1/projects/${id}`), 404, 'Project not found');
    expectProblem(await api.post(`/api/v1/projects/${id}/webhook-secret`), 404, 'Project not found');
    expectProblem(await api.post(`/api/v1/projects/${id}/forms`, { name: 'X' }), 404, 'Project not found');
    expect((await make({ name: 'Short life' })).slug).toBe(slug);
  });
});
