/** What an account's plan allows, and what the account reports about it: decisions 2, interface 7 and 8. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount, type Plan } from '../../support/accounts.js';
import { client, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, expectFields, expectProblem, instant, uuid } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { DEFAULT_PLAN: 'business' } });
});
afterAll(() => server.dispose());

const plans: readonly { plan: Plan; projects: number | null; uploads: boolean; images: boolean }[] = [
  { plan: 'starter', projects: 3, uploads: false, images: false },
  { plan: 'pro', projects: 25, uploads: true, images: false },
  { plan: 'business', projects: 100, uploads: true, images: true },
  { plan: 'enterprise', projects: null, uploads: true, images: true },
];

describe.each(plans)('$plan', ({ plan, projects, uploads, images }) => {
  let key: string;
  let accountId: string;
  beforeAll(async () => {
    const made = await makeAccount(server, plan, `The ${plan} client`);
    key = made.api_key;
    accountId = made.id;
  });

  it('is what the account shows', async () => {
    const answer = await client(server.url, key).get('/api/v1/account');
    expect(answer.status).toBe(200);
    expectFields(answer.body, [
      'id',
      'name',
      'plan',
      'limits',
      'usage',
      'two_factors_required',
      'created_at',
    ]);
    expect(answer.body).toMatchObject({ id: accountId, name: `The ${plan} client`, plan });
    expect(answer.body.id).toMatch(uuid);
    expect(answer.body.created_at).toMatch(instant);
    expect(answer.body.limits).toEqual({
      projects,
      file_uploads: uploads,
      image_transformation: images,
      max_file_bytes: 10 * 1024 * 1024,
      max_files: 10,
      max_body_bytes: 25 * 1024 * 1024,
    });
    expect(answer.body.usage).toEqual({ projects: 0, forms: 0, submissions: 0 });
  });

  it(`${uploads ? 'takes' : 'refuses'} file uploads`, async () => {
    const { endpoint, projectId } = await makeForm(server.url, { key });
    const answer = await submitFiles(endpoint, [
      { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' },
    ]);
    if (uploads) expect(answer.status, answer.text).toBe(200);
    else {
      expectProblem(answer, 402, 'File uploads require a paid plan', {
        upgrade_url: `${server.url}/dashboard/plan`,
      });
    }
    await client(server.url, key).delete(`/api/v1/projects/${projectId}`);
  });

  it(`has room for ${projects ?? 'more than 100'} projects, also when all are asked for at once`, async () => {
    const api = client(server.url, key);
    const tries = (projects ?? 100) + 5;
    const room = projects ?? tries;
    const limit = 'Project limit reached. Upgrade your plan.';
    const answers = await Promise.all(
      Array.from({ length: tries }, (_, number) => api.post('/api/v1/projects', { name: `P ${number}` })),
    );
    const made = answers.filter((answer) => answer.status === 201);
    expect(made).toHaveLength(room);
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 403, limit);
    expect((await api.get('/api/v1/projects')).body.data).toHaveLength(room);
    if (projects === null) return;

    // An invalid body is invalid on every plan.
    expectFaults(await api.post('/api/v1/projects', {}), ['name']);
    await api.delete(`/api/v1/projects/${made[0]?.body.id}`);
    expect((await api.post('/api/v1/projects', { name: 'In its place' })).status).toBe(201);
    expectProblem(await api.post('/api/v1/projects', { name: 'One too many' }), 403, limit);
  });
});

it('counts what the account uses', async () => {
  const api = client(server.url);
  const usage = async () => (await api.get('/api/v1/account')).body.usage;
  const { endpoint, formId, projectId } = await makeForm(server.url);
  await api.post(`/api/v1/projects/${projectId}/forms`, { name: 'Second' });
  const first = await submitJson(endpoint, { a: 1 });
  await submitJson(endpoint, { a: 2 });
  expect(await usage()).toEqual({ projects: 1, forms: 2, submissions: 2 });
  await api.delete(`/api/v1/submissions/${first.body.submission_id}`);
  expect(await usage()).toEqual({ projects: 1, forms: 2, submissions: 1 });
  await api.delete(`/api/v1/forms/${formId}`);
  expect(await usage()).toEqual({ projects: 1, forms: 1, submissions: 0 });
  await api.delete(`/api/v1/projects/${projectId}`);
  expect(await usage()).toEqual({ projects: 0, forms: 0, submissions: 0 });
});

it('is DEFAULT_PLAN for the first account', async () => {
  expect((await client(server.url).get('/api/v1/account')).body.plan).toBe('business');
});
