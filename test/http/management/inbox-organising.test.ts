/** Labels, notes and saved views. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Answer, type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import {
  expectFaults,
  expectFields,
  expectProblem,
  instant,
  unknownId,
  uuid,
} from '../../support/contract.js';
import { madePerson, type Person, signedIn, withAdmin } from '../../support/dashboard.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let outsider: Client;
let ada: Person;
let grace: Person;
let graceEmail: string;
let form: MadeForm;
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, API_RATE_LIMIT_PER_MINUTE: '1000000' } });
  api = client(server.url);
  outsider = client(server.url, (await makeAccount(server, 'pro', 'Outsider')).api_key);
  ada = await signedIn(server);
  const made = await madePerson(server, apiKey);
  grace = await signedIn(server, made);
  graceEmail = made.email;
  form = await makeForm(server.url);
});
afterAll(() => server.dispose());

async function done(answer: Promise<Answer>, status = 200): Promise<Answer> {
  const got = await answer;
  expect(got.status, got.text).toBe(status);
  return got;
}

describe('labels', () => {
  const add = (body: unknown, by = api): Promise<Answer> => by.post('/api/v1/labels', body);
  const names = async (by = api): Promise<string[]> =>
    (await done(by.get('/api/v1/labels'))).body.data.map(({ name }: { name: string }) => name);

  it('are made, changed and deleted', async () => {
    const made = (await done(add({ name: '  Urgent ' }), 201)).body;
    expectFields(made, ['id', 'name', 'color', 'created_at']);
    expect(made).toMatchObject({ name: 'Urgent', color: 'gray' });
    expect(made.id).toMatch(uuid);
    expect(made.created_at).toMatch(instant);
    const path = `/api/v1/labels/${made.id}`;
    const changed = { ...made, name: 'urgent!', color: 'red' };
    expect((await done(api.patch(path, { name: ' urgent! ', color: 'red' }))).body).toEqual(changed);
    expect((await done(api.patch(path, {}))).body).toEqual(changed);
    expect((await done(api.get('/api/v1/labels'))).body.data).toEqual([changed]);
    await done(api.delete(path), 204);
    expectProblem(await api.delete(path), 404, 'Label not found');
    expect(await names()).toEqual([]);
  });

  it.each([
    ['no name', {}, ['name']],
    ['a blank name', { name: ' ' }, ['name']],
    ['a long name', { name: 'x'.repeat(51) }, ['name']],
    ['an unknown color', { name: 'a', color: 'mauve' }, ['color']],
    ['an unknown field', { name: 'a', position: 1 }, ['position']],
  ])('are not made with %s', async (_, body, paths) => {
    expectFaults(await add(body), paths);
    expect(await names()).toEqual([]);
  });

  it('have a name of their own in their account, whatever its case', async () => {
    const zoe = (await done(add({ name: 'Zoë', color: 'pink' }), 201)).body;
    const taken = 'A label with this name already exists';
    expectProblem(await add({ name: 'ZOË' }), 409, taken);
    const other = (await done(add({ name: 'Other' }), 201)).body;
    expectProblem(await api.patch(`/api/v1/labels/${other.id}`, { name: 'zoë' }), 409, taken);
    expect((await done(api.patch(`/api/v1/labels/${zoe.id}`, { name: 'ZOË' }))).body.name).toBe('ZOË');
    await done(add({ name: 'zoë' }, outsider), 201);
    expect(await names(outsider)).toEqual(['zoë']);
    expectProblem(await outsider.patch(`/api/v1/labels/${zoe.id}`, { name: 'x' }), 404, 'Label not found');
    expectProblem(await outsider.delete(`/api/v1/labels/${zoe.id}`), 404, 'Label not found');
    expect(await names()).toEqual(['Other', 'ZOË']);
  });

  it('are at most 100', async () => {
    const key = (await makeAccount(server, 'pro', 'Many labels')).api_key;
    const by = client(server.url, key);
    for (let n = 0; n < 100; n += 1) await done(add({ name: `${n}` }, by), 201);
    expectProblem(await add({ name: 'more' }, by), 409, 'An account can have at most 100 labels', {
      ...{ limit: 100 },
    });
    expect(await names(by)).toHaveLength(100);
  });
});

describe('notes', () => {
  const pathOf = (id: string) => `/api/v1/submissions/${id}/notes`;
  const add = (who: Person, id: string, text: unknown): Promise<Answer> =>
    who.ask('POST', `/submissions/${id}/notes`, { text });

  it('are written, listed oldest first, changed and deleted by their author', async () => {
    const id = await submit(form.endpoint);
    const text = 'Called back.\nZoë 日本 🎉';
    const note = (await done(add(grace, id, text), 201)).body;
    expectFields(note, ['id', 'submission_id', 'text', 'author', 'created_at', 'updated_at']);
    expect(note).toMatchObject({ submission_id: id, text, author: { email: graceEmail } });
    expect(note.created_at).toMatch(instant);
    expect(note.updated_at).toBe(note.created_at);
    const second = (await done(add(ada, id, 'Done.'), 201)).body;
    expect((await done(api.get(pathOf(id)))).body).toEqual({ data: [note, second] });
    const counted = await api.get(`/api/v1/submissions/${id}?include=inbox`);
    expect(counted.body.notes_count).toBe(2);
    const changed = (await done(grace.ask('PATCH', `/notes/${note.id}`, { text: 'No answer.' }))).body;
    expect(changed).toEqual({ ...note, text: 'No answer.', updated_at: changed.updated_at });
    await done(grace.ask('DELETE', `/notes/${note.id}`), 204);
    expectProblem(await grace.ask('DELETE', `/notes/${note.id}`), 404, 'Note not found');
    expect((await done(api.get(pathOf(id)))).body).toEqual({ data: [second] });
  });

  it('are changed by nobody else, but by an API key', async () => {
    const id = await submit(form.endpoint);
    const note = (await done(add(grace, id, 'Mine'), 201)).body;
    const refused = 'Only the author can change this note';
    expectProblem(await ada.ask('PATCH', `/notes/${note.id}`, { text: 'Yours' }), 403, refused);
    expectProblem(await ada.ask('DELETE', `/notes/${note.id}`), 403, refused);
    expect((await done(api.patch(`/api/v1/notes/${note.id}`, { text: 'By key' }))).body.author).toEqual(
      note.author,
    );
    const byKey = (await done(api.post(pathOf(id), { text: 'From a program' }), 201)).body;
    expect(byKey.author).toBeNull();
    expectProblem(await ada.ask('DELETE', `/notes/${byKey.id}`), 403, refused);
    await done(api.delete(`/api/v1/notes/${byKey.id}`), 204);
  });

  it("are not another account's", async () => {
    const id = await submit(form.endpoint);
    const note = (await done(add(ada, id, 'Ours'), 201)).body;
    expectProblem(await outsider.get(pathOf(id)), 404, 'Submission not found');
    expectProblem(await outsider.post(pathOf(id), { text: 'x' }), 404, 'Submission not found');
    expectProblem(await outsider.patch(`/api/v1/notes/${note.id}`, { text: 'x' }), 404, 'Note not found');
    expectProblem(await outsider.delete(`/api/v1/notes/${note.id}`), 404, 'Note not found');
    expect((await done(api.get(pathOf(id)))).body.data).toEqual([note]);
  });

  it('have 1 to 10,000 characters, and are at most 200', async () => {
    const id = await submit(form.endpoint);
    for (const text of [undefined, '', ' \n', 'x'.repeat(10_001), 7])
      expectFaults(await api.post(pathOf(id), { text }), ['text']);
    const longest = '🎉'.repeat(10_000);
    const [note] = [(await done(api.post(pathOf(id), { text: longest }), 201)).body];
    expect(note.text).toBe(longest);
    expectFaults(await api.patch(`/api/v1/notes/${note.id}`, { text: '' }), ['text']);
    for (let n = 1; n < 200; n += 1) await done(api.post(pathOf(id), { text: `${n}` }), 201);
    expectProblem(await api.post(pathOf(id), { text: 'x' }), 409, 'A submission can have at most 200 notes', {
      ...{ limit: 200 },
    });
  });
});

describe('saved views', () => {
  const add = (body: unknown, by = api): Promise<Answer> => by.post('/api/v1/views', body);
  const listed = async (by = api) => (await done(by.get('/api/v1/views'))).body.data;

  it('are made, moved, changed and deleted', async () => {
    const query = { folder: 'inbox', is_read: false, assignee: 'me', q: 'Zoë' };
    const first = (await done(add({ name: ' Mine ', form_id: form.publicId, query }), 201)).body;
    expectFields(first, ['id', 'name', 'form_id', 'project_id', 'query', 'position', 'created_at']);
    expect(first).toMatchObject({ name: 'Mine', form_id: form.formId, project_id: null, query, position: 0 });
    const second = (await done(add({ name: 'All' }), 201)).body;
    expect(second).toMatchObject({ form_id: null, project_id: null, query: {}, position: 1 });
    expect(await listed()).toEqual([first, second]);
    const path = `/api/v1/views/${first.id}`;
    const change = { form_id: null, project_id: form.projectId, query: { is_starred: true }, position: 2 };
    expect((await done(api.patch(path, change))).body).toEqual({ ...first, ...change });
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expectProblem(await outsider.patch(path, { name: 'x' }), 404, 'View not found');
    expectProblem(await outsider.delete(path), 404, 'View not found');
    expect(await listed(outsider)).toEqual([]);
    await done(api.delete(path), 204);
    expectProblem(await api.delete(path), 404, 'View not found');
    expectProblem(await api.patch(path, {}), 404, 'View not found');
    await done(api.delete(`/api/v1/views/${second.id}`), 204);
  });

  it('keep all changes that are made to them at once', async () => {
    const { id, ...made } = (await done(add({ name: 'Mine' }), 201)).body;
    const path = `/api/v1/views/${id}`;
    for (let position = 1; position <= 10; position += 1) {
      const changes = [{ name: `Mine ${position}` }, { query: { q: `${position}` } }, { position }];
      await Promise.all(changes.map((change) => done(api.patch(path, change))));
      expect(await listed()).toEqual([Object.assign({ id }, made, ...changes)]);
    }
    await done(api.delete(path), 204);
  });

  it.each([
    ['no name', { query: {} }, ['name']],
    ['a parameter that lists do not have', { name: 'a', query: { color: 'red' } }, ['query.color']],
    ['a page', { name: 'a', query: { cursor: 'x', limit: 5 } }, ['query.cursor', 'query.limit']],
    ['an unknown folder', { name: 'a', query: { folder: 'junk' } }, ['query.folder']],
    ['a flag as text', { name: 'a', query: { is_read: 'false' } }, ['query.is_read']],
    ['a negative position', { name: 'a', position: -1 }, ['position']],
  ])('are not made with %s', async (_, body, paths) => {
    expectFaults(await add(body), paths);
    expect(await listed()).toEqual([]);
  });

  it('belong to a form or a project of the account', async () => {
    const both = { name: 'a', form_id: form.formId, project_id: form.projectId };
    expectFaults(await add(both), ['project_id']);
    expectProblem(await add({ name: 'a', form_id: unknownId }), 404, 'Form not found');
    expectProblem(await add({ name: 'a', project_id: unknownId }), 404, 'Project not found');
    expectProblem(await add({ name: 'a', form_id: form.formId }, outsider), 404, 'Form not found');
    const gone = await makeForm(server.url);
    await done(add({ name: 'a', form_id: gone.formId }), 201);
    await done(api.delete(`/api/v1/forms/${gone.formId}`), 204);
    expect(await listed()).toEqual([]);
  });

  it('are at most 100', async () => {
    const by = client(server.url, (await makeAccount(server, 'pro', 'Many views')).api_key);
    for (let n = 0; n < 100; n += 1) await done(add({ name: `${n}` }, by), 201);
    expectProblem(await add({ name: 'more' }, by), 409, 'An account can have at most 100 views', {
      ...{ limit: 100 },
    });
  });
});
