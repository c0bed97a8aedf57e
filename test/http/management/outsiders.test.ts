/** Ids that do not exist, malformed ids, and ids of other accounts: 404 with the noun's own text. Decisions 2 and 3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { makeAccount } from '../../support/accounts.js';
import { client, type MadeForm, makeForm, request, submitJson } from '../../support/client.js';
import { expectProblem, unknownId } from '../../support/contract.js';
import { changeStored } from '../../support/engine.js';
import { bodyOf, type ManagementRoute, managementRoutes, pathOf } from '../../support/management-routes.js';
import { rawRequest } from '../../support/raw-http.js';
import { refusingUrl } from '../../support/receivers.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let made: MadeForm;
let owned: Record<string, string>;
let outsiderKey: string;

beforeAll(async () => {
  // More requests than a key may send in a minute.
  server = await startServer({ env: { API_RATE_LIMIT_PER_MINUTE: '1000000' } });
  made = await makeForm(server.url, { form: { webhook_url: await refusingUrl() } });
  const submitted = await submitFiles(made.endpoint, [
    { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' },
  ]);
  const key = await client(server.url).post('/api/v1/api-keys', { name: 'Mine' });
  const api = client(server.url);
  const user = await api.post('/api/v1/users', { email: 'ada@example.com', password: 'a long password' });
  const sent = await api.get(`/api/v1/submissions/${submitted.body.submission_id}/deliveries`);
  const trapped = await submitJson(made.endpoint, { _gotcha: 'robot' });
  const replay = await api.post('/api/v1/deliveries/replay', { form_id: made.formId });
  const destination = await api.post(`/api/v1/forms/${made.formId}/destinations`, {
    ...{ kind: 'slack', config: { url: 'https://example.com/' } },
  });
  const label = await api.post('/api/v1/labels', { name: 'Mine' });
  const note = await api.post(`/api/v1/submissions/${submitted.body.submission_id}/notes`, { text: 'Mine' });
  const view = await api.post('/api/v1/views', { name: 'Mine' });
  const provider = await api.post('/api/v1/identity-providers', {
    ...{ name: 'Acme', issuer: 'https://example.com/', client_id: 'x', client_secret: 'y' },
  });
  const suppressed = newId(Date.now());
  await changeStored(
    server.dataDir,
    `INSERT INTO suppressed_addresses (id, account_id, destination_id, address, reason, detail, created_at)
      SELECT '${suppressed}', id, '', 'ada@example.com', 'bounced', '', 1 FROM accounts`,
  );
  const erasure = await api.post('/api/v1/persons/erase', { q: 'nobody@example.com' });
  owned = {
    erasures: erasure.body.id,
    'identity-providers': provider.body.id,
    'suppressed-addresses': suppressed,
    labels: label.body.id,
    notes: note.body.id,
    views: view.body.id,
    destinations: destination.body.id,
    spam: trapped.body.submission_id,
    deliveries: sent.body.data[0].id,
    replays: replay.body.id,
    projects: made.projectId,
    forms: made.formId,
    submissions: submitted.body.submission_id,
    files: submitted.body.files[0].id,
    'api-keys': key.body.id,
    users: user.body.id,
  };
  outsiderKey = (await makeAccount(server, 'enterprise', 'Outsider')).api_key;
});
afterAll(() => server.dispose());

const byId = managementRoutes.filter((route) => route.notFound !== null);
const named = byId.map((route) => ({ name: `${route.method} ${route.template}`, route }));

const nounOf = ({ template }: ManagementRoute): string =>
  template.includes('/replays/') ? 'replays' : (template.split('/')[3] ?? '');

const send = (route: ManagementRoute, id: string, key: string = apiKey) => {
  const body = bodyOf(route);
  return rawRequest(server.port, pathOf(route, id), {
    method: route.method,
    headers: [
      ['Authorization', `Bearer ${key}`],
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ],
    ...(body === undefined ? {} : { body }),
  });
};

describe.each(named)('$name', ({ route }) => {
  it.each([
    ['an unknown UUID', unknownId],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['no UUID', 'abc'],
    ['a number', '1'],
    ['dots', '%2e%2e'],
    ['a climb', '%2e%2e%2f%2e%2e%2fetc%2fpasswd'],
    ['a UUID without dashes', unknownId.replaceAll('-', '')],
    ['a UUID in braces', `%7B${unknownId}%7D`],
    ['a UUID and a blank', `${unknownId}%20`],
    ['a UUID and a zero byte', `${unknownId}%00`],
    ['another script', encodeURIComponent('формы-表單')],
    ['an emoji', encodeURIComponent('🎉')],
    ['SQL', encodeURIComponent("' OR 1=1 --")],
    ['a wildcard', '%25'],
    ['a very long id', 'a'.repeat(5000)],
    ['__proto__', '__proto__'],
  ])('does not know %s', async (_, id) => {
    expectProblem(await send(route, id), 404, route.notFound ?? '');
  });

  it('does not know its own id in capitals', async () => {
    const noun = nounOf(route);
    const id = owned[noun] ?? '';
    expect(id).toMatch(/[a-f]/);
    expectProblem(await send(route, id.toUpperCase()), 404, route.notFound ?? '');
  });

  it('does not let another account in', async () => {
    const noun = nounOf(route);
    const answer = await send(route, owned[noun] ?? '', outsiderKey);
    if (noun === 'files') expectProblem(answer, 403, 'Access denied to this file');
    else expectProblem(answer, 404, route.notFound ?? '');
  });
});

it('knows a form of another account by its public id as little', async () => {
  const outsider = client(server.url, outsiderKey);
  const path = `/api/v1/forms/${made.publicId}`;
  expectProblem(await outsider.get(path), 404, 'Form not found');
  expectProblem(await outsider.patch(path, { name: 'Taken' }), 404, 'Form not found');
  expectProblem(await outsider.delete(path), 404, 'Form not found');
  expectProblem(await outsider.get(`${path}/submissions`), 404, 'Form not found');
  expectProblem(await outsider.get(`${path}/submissions/export?format=jsonl`), 404, 'Form not found');
});

it('left everything as it was', async () => {
  const api = client(server.url);
  expect((await api.get(`/api/v1/projects/${owned.projects}`)).body.name).toBe('Website');
  expect((await api.get(`/api/v1/forms/${owned.forms}`)).body).toMatchObject({
    name: 'Contact',
    submissions_count: 1,
  });
  expect((await api.get(`/api/v1/submissions/${owned.submissions}`)).body.files).toHaveLength(1);
  expect((await api.get(`/api/v1/files/${owned.files}`)).status).toBe(200);
  expect((await api.get('/api/v1/api-keys')).text).toContain(owned['api-keys']);
  for (const noun of ['labels', 'views'])
    expect((await api.get(`/api/v1/${noun}`)).body.data).toMatchObject([{ id: owned[noun], name: 'Mine' }]);
  const suppressed = await api.get('/api/v1/suppressed-addresses');
  expect(suppressed.body.data).toMatchObject([
    { id: owned['suppressed-addresses'], address: 'ada@example.com' },
  ]);
  const notes = await api.get(`/api/v1/submissions/${owned.submissions}/notes`);
  expect(notes.body.data).toMatchObject([{ id: owned.notes, text: 'Mine' }]);
});

it('knows ids of one noun only under that noun', async () => {
  const api = client(server.url);
  expectProblem(await api.get(`/api/v1/projects/${owned.forms}`), 404, 'Project not found');
  expectProblem(await api.get(`/api/v1/forms/${owned.projects}`), 404, 'Form not found');
  expectProblem(await api.get(`/api/v1/submissions/${owned.files}`), 404, 'Submission not found');
  expectProblem(await api.get(`/api/v1/files/${owned.submissions}`), 404, 'File not found');
  expectProblem(await submitJson(`${server.url}/f/${owned.forms}`, { a: 1 }), 404, 'Form not found');
});

it('survives paths that are no paths', async () => {
  for (const path of ['/api/v1/projects/%ff', '/api/v1/projects/%', '/api/v1/files/%zz/download']) {
    const answer = await rawRequest(server.port, path, { headers: [['Authorization', `Bearer ${apiKey}`]] });
    expect([400, 404]).toContain(answer.status);
    expect(typeof answer.body.error).toBe('string');
  }
  expect((await request(`${server.url}/healthz`)).status).toBe(200);
});
