/** What rules would reject of existing submissions, before they are set. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectProblem, unknownId } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const send = async (form: MadeForm, data: unknown): Promise<string> => {
  const answer = await submitJson(form.endpoint, data);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.submission_id;
};

const check = (form: MadeForm, body: unknown, by = api) =>
  by.post(`/api/v1/forms/${form.formId}/fields/check`, body);

it('counts what breaks each rule, the most frequent first, with the newest example', async () => {
  const form = await makeForm(server.url);
  await send(form, { email: 'ada@example.com', age: 12 });
  await send(form, { email: 'ada', age: 12 });
  const newest = await send(form, { email: 'bob', age: 200, extra: 'x' });
  const young = await send(form, { email: 'c@example.com' });
  const fields = [
    { name: 'email', type: 'email', required: true },
    { name: 'age', type: 'integer', max: 100, required: true },
  ];
  const answer = await check(form, { fields, unknown_fields: 'reject' });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    checked: 4,
    valid: 1,
    violations: [
      { field: 'email', code: 'type_email', count: 2, submission_id: newest },
      { field: 'age', code: 'required', count: 1, submission_id: young },
      { field: 'age', code: 'too_large', count: 1, submission_id: newest },
      { field: 'extra', code: 'unknown_field', count: 1, submission_id: newest },
    ],
  });
  const kept = await check(form, { fields });
  expect(kept.body.violations.map(({ code }: { code: string }) => code)).not.toContain('unknown_field');
});

it('judges files, and changes nothing', async () => {
  const form = await makeForm(server.url);
  await submitFiles(form.endpoint, [{ field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'xyz' }]);
  const fields = [{ name: 'cv', type: 'file', max_bytes: 2 }];
  expect((await check(form, { fields })).body).toMatchObject({
    valid: 0,
    violations: [{ field: 'cv', code: 'file_too_large', count: 1 }],
  });
  expect((await api.get(`/api/v1/forms/${form.formId}`)).body.fields).toEqual([]);
});

it('checks the newest thousand', async () => {
  const form = await makeForm(server.url);
  await send(form, { n: 'old' });
  for (let sent = 0; sent < 1_000; sent += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => send(form, { n: sent + i })));
  const answer = await check(form, { fields: [{ name: 'n', type: 'integer' }] });
  expect(answer.body).toEqual({ checked: 1_000, valid: 1_000, violations: [] });
});

it('finds everything valid without rules, and nothing to check without submissions', async () => {
  const form = await makeForm(server.url);
  expect((await check(form, { fields: [{ name: 'a', type: 'text', required: true }] })).body).toEqual({
    ...{ checked: 0, valid: 0, violations: [] },
  });
  await send(form, { a: 1 });
  expect((await check(form, { fields: [], unknown_fields: 'reject' })).body).toEqual({
    ...{ checked: 1, valid: 1, violations: [] },
  });
});

it('lists at most 200 violations', async () => {
  const form = await makeForm(server.url);
  await send(form, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${i}`, 'x'])));
  const fields = [{ name: 'a', type: 'text' }];
  const { body } = await check(form, { fields, unknown_fields: 'reject' });
  expect(body).toMatchObject({ checked: 1, valid: 0 });
  expect(body.violations).toHaveLength(200);
});

it.each([
  ['fields is required', {}, 'fields'],
  ['an unknown type', { fields: [{ name: 'a', type: 'colour' }] }, 'fields.0.type'],
  ['a contradiction', { fields: [{ name: 'a', type: 'integer', min: 2, max: 1 }] }, 'fields.0.min'],
  ['an unknown mode', { fields: [], unknown_fields: 'ignore' }, 'unknown_fields'],
  ['another field', { fields: [], limit: 5 }, 'limit'],
])('rejects a body with 400: %s', async (_, body, path) => {
  const form = await makeForm(server.url);
  const answer = await check(form, body);
  expect(answer.status, answer.text).toBe(400);
  expect(answer.body).toMatchObject({ code: 'invalid_body', details: [{ path }] });
});

it('is for its account alone, and read-only keys may ask', async () => {
  const form = await makeForm(server.url);
  const other = client(server.url, (await makeAccount(server, 'pro')).api_key);
  expectProblem(await check(form, { fields: [] }, other), 404, 'Form not found');
  expectProblem(
    await api.post(`/api/v1/forms/${unknownId}/fields/check`, { fields: [] }),
    404,
    'Form not found',
  );
  const key = (await api.post('/api/v1/api-keys', { name: 'Reads', scope: 'read' })).body.api_key;
  expect((await check(form, { fields: [] }, client(server.url, key))).status).toBe(200);
});
