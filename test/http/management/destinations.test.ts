/** Destinations of forms and projects: what owners set, see and may not see. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Answer, type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import {
  expectDeleted,
  expectFaults,
  expectFields,
  expectProblem,
  instant,
  unknownId,
  uuid,
} from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
let reader: Client;
let outsider: Client;
let form: MadeForm;
beforeAll(async () => {
  server = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: '1000000' } });
  api = client(server.url);
  reader = client(
    server.url,
    (await api.post('/api/v1/api-keys', { name: 'Reads', scope: 'read' })).body.api_key,
  );
  outsider = client(server.url, (await makeAccount(server, 'pro', 'Outsider')).api_key);
  form = await makeForm(server.url);
});
afterAll(() => server.dispose());

type Json = Record<string, unknown>;

const ofForm = ({ formId }: Pick<MadeForm, 'formId'>): string => `/api/v1/forms/${formId}/destinations`;
const ofProject = ({ projectId }: MadeForm): string => `/api/v1/projects/${projectId}/destinations`;
const at = (id: string): string => `/api/v1/destinations/${id}`;
const webhookUrl = 'https://example.com/hook';

async function created(path: string, body: Json): Promise<Answer['body']> {
  const answer = await api.post(path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const aWebhook = (config: Json = {}, to: MadeForm = form): Promise<Answer['body']> =>
  created(ofForm(to), { kind: 'webhook', config: { url: webhookUrl, ...config } });

const status = { state: 'ok', failing_since: null, last_success_at: null, last_error: null, waiting: 0 };
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const key = { client_email: 'robot@hidden.example.com', private_key: privateKey };

/** For every kind: what is sent, what is read back, and what must not be. */
const kinds: readonly {
  kind: string;
  title: string;
  config: Json;
  shown: Json;
  hidden?: readonly string[];
}[] = [
  {
    kind: 'webhook',
    title: 'Webhook',
    config: {
      url: webhookUrl,
      method: 'PUT',
      headers: { 'X-Team': 'sales', Authorization: 'Bearer hidden-header' },
      secret: `whsec_${'hidden'.repeat(8)}`,
      content_type: 'application/x-www-form-urlencoded',
    },
    shown: {
      url: webhookUrl,
      method: 'PUT',
      headers: { 'X-Team': 'sales', Authorization: null },
      content_type: 'application/x-www-form-urlencoded',
    },
  },
  {
    kind: 'email',
    title: 'E-mail',
    config: { bcc: ['ada@example.com'] },
    shown: {
      ...{ to: [], cc: [], bcc: ['ada@example.com'], route: null, subject: null, text: null, html: null },
      ...{
        reply_to: 'visitor',
        from_name: null,
        language: 'en',
        files: 'links',
        max_attached_bytes: 5_242_880,
        digest: null,
      },
    },
  },
  ...[
    ['slack', 'Slack'],
    ['discord', 'Discord'],
    ['teams', 'Microsoft Teams'],
  ].map(([kind = '', title = '']) => ({
    kind,
    title,
    config: { url: 'https://chat.example.com/services/T0/hidden-path' },
    shown: { url: 'https://chat.example.com/services/…' },
  })),
  {
    kind: 'telegram',
    title: 'Telegram',
    config: { token: `12345:hidden${'x'.repeat(30)}`, chat_id: '-100123' },
    shown: { chat_id: '-100123' },
  },
  {
    kind: 'google_sheets',
    title: 'Google Sheets',
    config: { credentials: JSON.stringify(key), spreadsheet_id: '1BxiMVs0XRA5nFMd', sheet: 'Sheet1' },
    shown: { spreadsheet_id: '1BxiMVs0XRA5nFMd', sheet: 'Sheet1' },
  },
];

