/** The deliveries of a submission as its owner sees them: decisions 3 and 6. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { expectFields, fields, instant, uuid } from '../../support/contract.js';
import { freePort, type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
let api: Client;
/** Nothing listens there: deliveries to it stay pending until hours of retries are used up. */
let deadEnd: string;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  deadEnd = `http://127.0.0.1:${await freePort()}`;
});
afterAll(() => server.dispose());

const deliveriesOf = async (endpoint: string) => {
  const { submission_id: id } = (await submitJson(endpoint, { a: 1 })).body;
  const answer = await api.get(`/api/v1/submissions/${id}/deliveries`);
  expect(answer.status, answer.text).toBe(200);
  expectFields(answer.body, ['data', 'skipped']);
  return { id: id as string, deliveries: answer.body.data };
};

it('are none without a webhook', async () => {
  const { endpoint } = await makeForm(server.url);
  expect((await deliveriesOf(endpoint)).deliveries).toEqual([]);
});

it.each([
  { name: 'the form', project: null, form: '/form', targets: ['form'] },
  { name: 'the project', project: '/project', form: null, targets: ['project'] },
  { name: 'both', project: '/project', form: '/form', targets: ['form', 'project'] },
  {
    name: 'both, at the same URL',
    project: '/same',
    form: '/same',
    targets: [expect.stringMatching(/^(form|project)$/)],
  },
])('are one for each target: $name', async ({ project, form, targets }) => {
  const to = (path: string | null) => ({ webhook_url: path === null ? null : deadEnd + path });
  const { endpoint } = await makeForm(server.url, { project: to(project), form: to(form) });
  const { deliveries } = await deliveriesOf(endpoint);
  expect(deliveries.map((delivery: { target: string }) => delivery.target).sort()).toEqual(targets);
  for (const delivery of deliveries) {
    expectFields(delivery, fields.delivery);
    expect(delivery.id).toMatch(uuid);
    expect(delivery.state).toBe('pending');
    expect(delivery.url).toBe(`${deadEnd}${delivery.target === 'form' ? form : project}`);
    expect(delivery.next_attempt_at === null || instant.test(delivery.next_attempt_at)).toBe(true);
    for (const attempt of delivery.attempts) expectFields(attempt, fields.attempt);
  }
});

it('decide what webhook_state finds', async () => {
  const made = await makeForm(server.url, { form: { webhook_url: `${deadEnd}/hook` } });
  const { id } = await deliveriesOf(made.endpoint);
  for (const path of [`/api/v1/forms/${made.formId}`, `/api/v1/projects/${made.projectId}`]) {
    const found = async (state: string) =>
      (await api.get(`${path}/submissions?webhook_state=${state}`)).body.data.map(
        (item: { id: string }) => item.id,
      );
    expect(await found('pending')).toEqual([id]);
    expect(await found('delivered')).toEqual([]);
    expect(await found('failed')).toEqual([]);
  }
  const plain = await api.get(`/api/v1/forms/${made.formId}/submissions`);
  expect(plain.body.data[0]).not.toHaveProperty('delivery_state');
  const both = await api.get(`/api/v1/forms/${made.formId}/submissions?webhook_state=pending&q=nothing`);
  expect(both.body.data).toEqual([]);
});

it('do not show the signing secret', async () => {
  const made = await makeForm(server.url, { form: { webhook_url: `${deadEnd}/hook` } });
  const { id } = await deliveriesOf(made.endpoint);
  const { webhook_secret: secret } = (await api.get(`/api/v1/projects/${made.projectId}`)).body;
  expect((await api.get(`/api/v1/submissions/${id}/deliveries`)).text).not.toContain(secret);
});
