/** Invalid settings of projects and forms, each named by its path. Decisions 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
let made: MadeForm;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  made = await makeForm(server.url);
});
afterAll(() => server.dispose());

type Case = readonly [label: string, body: Record<string, unknown>, paths: readonly string[]];

const badUrls = [
  'ftp://example.com/',
  'javascript:alert(1)',
  'data:text/html,hello',
  'file:///etc/passwd',
  'https://user:secret@example.com/',
  'https://user@example.com/',
  'https://',
  'http:///path',
  'https://?q',
  '//example.com/',
  '/relative',
  'example.com',
  'http://exa mple.com/',
  'http://[::1/',
  'http://example.com:99999/',
  '',
  ' ',
  `https://example.com/${'a'.repeat(2048)}`,
];
const badOrigins = [
  '',
  ' ',
  '*',
  'exa mple.com',
  'ftp://example.com',
  'javascript:alert(1)',
  'https://user@example.com',
  'a.*.example.com',
  '*example.com',
  '-example.com',
  'example..com',
  `${'a'.repeat(300)}.com`,
];
const badEmails = [
  '',
  'nobody',
  '@example.com',
  'a@',
  'a b@example.com',
  'a@b@example.com',
  'a@example.com, b@example.com',
  'Somebody <a@example.com>',
  'a@example.com\r\nBcc: b@example.com',
  `${'a'.repeat(250)}@example.com`,
];

const shared: readonly Case[] = [
  ['a name that is a number', { name: 5 }, ['name']],
  ['a name that is null', { name: null }, ['name']],
  ['an empty name', { name: '' }, ['name']],
  ['a blank name', { name: ' \t\n ' }, ['name']],
  ['a name that is too long', { name: 'n'.repeat(201) }, ['name']],
  ['an unknown field', { colour: 'red' }, ['colour']],
  ['a misspelt field', { webhook_ulr: 'https://example.com/' }, ['webhook_ulr']],
  ['the id', { id: '01890000-0000-7000-8000-000000000000' }, ['id']],
  ['the slug', { slug: 'mine' }, ['slug']],
  ['created_at', { created_at: '2020-01-01T00:00:00.000Z' }, ['created_at']],
  ['a webhook URL that is no text', { webhook_url: 5 }, ['webhook_url']],
  ...badUrls.map((url): Case => [`webhook_url ${url.slice(0, 40)}`, { webhook_url: url }, ['webhook_url']]),
  ['origins that are a text', { allowed_origins: 'example.com' }, ['allowed_origins']],
  ['origins that are null', { allowed_origins: null }, ['allowed_origins']],
  ['an origin that is a number', { allowed_origins: ['a.example', 5] }, ['allowed_origins.1']],
  ...badOrigins.map(
    (origin): Case => [
      `the origin "${origin.slice(0, 40)}"`,
      { allowed_origins: ['good.example', origin] },
      ['allowed_origins.1'],
    ],
  ),
  ['e-mails that are a text', { notify_emails: 'a@example.com' }, ['notify_emails']],
  ['an e-mail that is null', { notify_emails: [null] }, ['notify_emails.0']],
  ...badEmails.map(
    (email): Case => [
      `the e-mail ${JSON.stringify(email.slice(0, 40))}`,
      { notify_emails: [email] },
      ['notify_emails.0'],
    ],
  ),
  ['is_active as a text', { is_active: 'true' }, ['is_active']],
  ['is_active as a number', { is_active: 1 }, ['is_active']],
  ['is_active as null', { is_active: null }, ['is_active']],
];

const ofProjects: readonly Case[] = [
  ...[0, -1, 10_000_001, 1.5, '60', null, true, 1e300].map(
    (limit): Case => [
      `rate_limit_per_minute ${JSON.stringify(limit)}`,
      { rate_limit_per_minute: limit },
      ['rate_limit_per_minute'],
    ],
  ),
  ['a field of forms', { validation_mode: 'live' }, ['validation_mode']],
  [
    'several faults at once',
    {
      name: '',
      webhook_url: 'ftp://example.com',
      allowed_origins: ['ok.example', 'not ok', 7],
      notify_emails: ['nobody'],
      rate_limit_per_minute: 0,
      is_active: 'yes',
      unknown: 1,
    },
    [
      'name',
      'webhook_url',
      'allowed_origins.1',
      'allowed_origins.2',
      'notify_emails.0',
      'rate_limit_per_minute',
      'is_active',
      'unknown',
    ],
  ],
];

const ofForms: readonly Case[] = [
  ...badUrls.map(
    (url): Case => [`success_redirect ${url.slice(0, 40)}`, { success_redirect: url }, ['success_redirect']],
  ),
  ['an unknown mode', { validation_mode: 'test' }, ['validation_mode']],
  ['a mode in capitals', { validation_mode: 'LIVE' }, ['validation_mode']],
  ['wait_for_webhook as a text', { wait_for_webhook: 'yes' }, ['wait_for_webhook']],
  ['captcha_enabled as a number', { captcha_enabled: 1 }, ['captcha_enabled']],
  ['an unknown provider', { captcha_provider: 'mine' }, ['captcha_provider']],
  ['a site key that is a number', { captcha_site_key: 1 }, ['captcha_site_key']],
  ['a secret key that is a list', { captcha_secret_key: [] }, ['captcha_secret_key']],
  ...[
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.4/33',
    '1.2.3.4/-1',
    '::1/129',
    '1.2.3.4/',
    '300.1.1.1',
  ].map(
    (network): Case => [
      `the address "${network}"`,
      { sandbox_ips: ['127.0.0.1', network] },
      ['sandbox_ips.1'],
    ],
  ),
  ['a blocked address that is none', { blocked_ips: ['everyone'] }, ['blocked_ips.0']],
  ['blocked addresses as a text', { blocked_ips: '1.2.3.4' }, ['blocked_ips']],
  ['a number as sandbox key', { sandbox_api_key: 1234567890123456 }, ['sandbox_api_key']],
  [
    'a sandbox key that no header can carry',
    { sandbox_api_key: 'with blank and ünïcode' },
    ['sandbox_api_key'],
  ],
  ...[0, -1, 1.5, '30'].map(
    (days): Case => [`retention_days ${JSON.stringify(days)}`, { retention_days: days }, ['retention_days']],
  ),
  ...[0, 36_501, '30'].map(
    (days): Case => [
      `file_retention_days ${JSON.stringify(days)}`,
      { file_retention_days: days },
      ['file_retention_days'],
    ],
  ),
  ['redact_fields with an empty name', { redact_fields: [''] }, ['redact_fields.0']],
  ['too many redact_fields', { redact_fields: Array.from({ length: 51 }, String) }, ['redact_fields']],
  ['store_ip as a text', { store_ip: 'no' }, ['store_ip']],
  ['store_user_agent as null', { store_user_agent: null }, ['store_user_agent']],
  ['a field of projects', { rate_limit_per_minute: 60 }, ['rate_limit_per_minute']],
  ['the public id', { public_id: 'mine' }, ['public_id']],
  ['another project', { project_id: '01890000-0000-7000-8000-000000000000' }, ['project_id']],
  [
    'several faults at once',
    {
      name: 1,
      webhook_url: 'javascript:1',
      success_redirect: 'javascript:2',
      allowed_origins: ['not ok'],
      validation_mode: 'x',
      sandbox_ips: ['x', '1.1.1.1', 'y'],
      retention_days: 0,
      typo: true,
    },
    [
      'name',
      'webhook_url',
      'success_redirect',
      'allowed_origins.0',
      'validation_mode',
      'sandbox_ips.0',
      'sandbox_ips.2',
      'retention_days',
      'typo',
    ],
  ],
];

describe.each([
  [
    'a project',
    (): string => '/api/v1/projects',
    (): string => `/api/v1/projects/${made.projectId}`,
    [...shared, ...ofProjects],
  ],
  [
    'a form',
    (): string => `/api/v1/projects/${made.projectId}/forms`,
    (): string => `/api/v1/forms/${made.formId}`,
    [...shared, ...ofForms],
  ],
] as const)('%s', (_, collection, resource, cases) => {
  it.each(cases)('refuses %s on create and on PATCH', async (__, body, paths) => {
    expectFaults(await api.post(collection(), { name: 'Fine', ...body }), paths);
    expectFaults(await api.patch(resource(), body), paths);
  });

  it('needs a name on create', async () => {
    expectFaults(await api.post(collection(), {}), ['name']);
    expectFaults(await api.post(collection(), { is_active: 1, typo: 1 }), ['name', 'is_active', 'typo']);
  });

  it('is left as it was by a refused PATCH, whole', async () => {
    const before = (await api.get(resource())).body;
    await api.patch(resource(), { name: 'Half taken', is_active: false, allowed_origins: ['not ok'] });
    expect((await api.get(resource())).body).toEqual(before);
  });

  it('is not made by a refused create', async () => {
    const count = async (): Promise<number> => (await api.get(collection())).body.data.length;
    const before = await count();
    await api.post(collection(), { name: 'Fine', typo: 1 });
    expect(await count()).toBe(before);
  });
});