describe('creating', () => {
  it.each(kinds)(
    '$kind: responds 201 with all fields, without secrets',
    async ({ kind, title, config, shown }) => {
      const made = await makeForm(server.url);
      const body = await created(ofForm(made), { kind, config });
      expect(body).toEqual({
        id: expect.stringMatching(uuid),
        project_id: made.projectId,
        form_id: made.formId,
        kind,
        name: title,
        is_active: true,
        built_in: false,
        config: shown,
        filter: null,
        template: null,
        retry: null,
        status,
        created_at: expect.stringMatching(instant),
        updated_at: body.created_at,
      });
      for (const by of [api, reader]) {
        expect((await by.get(at(body.id))).body).toEqual(body);
        expect((await by.get(ofForm(made))).body).toEqual({ data: [body] });
      }
      const others = [
        `/api/v1/forms/${made.formId}`,
        `/api/v1/forms/${made.formId}/submissions/export?format=csv`,
      ];
      for (const path of [at(body.id), ofForm(made), ofProject(made), ...others])
        expect((await api.get(path)).text).not.toContain('hidden');
      expect(server.output()).not.toContain('hidden');
    },
  );

  it('takes every setting', async () => {
    const settings = {
      name: '  Größe 日本 🎉 ',
      is_active: false,
      filter: { submission: { data: { topic: 'sales' } } },
      template: { text: '{{fields.name}}', n: [1, null, true] },
      retry: { delays: [0, 0.5, 60, 86_400] },
    };
    const body = await created(ofForm(form), { kind: 'webhook', config: { url: webhookUrl }, ...settings });
    expect(body).toMatchObject({
      ...settings,
      name: 'Größe 日本 🎉',
      config: { url: webhookUrl, method: 'POST', headers: {}, content_type: 'application/json' },
      status: { ...status, state: 'disabled' },
    });
    expectFields(body.config, ['url', 'method', 'headers', 'content_type']);
    const chat = { kind: 'slack', config: { url: webhookUrl }, template: 'New: {{fields.name}}' };
    expect((await created(ofForm(form), chat)).template).toBe(chat.template);
    const nothing = { filter: null, template: null, retry: null };
    expect(await created(ofForm(form), { ...chat, ...nothing })).toMatchObject(nothing);
    expect((await created(ofForm(form), { ...chat, retry: { delays: [] } })).retry).toEqual({ delays: [] });
  });

  it('takes a form by its public id, and a project, whose destinations are none of the form', async () => {
    const made = await makeForm(server.url);
    const chat = { kind: 'slack', config: { url: webhookUrl } };
    const byName = await created(`/api/v1/forms/${made.publicId}/destinations`, chat);
    expect(byName.form_id).toBe(made.formId);
    const ofAll = await created(ofProject(made), chat);
    expect(ofAll).toMatchObject({ project_id: made.projectId, form_id: null });
    expect((await api.get(`/api/v1/forms/${made.publicId}/destinations`)).body).toEqual({ data: [byName] });
    expect((await api.get(ofProject(made))).body).toEqual({ data: [ofAll] });
    expect((await api.get(at(ofAll.id))).body).toEqual(ofAll);
  });

  it('stops at 100 of a form and 100 of a project, also when many come at once', async () => {
    const made = await makeForm(server.url, { form: { webhook_url: webhookUrl } });
    const chat = { kind: 'slack', config: { url: webhookUrl } };
    for (const path of [ofForm(made), ofProject(made)]) {
      const answers = await Promise.all(Array.from({ length: 103 }, () => api.post(path, chat)));
      const refused = answers.filter((answer) => answer.status !== 201);
      expect(refused).toHaveLength(3);
      for (const answer of refused)
        expectProblem(answer, 409, 'A form or project can have at most 100 destinations', { limit: 100 });
    }
    const { data } = (await api.get(ofForm(made))).body;
    expect(data).toHaveLength(101);
    expectDeleted(await api.delete(at(data[1].id)));
    await created(ofForm(made), chat);
  });
});

