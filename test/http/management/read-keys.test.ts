/** A read key sees no secret: every GET route of the OpenAPI document, on an instance whose secrets the test knows. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, client, request } from '../../support/client.js';
import { type Headers, sameOrigin } from '../../support/dashboard.js';
import { memberOf } from '../../support/permission-callers.js';
import { fillInstance } from '../../support/rich-instance.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { becomes } from '../../support/webhooks.js';

const instanceSecret = 'an instance secret that only the operator knows';
const destinationSecrets = {
  header: 'a-credential-in-a-header',
  secret: `whsec_${'ofdestination'.repeat(4)}`,
  url: 'the-secret-of-a-chat',
};
const captchaSecret = 'captcha-secret-that-is-write-only';
const providerSecret = 'the secret of an identity provider';

let server: RunningServer;
let full: Client;
let readKey: string;
/** By name, for messages. */
let secrets: Readonly<Record<string, string>>;
/** The value of `{id}`, by the path before it. */
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await startServer({
    env: { INLET_SECRET: instanceSecret, API_RATE_LIMIT_PER_MINUTE: '1000000' },
  });
  full = client(server.url);
  const filled = await fillInstance(server);
  const { projectId, formId, submissionId } = filled;
  await full.patch(`/api/v1/forms/${formId}`, {
    ...{ captcha_enabled: true, captcha_provider: 'altcha', captcha_secret_key: captchaSecret },
    ...{ hosted_page: true, fields: [{ name: 'name', type: 'text' }] },
  });
  const before = (await full.get(`/api/v1/projects/${projectId}`)).body.webhook_secret;
  await full.post(`/api/v1/projects/${projectId}/webhook-secret`);
  readKey = (await full.post('/api/v1/api-keys', { name: 'Reads', scope: 'read' })).body.api_key;
  secrets = {
    webhook: (await full.get(`/api/v1/projects/${projectId}`)).body.webhook_secret,
    'previous webhook': before,
    sandbox: (await full.get(`/api/v1/forms/${formId}`)).body.sandbox_api_key,
    captcha: captchaSecret,
    provider: providerSecret,
    ...destinationSecrets,
    instance: instanceSecret,
    'full key': apiKey,
    'read key': readKey,
  };
  const submission = (await full.get(`/api/v1/submissions/${submissionId}`)).body;
  const [delivery] = (await full.get(`/api/v1/submissions/${submissionId}/deliveries`)).body.data;
  const replay = await full.post('/api/v1/deliveries/replay', { project_id: projectId });
  const erasure = await full.post('/api/v1/persons/erase', { q: 'nobody@example.com' });
  const destination = await full.post(`/api/v1/forms/${formId}/destinations`, {
    kind: 'webhook',
    config: {
      url: 'https://example.com/',
      headers: { Authorization: destinationSecrets.header },
      secret: destinationSecrets.secret,
    },
  });
  await full.post(`/api/v1/projects/${projectId}/destinations`, {
    ...{ kind: 'slack', config: { url: `https://example.com/services/${destinationSecrets.url}` } },
  });
  const provider = await full.post('/api/v1/identity-providers', {
    ...{ name: 'Acme', issuer: 'http://127.0.0.1:1', client_id: 'inlet', client_secret: providerSecret },
  });
  ids = {
    '/api/v1/identity-providers': provider.body.id,
    '/api/v1/session/providers': provider.body.id,
    '/api/v1/destinations': destination.body.id,
    '/f': (await full.get(`/api/v1/forms/${formId}`)).body.public_id,
    '/api/v1/projects': projectId,
    '/api/v1/forms': formId,
    '/api/v1/submissions': submissionId,
    '/api/v1/files': submission.files[0].id,
    '/api/v1/deliveries': delivery.id,
    '/api/v1/deliveries/replays': replay.body.id,
    '/api/v1/erasures': erasure.body.id,
  };
});
afterAll(() => server.dispose());

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Need a session or a file token; a key gets 401, whatever its scope. */
const notByKey = new Set([
  '/api/v1/session',
  '/api/v1/session/factors',
  '/api/v1/session/list',
  '/api/v1/unread',
  '/api/v1/files/{id}/content',
]);

/** Need a file token. A signed-in user can read the others. */
const byToken = new Set(['/api/v1/files/{id}/content']);

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });

