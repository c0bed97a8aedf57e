/** Forms from create to delete: interface 2 and 4.1, decisions 3 and 4. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { expectDeleted, expectFields, expectProblem, fields, instant, uuid } from '../../support/contract.js';
import { everySetting } from '../../support/form-settings.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
let projectId: string;
let path: string;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  ({ projectId } = await makeForm(server.url));
  path = `/api/v1/projects/${projectId}/forms`;
});
afterAll(() => server.dispose());

const make = async (body: Record<string, unknown>) => {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
const get = async (id: string) => (await api.get(`/api/v1/forms/${id}`)).body;

describe('create', () => {
  it('returns 201 with exactly the create fields', async () => {
    const form = await make({ name: 'Contact us' });
    expectFields(form, fields.formCreated);
    expect(form.id).toMatch(uuid);
    expect(form.public_id).toMatch(/^[A-Za-z0-9_-]{8,}$/);
    expect(form.endpoint).toBe(`${server.url}/f/${form.public_id}`);
    expect(form.created_at).toMatch(instant);
    expect(form).toMatchObject({ name: 'Contact us', slug: 'contact-us', is_active: true });
    expect((await submitJson(form.endpoint, { a: 1 })).status).toBe(200);
  });

  it('takes the name alone and fills in the rest', async () => {
    const { id } = await make({ name: 'Minimal' });
    const form = await get(id);
    expect(form).toMatchObject({
      webhook_url: null,
      success_redirect: null,
      is_active: true,
      validation_mode: 'live',
      submissions_count: 0,
      project_id: projectId,
      allowed_origins: [],
      wait_for_webhook: false,
      captcha_enabled: false,
      captcha_site_key: null,
      sandbox_ips: [],
      blocked_ips: [],
      notify_emails: [],
      allowed_cc_emails: [],
      retention_days: null,
      file_retention_days: null,
      redact_fields: [],
      store_ip: true,
      store_user_agent: true,
      page_title: null,
      page_text: null,
      page_logo_url: null,
      page_color: null,
      fields: [],
      unknown_fields: 'keep',
      opens_at: null,
      closes_at: null,
      max_submissions: null,
      hosted_page: false,
      hosted_page_title: null,
      hosted_page_text: null,
      hosted_page_indexed: false,
      double_opt_in: null,
    });
    expect(['altcha', 'turnstile', 'hcaptcha', 'recaptcha']).toContain(form.captcha_provider);
    expect(form.sandbox_api_key === null || typeof form.sandbox_api_key === 'string').toBe(true);
  });

  it('takes every field that PATCH takes', async () => {
    const { id } = await make({ ...everySetting, captcha_secret_key: 'very-secret-captcha' });
    expect(await get(id)).toMatchObject(everySetting);
    const usual = await get((await make({ name: 'Usual' })).id);
    for (const [field, value] of Object.entries(everySetting)) expect(usual[field], field).not.toEqual(value);
  });

  it('gives every form its own public id', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => make({ name: 'Same' })));
    expect(new Set(made.map((form) => form.public_id)).size).toBe(10);
    expect(new Set(made.map((form) => form.slug)).size).toBe(10);
  });

  it.each(['🎉', 'Анкета', '問い合わせ', '...'])('finds readable unique slugs for %s', async (name) => {
    const slugs = [(await make({ name })).slug, (await make({ name })).slug];
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(slugs[0]).not.toBe(slugs[1]);
  });

  it('lets two projects have forms of one slug', async () => {
    const other = await makeForm(server.url, { form: { name: 'Neighbour' } });
    const mine = await make({ name: 'Neighbour' });
    expect((await get(other.formId)).slug).toBe(mine.slug);
  });
});

describe('get', () => {
  it('returns exactly the full fields, by id and by public id', async () => {
    const created = await make({ name: 'Both ways' });
    const byId = await api.get(`/api/v1/forms/${created.id}`);
    const byPublicId = await api.get(`/api/v1/forms/${created.public_id}`);
    expect(byId.status).toBe(200);
    expectFields(byId.body, fields.formFull);
    expect(byId.body).toMatchObject(created);
    expect(byId.body.updated_at).toMatch(instant);
    expect(byPublicId.status).toBe(200);
    expect(byPublicId.body).toEqual(byId.body);
  });

  it('never shows the secret key of the CAPTCHA', async () => {
    const created = await api.post(path, { name: 'Guarded', captcha_secret_key: 'very-secret-captcha' });
    const id = created.body.id;
    const patched = await api.patch(`/api/v1/forms/${id}`, { captcha_secret_key: 'very-secret-captcha-2' });
    expect(patched.status).toBe(200);
    for (const answer of [created, patched, await api.get(`/api/v1/forms/${id}`), await api.get(path)]) {
      expect(answer.text).not.toContain('very-secret-captcha');
      expect(answer.text).not.toContain('captcha_secret_key');
    }
  });
});

describe('list', () => {
  it('returns exactly the list fields of all forms of the project', async () => {
    const { id } = await make({ ...everySetting, is_archived: false });
    const elsewhere = await makeForm(server.url);
    const answer = await api.get(path);
    expect(answer.status).toBe(200);
    expectFields(answer.body, ['data']);
    for (const item of answer.body.data) expectFields(item, fields.formItem);
    const item = answer.body.data.find((form: { id: string }) => form.id === id);
    const { name, webhook_url, success_redirect, is_active, validation_mode } = everySetting;
    expect(item).toMatchObject({ name, webhook_url, success_redirect, is_active, validation_mode });
    expect(item.endpoint).toBe(`${server.url}/f/${item.public_id}`);
    expect(answer.text).not.toContain(elsewhere.formId);
    const withArchived = await api.get(`${path}?include_archived=true`);
    for (const one of withArchived.body.data) expectFields(one, [...fields.formItem, 'is_archived']);
  });

  it('is empty for a project without forms', async () => {
    const { id } = (await api.post('/api/v1/projects', { name: 'Empty' })).body;
    expect((await api.get(`/api/v1/projects/${id}/forms`)).body).toEqual({ data: [] });
  });

  it('walks in pages without gaps or doubles', async () => {
    const all = (await api.get(path)).body.data.map((item: { id: string }) => item.id);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await api.get(`${path}?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      expectFields(page.body, ['data', 'next_cursor']);
      walked.push(...page.body.data.map((item: { id: string }) => item.id));
      cursor = page.body.next_cursor as string | null;
    }
    expect(walked).toEqual(all);
  });

  it('counts submissions at once', async () => {
    const { id, endpoint } = await make({ name: 'Counted' });
    const count = async () => {
      const { data } = (await api.get(path)).body;
      const item = data.find((form: { id: string }) => form.id === id);
      return [item.submissions_count, (await get(id)).submissions_count];
    };
    const { submission_id } = (await submitJson(endpoint, { n: 1 })).body;
    await submitJson(endpoint, { n: 2 });
    expect(await count()).toEqual([2, 2]);
    await api.delete(`/api/v1/submissions/${submission_id}`);
    expect(await count()).toEqual([1, 1]);
  });
});

describe('update', () => {
  it.each([
    ...Object.entries(everySetting),
    ['webhook_url', null],
    ['success_redirect', null],
    ['success_redirect', 'http://localhost:8080/done'],
    ['validation_mode', 'live'],
    ['captcha_provider', 'altcha'],
    ['captcha_provider', 'hcaptcha'],
    ['captcha_provider', 'recaptcha'],
    ['captcha_site_key', null],
    ['sandbox_ips', []],
    ['retention_days', null],
    ['retention_days', 1],
  ])('%s to %j, answering the full object', async (field, value) => {
    const { id } = await make({ name: 'Before' });
    const before = await get(id);
    const answer = await api.patch(`/api/v1/forms/${id}`, { [field]: value });
    expect(answer.status, answer.text).toBe(200);
    expectFields(answer.body, fields.formFull);
    expect(answer.body).toEqual({ ...before, [field]: value, updated_at: answer.body.updated_at });
    expect(answer.body.updated_at >= before.updated_at).toBe(true);
    expect(await get(id)).toEqual(answer.body);
  });

  it('reaches the form by its public id as well', async () => {
    const { id, public_id } = await make({ name: 'Before' });
    expect((await api.patch(`/api/v1/forms/${public_id}`, { name: 'After' })).body.name).toBe('After');
    expect((await get(id)).name).toBe('After');
  });

  it('counts for submissions at once', async () => {
    const { id, endpoint } = await make({ name: 'Switched' });
    expect((await submitJson(endpoint, { a: 1 })).status).toBe(200);
    await api.patch(`/api/v1/forms/${id}`, { is_active: false });
    expectProblem(await submitJson(endpoint, { a: 1 }), 403, 'Form is not active');
    await api.patch(`/api/v1/forms/${id}`, { is_active: true, blocked_ips: ['127.0.0.0/8', '::1'] });
    expectProblem(await submitJson(endpoint, { a: 1 }), 403, 'IP address is blocked');
    await api.patch(`/api/v1/forms/${id}`, { blocked_ips: [] });
    expect((await submitJson(endpoint, { a: 1 })).status).toBe(200);
    expect((await get(id)).submissions_count).toBe(2);
  });
});

describe('delete', () => {
  it.each(['id', 'public_id'] as const)('by %s returns 204, then the form is unknown', async (by) => {
    const form = await make({ name: 'Short life' });
    expectDeleted(await api.delete(`/api/v1/forms/${form[by]}`));
    for (const id of [form.id, form.public_id]) {
      expectProblem(await api.get(`/api/v1/forms/${id}`), 404, 'Form not found');
      expectProblem(await api.patch(`/api/v1/forms/${id}`, { name: 'X' }), 404, 'Form not found');
      expectProblem(await api.delete(`/api/v1/forms/${id}`), 404, 'Form not found');
    }
    expectProblem(await submitJson(form.endpoint, { a: 1 }), 404, 'Form not found');
    expect((await api.get(path)).text).not.toContain(form.id);
    expect((await api.get(`/api/v1/projects/${projectId}`)).text).not.toContain(form.id);
    expect((await make({ name: 'Short life' })).slug).toBe(form.slug);
  });
});