const long = 'x'.repeat(5000);
/** The body, the path of its fault, and its message. */
const invalid: readonly (readonly [string, Json, string, string?])[] = [
  ['no kind', { config: {} }, 'kind', 'is required'],
  ['an unknown kind', { kind: 'fax', config: {} }, 'kind'],
  ['no config', { kind: 'slack' }, 'config', 'is required'],
  ['a list as config', { kind: 'slack', config: [] }, 'config'],
  ['an unknown field', { kind: 'slack', config: { url: webhookUrl }, form_id: 'x' }, 'form_id'],
  ['no URL', { kind: 'webhook', config: {} }, 'config.url', 'is required'],
  ['no URL of a chat', { kind: 'teams', config: {} }, 'config.url', 'is required'],
  ['another scheme', { kind: 'slack', config: { url: 'ftp://example.com/' } }, 'config.url'],
  ['a metadata address', { kind: 'webhook', config: { url: 'http://169.254.169.254/' } }, 'config.url'],
  ['a metadata address of a chat', { kind: 'discord', config: { url: 'http://169.254.1.1/' } }, 'config.url'],
  ['a user name in a URL', { kind: 'webhook', config: { url: 'https://a:b@example.com/' } }, 'config.url'],
  ['a field of another kind', { kind: 'slack', config: { url: webhookUrl, token: 'x' } }, 'config.token'],
  ['__proto__', JSON.parse(`{"kind":"slack","config":{"url":"${webhookUrl}","__proto__":1}}`), ''],
  ['an unknown method', { kind: 'webhook', config: { url: webhookUrl, method: 'GET' } }, 'config.method'],
  ['a short secret', { kind: 'webhook', config: { url: webhookUrl, secret: 'whsec_abc' } }, 'config.secret'],
  [
    'an unknown type',
    { kind: 'webhook', config: { url: webhookUrl, content_type: 'a/b' } },
    'config.content_type',
  ],
  [
    'no address',
    { kind: 'email', config: {} },
    'config.to',
    'must name at least one address, unless cc, bcc or route do',
  ],
  ['a bad address', { kind: 'email', config: { to: ['x'] } }, 'config.to.0', 'must be an e-mail address'],
  ['21 addresses', { kind: 'email', config: { cc: Array(21).fill('a@example.com') } }, 'config.cc'],
  ['a bad token', { kind: 'telegram', config: { token: 'x', chat_id: '1' } }, 'config.token'],
  [
    'a bad chat',
    { kind: 'telegram', config: { token: `123:${'x'.repeat(30)}`, chat_id: 'x y' } },
    'config.chat_id',
  ],
  [
    'credentials that are no key file',
    {
      kind: 'google_sheets',
      config: { credentials: '{"a":1}', spreadsheet_id: '1BxiMVs0XRA5nFMd', sheet: 'a' },
    },
    'config.credentials',
    'has no client_email; use the key file of a service account',
  ],
  [
    'credentials that are no JSON',
    { kind: 'google_sheets', config: { credentials: 'key', spreadsheet_id: '1BxiMVs0XRA5nFMd', sheet: 'a' } },
    'config.credentials',
  ],
  // It becomes part of a delivery's address, a text column, and PostgreSQL accepts no NUL in text.
  [
    'a sheet with control characters in its name',
    {
      kind: 'google_sheets',
      config: { credentials: JSON.stringify(key), spreadsheet_id: '1BxiMVs0XRA5nFMd', sheet: 'a\u0000' },
    },
    'config.sheet',
  ],
  ['a blank name', { kind: 'slack', config: { url: webhookUrl }, name: ' ' }, 'name', 'must not be blank'],
  [
    'a filter that is none',
    { kind: 'slack', config: { url: webhookUrl }, filter: [] },
    'filter',
    'must be an object',
  ],
  [
    'an unknown operator',
    { kind: 'slack', config: { url: webhookUrl }, filter: { submission: { $where: 1 } } },
    'filter.submission.$where',
  ],
  [
    'a text template of a webhook',
    { kind: 'webhook', config: { url: webhookUrl }, template: 'x' },
    'template',
  ],
  [
    'an unclosed section in a document',
    { kind: 'webhook', config: { url: webhookUrl }, template: { a: ['{{#fields}}'] } },
    'template.a[0]',
  ],
  [
    'a document of a chat',
    { kind: 'slack', config: { url: webhookUrl }, template: {} },
    'template',
    'must be text',
  ],
  ['an unclosed tag', { kind: 'slack', config: { url: webhookUrl }, template: '{{fields' }, 'template'],
  [
    'a template of an e-mail',
    { kind: 'email', config: { to: ['a@example.com'] }, template: 'x' },
    'template',
    'is not available for destinations of kind email',
  ],
  [
    'a template of a sheet',
    {
      kind: 'google_sheets',
      config: { credentials: JSON.stringify(key), spreadsheet_id: '1BxiMVs0XRA5nFMd', sheet: 'a' },
      template: 'x',
    },
    'template',
  ],
  [
    '20 delays',
    { kind: 'slack', config: { url: webhookUrl }, retry: { delays: Array(20).fill(1) } },
    'retry.delays',
  ],
  [
    'a negative delay',
    { kind: 'slack', config: { url: webhookUrl }, retry: { delays: [-1] } },
    'retry.delays.0',
  ],
  [
    'delays of more than 7 days together',
    { kind: 'slack', config: { url: webhookUrl }, retry: { delays: [604_800, 1] } },
    'retry.delays',
    'must be at most 7 days together',
  ],
  ['a retry without delays', { kind: 'slack', config: { url: webhookUrl }, retry: {} }, 'retry.delays'],
];