/** Only for owners: a read key and a viewer get 403. */
const forOwners = new Set([
  '/api/v1/audit',
  '/api/v1/audit/export',
  '/api/v1/erasures',
  '/api/v1/erasures/{id}',
]);

/** The live events of a new submission, as text. */
async function eventsSeen(credential: Headers): Promise<string> {
  const over = new AbortController();
  const response = await fetch(`${server.url}/api/v1/events`, {
    headers: credential,
    signal: over.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('utf8');
  })().catch(() => {});
  const form = await full.post(`/api/v1/projects/${ids['/api/v1/projects']}/forms`, { name: 'Live' });
  const submit = () =>
    fetch(form.body.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
  await becomes(
    async () => {
      await submit();
      return text;
    },
    (seen) => seen.includes('submission'),
  );
  over.abort();
  await reading;
  return text;
}

/** The text of each GET route's response, by template. `alsoRight`: other accepted statuses besides 200 and 302. */
async function walk(
  credential: Headers,
  alsoRight: readonly number[] = [],
): Promise<ReadonlyMap<string, string>> {
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
  const templates = Object.keys(document.paths).filter((template) => document.paths[template]?.get);
  expect(templates.length).toBeGreaterThan(20);
  const seen = new Map<string, string>();
  for (const template of templates) {
    if (template === '/api/v1/events') {
      seen.set(template, await eventsSeen(credential));
      continue;
    }
    const path = template
      .replace(/^(.*?)\/\{\w+\}/, (_whole, before) => {
        const id = ids[before];
        if (id === undefined) throw new Error(`No id is known for ${template}`);
        return `${before}/${id}`;
      })
      .replace('{number}', '1');
    const response = await fetch(`${server.url}${path}`, {
      headers: credential,
      redirect: 'manual',
    });
    const text = await response.text();
    const isForOthers = 'cookie' in credential ? byToken.has(template) : notByKey.has(template);
    const isOwner =
      'authorization' in credential && credential.authorization === bearer(apiKey).authorization;
    if (!isOwner && forOwners.has(template)) expect(response.status, template).toBe(403);
    else if (!isForOthers)
      expect([200, 302, ...alsoRight], `${template}: ${text}`).toContain(response.status);
    seen.set(template, `${response.headers.get('location') ?? ''}\n${text}`);
  }
  return seen;
}

const revealed = (seen: ReadonlyMap<string, string>): readonly string[] =>
  [...seen].flatMap(([template, text]) =>
    Object.entries(secrets)
      .filter(([, secret]) => text.includes(secret))
      .map(([name]) => `${template}: ${name}`),
  );

it('a read key is shown no secret by any GET route, and null where a secret would stand', async () => {
  expect(revealed(await walk(bearer(readKey)))).toEqual([]);
  const reader = client(server.url, readKey);
  expect((await reader.get(`/api/v1/projects/${ids['/api/v1/projects']}`)).body.webhook_secret).toBeNull();
  expect((await reader.get(`/api/v1/forms/${ids['/api/v1/forms']}`)).body.sandbox_api_key).toBeNull();
});

it('a full key is shown the two secrets that its owner has to pass on, and no others', async () => {
  expect(revealed(await walk(bearer(apiKey)))).toEqual([
    '/api/v1/projects/{id}: webhook',
    '/api/v1/forms/{id}: sandbox',
  ]);
});

it.each([
  ['the account', () => ({ role: 'viewer' })],
  ['the project', () => ({ projects: [{ project_id: ids['/api/v1/projects'], role: 'viewer' }] })],
])('a viewer of %s is shown no secret by any GET route', async (name, access) => {
  const { cookie } = await memberOf(server, `viewer-of-${name.replace(' ', '-')}@example.com`, access());
  const credential = { cookie, ...sameOrigin };
  // A viewer of one project may not read what concerns the whole account.
  const seen = await walk(credential, name === 'the account' ? [] : [403, 404]);
  expect(revealed(seen)).toEqual([]);
  const shown = async (path: string) => (await request(`${server.url}${path}`, { headers: credential })).body;
  expect((await shown(`/api/v1/projects/${ids['/api/v1/projects']}`)).webhook_secret).toBeNull();
  expect((await shown(`/api/v1/forms/${ids['/api/v1/forms']}`)).sandbox_api_key).toBeNull();
});
