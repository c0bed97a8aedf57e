/** Forms are archived and duplicated, and show where their submissions come from. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, expectFields, expectProblem, fields } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const done = async (call: Promise<Awaited<ReturnType<Client['get']>>>, status = 200) => {
  const answer = await call;
  expect(answer.status, answer.text).toBe(status);
  return answer.body;
};

describe('an archived form', () => {
  it('is closed for visitors and left out of lists, keeps what it has, and comes back', async () => {
    const made = await makeForm(server.url);
    const path = `/api/v1/forms/${made.formId}`;
    const listed = async (query = '') =>
      (await done(api.get(`/api/v1/projects/${made.projectId}/forms${query}`))).data.map(
        ({ id, is_archived }: { id: string; is_archived: boolean }) => [id, is_archived],
      );
    await done(submitJson(made.endpoint, { a: 1 }));
    expect((await done(api.patch(path, { is_archived: true }))).is_archived).toBe(true);
    expectProblem(await submitJson(made.endpoint, { a: 2 }), 403, 'Form is not active');
    expect((await done(api.get(`/f/${made.publicId}/access`))).is_open).toBe(false);
    expect(await listed()).toEqual([]);
    expect(await listed('?include_archived=false')).toEqual([]);
    expect(await listed('?include_archived=true')).toEqual([[made.formId, true]]);
    expect((await done(api.get(`/api/v1/projects/${made.projectId}`))).forms).toEqual([]);
    const projects = (await done(api.get('/api/v1/projects'))).data;
    expect(projects.find(({ id }: { id: string }) => id === made.projectId)).toMatchObject({
      forms_count: 0,
      submissions_count: 1,
    });
    expect((await done(api.get(`${path}/submissions`))).data).toHaveLength(1);
    expect(await done(api.get(path))).toMatchObject({
      is_archived: true,
      is_active: true,
      submissions_count: 1,
    });
    const { examples } = await done(api.get(`${path}/rejections`));
    expect(examples[0]).toMatchObject({ reason: 'inactive', seen: 'the form is archived' });
    await done(api.patch(path, { is_archived: false }));
    await done(submitJson(made.endpoint, { a: 3 }));
    expect(await listed('?include_archived=true')).toEqual([[made.formId, false]]);
    // Without the parameter, items have exactly the fields of the interface.
    expect(await listed()).toEqual([[made.formId, undefined]]);
  });

  it('is asked for by a flag alone', async () => {
    const { projectId, formId } = await makeForm(server.url);
    expectFaults(await api.get(`/api/v1/projects/${projectId}/forms?include_archived=yes`), [
      'include_archived',
    ]);
    expectFaults(await api.patch(`/api/v1/forms/${formId}`, { is_archived: 'yes' }), ['is_archived']);
  });
});

describe('POST /api/v1/forms/{id}/duplicate', () => {
  const settings = {
    ...{ webhook_url: 'https://example.com/hook', notify_emails: ['ada@example.com'] },
    ...{ allowed_origins: ['example.com'], retention_days: 30, page_title: 'Got it', is_archived: true },
    ...{
      captcha_enabled: true,
      captcha_provider: 'turnstile',
      captcha_site_key: 'site',
      captcha_secret_key: 'secret',
    },
  };

  it('makes a form with the same settings, and nothing else of it', async () => {
    const made = await makeForm(server.url, {
      form: { ...settings, is_archived: false, captcha_enabled: false },
    });
    await done(submitJson(made.endpoint, { a: 1 }, { origin: 'https://example.com' }));
    await done(api.post(`/api/v1/forms/${made.formId}/aliases`, { alias: 'of-the-original' }), 201);
    await done(api.patch(`/api/v1/forms/${made.formId}`, settings));
    const copy = await done(api.post(`/api/v1/forms/${made.formId}/duplicate`), 201);
    expectFields(copy, [...fields.formCreated, 'captcha_turned_off', 'secrets_left_out']);
    expect(copy).toMatchObject({ name: 'Contact (copy)', captcha_turned_off: true, secrets_left_out: [] });
    const [original, whole] = [
      await done(api.get(`/api/v1/forms/${made.formId}`)),
      await done(api.get(`/api/v1/forms/${copy.id}`)),
    ];
    const own = [
      'id',
      'public_id',
      'name',
      'slug',
      'endpoint',
      'created_at',
      'updated_at',
      'sandbox_api_key',
    ];
    for (const name of own) expect(whole[name], name).not.toBe(original[name]);
    const same = Object.keys(original).filter((name) => !own.includes(name));
    const changed = { is_archived: false, captcha_enabled: false, submissions_count: 0 };
    expect(Object.fromEntries(same.map((name) => [name, whole[name]]))).toEqual({
      ...Object.fromEntries(same.map((name) => [name, original[name]])),
      ...changed,
    });
    expect((await done(api.get(`/api/v1/forms/${copy.id}/aliases`))).data).toEqual([]);
    expect((await done(api.get(`/api/v1/forms/${copy.id}/submissions`))).data).toEqual([]);
  });

  it('copies destinations, without the secrets that are write-only', async () => {
    const { formId } = await makeForm(server.url, { form: { notify_emails: ['ada@example.com'] } });
    const path = `/api/v1/forms/${formId}/destinations`;
    const [builtIn] = (await done(api.get(path))).data;
    await done(
      api.patch(`/api/v1/destinations/${builtIn.id}`, { name: 'To Ada', filter: { topic: 'order' } }),
    );
    const url = 'https://example.com/hook';
    const secret = `whsec_${'a'.repeat(44)}`;
    const config = { url, secret, headers: { Authorization: 'Bearer x', 'X-Team': 'sales' } };
    for (const body of [
      { kind: 'webhook', name: 'Plain', config: { url }, template: { a: 1 } },
      { kind: 'webhook', name: 'Signed', config },
      { kind: 'slack', name: 'Chat', config: { url: 'https://example.com/services/secret' } },
    ])
      await done(api.post(path, body), 201);
    const copy = await done(api.post(`/api/v1/forms/${formId}/duplicate`, { name: ' Second ' }), 201);
    expect(copy.name).toBe('Second');
    expect(copy.secrets_left_out).toEqual([
      { kind: 'webhook', name: 'Signed', is_copied: true },
      { kind: 'slack', name: 'Chat', is_copied: false },
    ]);
    const copied = (await done(api.get(`/api/v1/forms/${copy.id}/destinations`))).data;
    const shown = copied.map((one: Record<string, unknown>) => [
      one.name,
      one.kind,
      one.is_active,
      one.built_in,
    ]);
    expect(shown).toEqual([
      ['To Ada', 'email', true, true],
      ['Plain', 'webhook', true, false],
      ['Signed', 'webhook', false, false],
    ]);
    expect(copied[0].filter).toEqual({ topic: 'order' });
    expect(copied[1].template).toEqual({ a: 1 });
    expect(copied[2].config.headers).toEqual({ 'X-Team': 'sales' });
  });

  it('keeps names within their length, and takes a name that is one', async () => {
    const { formId } = await makeForm(server.url, { form: { name: 'n'.repeat(200) } });
    const path = `/api/v1/forms/${formId}/duplicate`;
    expect((await done(api.post(path), 201)).name).toBe(`${'n'.repeat(193)} (copy)`);
    expectFaults(await api.post(path, { name: ' ' }), ['name']);
    expectFaults(await api.post(path, { name: 'n'.repeat(201) }), ['name']);
    expectFaults(await api.post(path, { project_id: 'x' }), ['project_id']);
  });
});

describe('GET /api/v1/forms/{id}/sources', () => {
  it('names the pages and sites that most came from', async () => {
    const form = await makeForm(server.url);
    const referers = [
      ...[
        'https://a.example/contact?x=1',
        'https://a.example/contact#form',
        'https://a.example/',
        'https://b.example/shop',
      ],
      'not an address',
    ];
    for (const referer of referers) await done(submitJson(form.endpoint, { a: 1 }, { referer }));
    await done(submitJson(form.endpoint, { a: 1 }));
    const path = `/api/v1/forms/${form.formId}/sources`;
    expect(await done(api.get(path))).toEqual({
      days: 30,
      submissions: 6,
      is_complete: true,
      pages: [
        { page: 'https://a.example/contact', count: 2 },
        { page: 'https://a.example/', count: 1 },
        { page: 'https://b.example/shop', count: 1 },
      ],
      referrers: [
        { host: 'a.example', count: 3 },
        { host: 'b.example', count: 1 },
      ],
    });
    const other = client(server.url, (await makeAccount(server, 'pro')).api_key);
    expectProblem(await other.get(path), 404, 'Form not found');
  });
});