/** Headers that are not allowed. */
const invalidHeaders: readonly (readonly [string, unknown, string])[] = [
  ...[
    'Host',
    'content-length',
    'Content-Type',
    'connection',
    'Transfer-Encoding',
    'TE',
    'upgrade',
    'expect',
  ].map((name) => [name, 'x', 'is set by this service, or by HTTP itself'] as const),
  ...['webhook-id', 'X-Webhook-Signature', 'x-submission-id', 'X-Inlet-Instance', 'proxy-authorization'].map(
    (name) => [name, 'x', 'is set by this service, or by HTTP itself'] as const,
  ),
  ...['', 'a b', 'a:b', 'ä', 'a\nb', 'x'.repeat(101)].map(
    (name) => [name, 'x', 'is not a valid header name'] as const,
  ),
  ...['a\r\nb: c', 'a\0', 'ä', '日'].map(
    (value) => ['X-Value', value, 'must have printable ASCII characters only'] as const,
  ),
  ['X-Value', null, 'must be string'],
  ['X-Value', 7, 'must be string'],
];

describe('refuses', () => {
  const cases = invalid.map(([what, body, path, message = null]) => ({ what, body, path, message }));
  it.each(cases)('$what, and leaves nothing behind', async ({ body, path, message }) => {
    const made = await makeForm(server.url);
    const answer = await api.post(ofForm(made), body);
    expectFaults(answer, [path]);
    if (message !== null) expect(answer.body.details).toEqual([{ path, message }]);
    expect((await api.get(ofForm(made))).body).toEqual({ data: [] });
  });

  it.each(invalidHeaders)('the header %j with the value %j', async (name, value, message) => {
    const body = { kind: 'webhook', config: { url: webhookUrl, headers: { [name]: value } } };
    const answer = await api.post(ofForm(form), body);
    expect(answer.status, answer.text).toBe(400);
    const path = `config.headers.${name.slice(0, 100)}`;
    expect(answer.body.details).toEqual([{ path, message }]);
  });

  it('more than 20 headers, a name twice, a value that is too long', async () => {
    const post = (headers: Json): Promise<Answer> =>
      api.post(ofForm(form), { kind: 'webhook', config: { url: webhookUrl, headers } });
    const many = (count: number): Json =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v']));
    expect((await post(many(20))).status).toBe(201);
    expectFaults(await post(many(21)), ['config.headers']);
    expectFaults(await post({ 'X-A': '1', 'x-a': '2' }), ['config.headers.x-a']);
    expectFaults(await post({ 'X-A': long }), ['config.headers.X-A']);
  });
});

