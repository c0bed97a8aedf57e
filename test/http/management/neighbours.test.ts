/** The submissions before and after one: in the order of the list, whatever filters or sorts it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFields } from '../../support/contract.js';
import { type Person, signedIn, withAdmin } from '../../support/dashboard.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let ada: Person;
let form: MadeForm;
let ids: readonly string[];
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, API_RATE_LIMIT_PER_MINUTE: '1000000' } });
  api = client(server.url);
  ada = await signedIn(server);
  form = await makeForm(server.url);
  const made: string[] = [];
  for (const [plan, size] of [
    ['small', 3],
    ['large', 1],
    ['small', 20],
    ['large', 3],
    ['small', 1],
    ['none', null],
  ])
    made.push(await submit(form.endpoint, { plan, size, text: `the ${plan} one` }));
  ids = made;
  await api.post('/api/v1/submissions/update', { ids: [ids[1], ids[4]], change: { is_starred: true } });
  await api.post('/api/v1/submissions/update', { ids: [ids[2]], change: { folder: 'trash' } });
  const elsewhere = await makeForm(server.url);
  await submit(elsewhere.endpoint, { plan: 'small', size: 2, text: 'of another form' });
});
afterAll(() => server.dispose());

const queryOf = (query: Readonly<Record<string, string>>) => new URLSearchParams(query).toString();
const neighbours = async (id: string, query: Readonly<Record<string, string>>) => {
  const { status, body } = await api.get(`/api/v1/submissions/${id}/neighbours?${queryOf(query)}`);
  expect(status).toBe(200);
  expectFields(body, ['previous_id', 'next_id']);
  return body;
};

/** The ids in the order of the list. */
async function listed(path: string, query: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { status, body } = await api.get(`${path}?${queryOf({ ...query, limit: '100' })}`);
  expect(status).toBe(200);
  expect(body.next_cursor).toBeNull();
  return body.data.map(({ id }: { id: string }) => id);
}

describe('GET /api/v1/submissions/{id}/neighbours', () => {
  it.each<[string, Record<string, string>, number]>([
    ['as it is', {}, 5],
    ['oldest first', { sort: 'created_at' }, 5],
    ['of a folder', { folder: 'all' }, 6],
    ['of what is starred', { is_starred: 'true' }, 2],
    ['of a search', { q: 'small' }, 2],
    ['of a search, oldest first', { q: 'one', sort: 'created_at' }, 5],
    ['of a field', { 'field.plan': 'small', folder: 'all' }, 3],
    ['of a field, oldest first', { 'field.plan': 'small', folder: 'all', sort: 'created_at' }, 3],
    ['sorted by a field', { sort: 'field.size' }, 5],
    ['sorted by a field, descending', { sort: '-field.size', folder: 'all' }, 6],
    ['of a search sorted by a field', { q: 'large', sort: '-field.size' }, 2],
  ])('walks along the list %s', async (_, filter, count) => {
    const list = await listed(`/api/v1/forms/${form.formId}/submissions`, filter);
    expect(list).toHaveLength(count);
    const walked = await Promise.all(list.map((id) => neighbours(id, { ...filter, form_id: form.formId })));
    expect(walked).toEqual(
      list.map((_id, at) => ({ previous_id: list[at - 1] ?? null, next_id: list[at + 1] ?? null })),
    );
  });

  it('walks along the lists of a project and of the account', async () => {
    const inProject = await listed(`/api/v1/projects/${form.projectId}/submissions`, {});
    const inAccount = await listed('/api/v1/submissions', {});
    expect([inProject.length, inAccount.length]).toEqual([5, 6]);
    const [, second = '', third] = inAccount;
    expect(second).toBe(inProject[0]);
    expect(await neighbours(second, { project_id: form.projectId })).toEqual({
      previous_id: null,
      next_id: third,
    });
    expect(await neighbours(second, {})).toEqual({ previous_id: inAccount[0], next_id: third });
  });

  it('knows the place of one that has left the list since', async () => {
    const ask = (id: string | undefined) =>
      ada.ask('GET', `/submissions/${id}/neighbours?form_id=${form.formId}&is_read=false`);
    await ada.ask('PATCH', `/submissions/${ids[3]}`, { is_read: true });
    expect((await ask(ids[3])).body).toEqual({ previous_id: ids[4], next_id: ids[1] });
    expect((await ask(ids[4])).body).toEqual({ previous_id: ids[5], next_id: ids[1] });
    await ada.ask('PATCH', `/submissions/${ids[3]}`, { is_read: false });
  });

  it('is found only in its own lists, and by its own account', async () => {
    const path = `/api/v1/submissions/${ids[0]}/neighbours`;
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    const other = await makeForm(server.url);
    for (const answer of [
      await outsider.get(path),
      await api.get(`${path}?form_id=${other.formId}`),
      await api.get(`${path}?project_id=${other.projectId}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'submission_not_found']);
    expect((await api.get(`${path}?form_id=nonsense`)).body.code).toBe('form_not_found');
  });

  it.each([
    ['form_id=a&project_id=b', 'form_id', 'give either form_id or project_id'],
    ['is_read=true', 'is_read', 'needs a signed-in user, not an API key'],
    ['limit=2', 'limit', 'is not a known field'],
    ['sort=size', 'sort', 'must be created_at, -created_at, field.NAME or -field.NAME'],
  ])('refuses %s', async (query, path, message) => {
    const { status, body } = await api.get(`/api/v1/submissions/${ids[0]}/neighbours?${query}`);
    expect([status, body.code, body.details]).toEqual([400, 'invalid_body', [{ path, message }]]);
  });
});

describe('include=reply_to', () => {
  it.each<[Record<string, unknown>, string | null]>([
    [{ email: 'grace@example.com' }, 'grace@example.com'],
    [{ email: 'grace@example.com, all@example.com' }, null],
    [{ email: 'grace@example.com?bcc=all@example.com' }, null],
    [{ _replyto: 'b@example.com', email: 'a@example.com' }, 'b@example.com'],
    [{ name: 'Grace' }, null],
  ])('%j: %s', async (data, address) => {
    const id = await submit(form.endpoint, data);
    expect((await api.get(`/api/v1/submissions/${id}?include=reply_to`)).body.reply_to).toBe(address);
    expect((await api.get(`/api/v1/submissions/${id}?include=inbox,reply_to`)).body).toMatchObject({
      folder: 'inbox',
      reply_to: address,
    });
    expect((await api.get(`/api/v1/submissions/${id}`)).body).not.toHaveProperty('reply_to');
  });
});