describe('changing', () => {
  it('sets what is sent and leaves the rest', async () => {
    const before = await aWebhook({ headers: { 'X-Team': 'a' } });
    const settings = {
      name: 'CRM',
      filter: { a: 1 },
      template: { b: 2 },
      retry: { delays: [1] },
      is_active: false,
    };
    for (const [field, value] of Object.entries(settings)) {
      const answer = await api.patch(at(before.id), { [field]: value });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body[field]).toEqual(value);
    }
    const after = (await api.get(at(before.id))).body;
    expect(after).toEqual({
      ...before,
      ...settings,
      status: { ...status, state: 'disabled' },
      updated_at: after.updated_at,
    });
    expect(after.updated_at > before.updated_at).toBe(true);
    const cleared = { filter: null, template: null, retry: null, is_active: true };
    expect((await api.patch(at(before.id), cleared)).body).toMatchObject({ ...cleared, status });
    expect((await api.patch(at(before.id), {})).body).toMatchObject({ name: 'CRM', ...cleared });
  });

  it('merges config key by key; what was not shown stays', async () => {
    const secret = `whsec_${'hidden'.repeat(8)}`;
    const { id } = await aWebhook({ secret, headers: { Authorization: 'Bearer hidden', 'X-Team': 'a' } });
    const change = async (config: Json): Promise<Json> => {
      const answer = await api.patch(at(id), { config });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.text).not.toContain('hidden');
      return answer.body.config;
    };
    expect(await change({ url: `${webhookUrl}/2` })).toEqual({
      url: `${webhookUrl}/2`,
      method: 'POST',
      headers: { Authorization: null, 'X-Team': 'a' },
      content_type: 'application/json',
    });
    expect((await change({ headers: { authorization: null, 'X-Other': 'b' } })).headers).toEqual({
      authorization: null,
      'X-Other': 'b',
    });
    expectFaults(await api.patch(at(id), { config: { headers: { 'X-Gone': null } } }), [
      'config.headers.X-Gone',
    ]);
    expect((await change({ headers: {}, secret: null })).headers).toEqual({});
    expectFaults(await api.patch(at(id), { config: { headers: { authorization: null } } }), [
      'config.headers.authorization',
    ]);
  });

  it('sends a credential that nobody can read to no other host than the one it was entered for', async () => {
    const { id } = await aWebhook({ headers: { Authorization: 'Bearer hidden', 'X-Team': 'a' } });
    const url = 'https://elsewhere.example.com/hook';
    for (const config of [{ url }, { url, headers: { authorization: null } }]) {
      const answer = await api.patch(at(id), { config });
      const path = `config.headers.${config.headers ? 'authorization' : 'Authorization'}`;
      expectFaults(answer, [path]);
      expect(answer.body.details[0].message).toBe(
        'must be entered again, because the URL leads to another host',
      );
    }
    const headers = { Authorization: 'Bearer known', 'X-Team': 'a' };
    expect((await api.patch(at(id), { config: { url, headers } })).body.config).toMatchObject({ url });
  });

  it('takes the shortened URL of a chat for the stored one, and no other', async () => {
    const url = 'https://chat.example.com/services/a/b';
    const { id, config } = await created(ofForm(form), { kind: 'slack', config: { url } });
    expect((await api.patch(at(id), { config })).body.config).toEqual(config);
    expect(
      (await api.patch(at(id), { config: { url: 'https://other.example.com/x/y' } })).body.config,
    ).toEqual({
      url: 'https://other.example.com/x/…',
    });
  });

  it.each(kinds)('$kind: takes back what it showed', async ({ kind, config }) => {
    const { id, config: shown } = await created(ofForm(form), { kind, config });
    expect((await api.patch(at(id), { config: shown })).body.config).toEqual(shown);
  });

  it('refuses what creating refuses, and the kind, and changes nothing', async () => {
    const before = await aWebhook();
    const bad: readonly (readonly [Json, string])[] = [
      [{ kind: 'slack' }, 'kind'],
      [{ built_in: true }, 'built_in'],
      [{ config: { url: null } }, 'config.url'],
      [{ config: { url: 'http://169.254.169.254/' } }, 'config.url'],
      [{ config: { headers: { Host: 'x' } } }, 'config.headers.Host'],
      [{ config: { unknown: 1 } }, 'config.unknown'],
      [{ filter: 7 }, 'filter'],
      [{ template: 'x' }, 'template'],
      [{ retry: { delays: [604_800, 1] } }, 'retry.delays'],
      [{ name: '' }, 'name'],
    ];
    for (const [body, path] of bad) {
      const answer = await api.patch(at(before.id), { is_active: false, ...body });
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.body.details.map((fault: Json) => fault.path)).toContain(path);
    }
    expect((await api.get(at(before.id))).body).toEqual(before);
  });
});

describe('deleting', () => {
  it('responds 204 once', async () => {
    const { id } = await aWebhook();
    expectDeleted(await api.delete(at(id)));
    expectProblem(await api.get(at(id)), 404, 'Destination not found');
    expectProblem(await api.delete(at(id)), 404, 'Destination not found');
  });

  it.each(['form', 'project'] as const)('goes with the %s', async (kind) => {
    const made = await makeForm(server.url, { form: { webhook_url: webhookUrl } });
    const ids = [(await aWebhook({}, made)).id, (await api.get(ofForm(made))).body.data[0].id];
    await api.patch(at(ids[1]), { name: 'Kept' });
    expectDeleted(
      await api.delete(
        kind === 'form' ? `/api/v1/forms/${made.formId}` : `/api/v1/projects/${made.projectId}`,
      ),
    );
    for (const id of ids) expectProblem(await api.get(at(id)), 404, 'Destination not found');
    expectProblem(await api.get(ofForm(made)), 404, 'Form not found');
  });
});

describe('a built-in destination', () => {
  const builtIn = 'This destination stands for webhook_url or notify_emails. Change it there.';
  const settings = { webhook_url: webhookUrl, notify_emails: ['ada@example.com'] };

  it.each(['form', 'project'] as const)('stands for the settings of a %s, and comes first', async (kind) => {
    const made = await makeForm(server.url, { [kind]: settings });
    const path = kind === 'form' ? ofForm(made) : ofProject(made);
    const { id } = await created(path, { kind: 'slack', config: { url: webhookUrl } });
    const { data } = (await api.get(path)).body;
    const owner = {
      project_id: made.projectId,
      form_id: kind === 'form' ? made.formId : null,
      built_in: true,
    };
    expect(data).toMatchObject([
      { ...owner, kind: 'webhook', config: { url: webhookUrl, method: 'POST', headers: {} }, status },
      { ...owner, kind: 'email', config: { to: ['ada@example.com'], cc: [], bcc: [], digest: null }, status },
      { id, kind: 'slack', built_in: false },
    ]);
    for (const one of data) expect((await reader.get(at(one.id))).body).toEqual(one);
    expect((await api.get(kind === 'form' ? ofProject(made) : ofForm(made))).body).toEqual({ data: [] });
  });

  it('takes filter, template, retry, name and is_active, and nothing else', async () => {
    const made = await makeForm(server.url, { form: settings });
    const [webhook, email] = (await api.get(ofForm(made))).body.data;
    const change = {
      filter: { a: 1 },
      template: { b: 2 },
      retry: { delays: [5] },
      name: 'CRM',
      is_active: false,
    };
    const disabled = { ...status, state: 'disabled' };
    expect((await api.patch(at(webhook.id), change)).body).toMatchObject({
      ...change,
      config: webhook.config,
      status: disabled,
    });
    expect((await api.patch(at(email.id), { is_active: false })).body).toMatchObject({ status: disabled });
    expectFaults(await api.patch(at(email.id), { template: 'x' }), ['template']);
    for (const { id } of [webhook, email]) {
      expectProblem(await api.patch(at(id), { config: {} }), 409, builtIn);
      expectProblem(await api.delete(at(id)), 409, builtIn);
    }
    expect((await api.get(at(webhook.id))).body).toMatchObject({ ...change, id: webhook.id });
    expect((await api.patch(at(webhook.id), { is_active: true })).body.status).toEqual(status);
  });

  it('follows the setting: its new address, and gone without one', async () => {
    const made = await makeForm(server.url, { form: settings });
    const [webhook, email] = (await api.get(ofForm(made))).body.data;
    await api.patch(at(webhook.id), { name: 'CRM' });
    await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: `${webhookUrl}/2` });
    expect((await api.get(at(webhook.id))).body).toMatchObject({
      name: 'CRM',
      config: { url: `${webhookUrl}/2` },
    });
    await api.patch(`/api/v1/forms/${made.formId}`, { webhook_url: null, notify_emails: [] });
    for (const { id } of [webhook, email]) {
      expectProblem(await api.get(at(id)), 404, 'Destination not found');
      expectProblem(await api.patch(at(id), { name: 'x' }), 404, 'Destination not found');
      expectProblem(await api.delete(at(id)), 404, 'Destination not found');
    }
    expect((await api.get(ofForm(made))).body).toEqual({ data: [] });
  });
});

describe('who may', () => {
  it('a read-only key reads, and changes nothing', async () => {
    const before = await aWebhook();
    const refused = 'This API key is read-only';
    expectProblem(await reader.patch(at(before.id), { name: 'x' }), 403, refused);
    expectProblem(await reader.delete(at(before.id)), 403, refused);
    const body = { kind: 'slack', config: { url: webhookUrl } };
    for (const path of [ofForm(form), ofProject(form)])
      expectProblem(await reader.post(path, body), 403, refused);
    expect((await reader.get(at(before.id))).body).toEqual(before);
  });

  it('another account finds nothing, built in or not', async () => {
    const made = await makeForm(server.url, { form: { webhook_url: webhookUrl } });
    await aWebhook({}, made);
    const { data } = (await api.get(ofForm(made))).body;
    expect(data).toHaveLength(2);
    for (const { id } of data) {
      expectProblem(await outsider.get(at(id)), 404, 'Destination not found');
      expectProblem(await outsider.patch(at(id), { name: 'x' }), 404, 'Destination not found');
      expectProblem(await outsider.delete(at(id)), 404, 'Destination not found');
    }
    const body = { kind: 'slack', config: { url: webhookUrl } };
    expectProblem(await outsider.post(ofForm(made), body), 404, 'Form not found');
    expectProblem(await outsider.post(ofProject(made), body), 404, 'Project not found');
    expectProblem(await outsider.get(ofProject(made)), 404, 'Project not found');
    expect((await api.get(ofForm(made))).body).toEqual({ data });
  });

  it('nobody finds ids that follow from no owner', async () => {
    const made = await makeForm(server.url, { form: { webhook_url: webhookUrl } });
    const [{ id }] = (await api.get(ofForm(made))).body.data;
    const odd = [unknownId, made.formId, id.toUpperCase(), `${id.slice(0, 19)}a${id.slice(20)}`];
    for (const other of odd) expectProblem(await api.get(at(other)), 404, 'Destination not found');
  });
});
