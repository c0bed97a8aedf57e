/** The inbox: folders, read state, stars, assignees and labels of submissions, and lists by them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Answer, type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import {
  expectFaults,
  expectFields,
  expectProblem,
  fields,
  instant,
  unknownId,
} from '../../support/contract.js';
import { madePerson, type Person, signedIn, withAdmin } from '../../support/dashboard.js';
import { listenToEvents } from '../../support/events.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submit } from '../../support/webhooks.js';

const stateFields = [
  ...['folder', 'is_read', 'is_starred', 'assignee_id', 'labels', 'notes_count', 'trashed_at'],
];

let server: RunningServer;
let api: Client;
let outsider: Client;
let ada: Person;
let grace: Person & { readonly id: string };
beforeAll(async () => {
  server = await startServer({ env: { ...withAdmin, API_RATE_LIMIT_PER_MINUTE: '1000000' } });
  api = client(server.url);
  outsider = client(server.url, (await makeAccount(server, 'pro', 'Outsider')).api_key);
  ada = await signedIn(server);
  const made = await madePerson(server, apiKey);
  grace = { ...(await signedIn(server, made)), id: made.id };
});
afterAll(() => server.dispose());

async function withSubmissions(count: number): Promise<{ form: MadeForm; ids: string[] }> {
  const form = await makeForm(server.url);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await submit(form.endpoint, { n, word: 'sought' }));
  return { form, ids };
}
const patch = (id: string | undefined, body: unknown, by = api): Promise<Answer> =>
  by.patch(`/api/v1/submissions/${id}`, body);
const update = (ids: readonly (string | undefined)[], change: unknown, by = api): Promise<Answer> =>
  by.post('/api/v1/submissions/update', { ids, change });
const idsIn = (answer: Answer): string[] => {
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.map(({ id }: { id: string }) => id);
};
const listed = async ({ formId }: MadeForm, query = ''): Promise<string[]> =>
  idsIn(await api.get(`/api/v1/forms/${formId}/submissions?${query}`));
const seenBy = async (who: Person, { formId }: MadeForm, query = ''): Promise<string[]> =>
  idsIn(await who.ask('GET', `/forms/${formId}/submissions?${query}`));
async function done(answer: Promise<Answer>, status = 200): Promise<Answer> {
  const got = await answer;
  expect(got.status, got.text).toBe(status);
  return got;
}
const newLabel = async (name: string): Promise<string> =>
  (await done(api.post('/api/v1/labels', { name }), 201)).body.id;

describe('a submission', () => {
  it('has the fields of the inbox only where they are asked for', async () => {
    const { form, ids } = await withSubmissions(1);
    const path = `/api/v1/submissions/${ids[0]}`;
    expectFields((await done(api.get(path))).body, fields.submission);
    const untouched = {
      ...{ folder: 'inbox', is_read: null, is_starred: false, assignee_id: null },
      ...{ labels: [], notes_count: 0, trashed_at: null },
    };
    const shown = (await done(api.get(`${path}?include=inbox`))).body;
    expectFields(shown, [...fields.submission, ...stateFields]);
    expect(shown).toMatchObject(untouched);
    for (const include of ['delivery_state,inbox', 'inbox,delivery_state']) {
      const [item] = (await done(api.get(`/api/v1/forms/${form.formId}/submissions?include=${include}`))).body
        .data;
      expectFields(item, [...fields.submission, 'delivery_state', ...stateFields]);
    }
    const [plain] = (await done(api.get(`/api/v1/forms/${form.formId}/submissions`))).body.data;
    expectFields(plain, fields.submission);
    expect((await ada.ask('GET', `/submissions/${ids[0]}?include=inbox`)).body.is_read).toBe(false);
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?include=notes`), ['include']);
  });

  it('is changed in one request, which tells what sets it back', async () => {
    const { ids } = await withSubmissions(1);
    const [one, two] = [await newLabel('Change one'), await newLabel('Change two')];
    await done(patch(ids[0], { labels: [one], is_starred: true }));
    const change = {
      ...{ folder: 'archive', is_read: true, is_starred: false, assignee_id: grace.id, labels: [two] },
    };
    const changed = await done(ada.ask('PATCH', `/submissions/${ids[0]}`, change));
    expectFields(changed.body, ['id', ...stateFields, 'undo']);
    expect(changed.body).toEqual({
      ...change,
      id: ids[0],
      labels: [{ id: two, name: 'Change two', color: 'gray' }],
      notes_count: 0,
      trashed_at: null,
      undo: { folder: 'inbox', is_read: false, is_starred: true, assignee_id: null, labels: [one] },
    });
    const back = await done(ada.ask('PATCH', `/submissions/${ids[0]}`, changed.body.undo));
    expect(back.body).toMatchObject({
      ...{ folder: 'inbox', is_read: false, is_starred: true, assignee_id: null },
      labels: [{ id: one }],
      undo: change,
    });
    expect((await done(patch(ids[0], {}))).body.undo).toEqual({});
  });

  it.each([
    ['an unknown folder', { folder: 'junk' }, ['folder']],
    ['all folders', { folder: 'all' }, ['folder']],
    ['an unknown field', { is_archived: true }, ['is_archived']],
    ['no flag', { is_starred: 'yes' }, ['is_starred']],
    ['too many labels', { labels: Array.from({ length: 21 }, (_, n) => `${n}`) }, ['labels']],
    ['a label that does not exist', { labels: [unknownId] }, ['labels']],
    ['an assignee who does not exist', { assignee_id: unknownId }, ['assignee_id']],
    ['an assignee that is no id', { assignee_id: 'me' }, ['assignee_id']],
    ['reading without a reader', { is_read: true }, ['is_read']],
  ])('is not changed by %s', async (_, change, paths) => {
    const { ids } = await withSubmissions(1);
    expectFaults(await patch(ids[0], { is_starred: true, ...change }), paths);
    expect((await api.get(`/api/v1/submissions/${ids[0]}?include=inbox`)).body.is_starred).toBe(false);
  });

  it("cannot have another account's label or user, nor be changed by it", async () => {
    const { ids } = await withSubmissions(1);
    const theirs = (await done(outsider.post('/api/v1/labels', { name: 'Theirs' }), 201)).body.id;
    const user = await outsider.post('/api/v1/users', {
      email: 'o@example.com',
      password: 'a long password',
    });
    expectFaults(await patch(ids[0], { labels: [theirs] }), ['labels']);
    expectFaults(await update(ids, { add_labels: [theirs] }), ['change.add_labels']);
    expectFaults(await patch(ids[0], { assignee_id: user.body.id }), ['assignee_id']);
    expectFaults(await update(ids, { assignee_id: user.body.id }), ['change.assignee_id']);
    expectProblem(await patch(ids[0], { folder: 'trash' }, outsider), 404, 'Submission not found');
    expect((await done(update(ids, { folder: 'trash' }, outsider))).body).toEqual({ updated: 0, undo: [] });
    expect((await api.get(`/api/v1/submissions/${ids[0]}?include=inbox`)).body).toMatchObject({
      ...{ folder: 'inbox', labels: [], assignee_id: null },
    });
  });
});

describe('changing many', () => {
  it('changes those that are there, all at once, and tells what sets them back', async () => {
    const { form, ids } = await withSubmissions(3);
    const label = await newLabel('Many');
    const [first, second, third] = ids;
    await done(patch(first, { folder: 'archive', labels: [label], assignee_id: grace.id }));
    const change = { folder: 'trash', is_starred: true, add_labels: [label], assignee_id: grace.id };
    const changed = await done(update([...ids, unknownId, 'x', first], change));
    expectFields(changed.body, ['updated', 'undo']);
    expect(changed.body.updated).toBe(3);
    expect(await listed(form)).toEqual([]);
    expect(changed.body.undo).toHaveLength(2);
    expect(changed.body.undo).toContainEqual({
      ids: [first],
      change: { folder: 'archive', is_starred: false },
    });
    for (const undo of changed.body.undo) await done(api.post('/api/v1/submissions/update', undo));
    expect(await listed(form, 'folder=archive')).toEqual([first]);
    expect(await listed(form, 'folder=inbox')).toEqual([third, second]);
    expect(await listed(form, `label=${label}`)).toEqual([first]);
    expect(await listed(form, 'is_starred=true')).toEqual([]);
    expect(await listed(form, 'assignee=none')).toEqual([third, second]);
    // Nothing changes, so there is nothing to undo.
    expect((await done(update([first], { folder: 'archive', add_labels: [label] }))).body).toEqual({
      ...{ updated: 1, undo: [] },
    });
    const removed = await done(update(ids, { remove_labels: [label] }));
    expect(removed.body.undo).toEqual([{ ids: [first], change: { add_labels: [label] } }]);
  });

  it('takes up to 1000 ids', async () => {
    const { ids } = await withSubmissions(1);
    const many = (count: number) => [
      ...ids,
      ...Array.from({ length: count - 1 }, (_, n) => `01890000-0000-7000-8000-${`${n}`.padStart(12, '0')}`),
    ];
    expect((await done(update(many(1000), { is_starred: true }))).body.updated).toBe(1);
    expectFaults(await update(many(1001), { is_starred: true }), ['ids']);
    expectFaults(await update([], { is_starred: true }), ['ids']);
  });

  it('is refused as a whole when one would have too many labels', async () => {
    const { ids } = await withSubmissions(2);
    const labels: string[] = [];
    for (let n = 0; n < 21; n += 1) labels.push(await newLabel(`Limit ${n}`));
    await done(patch(ids[0], { labels: labels.slice(0, 20) }));
    const refused = await update(ids, { add_labels: labels.slice(20), is_starred: true });
    expectProblem(refused, 409, 'A submission can have at most 20 labels', { limit: 20 });
    for (const id of ids)
      expect((await api.get(`/api/v1/submissions/${id}?include=inbox`)).body.is_starred).toBe(false);
    await done(update(ids, { add_labels: labels.slice(20), remove_labels: labels.slice(0, 1) }));
    const both = { add_labels: labels.slice(0, 1), remove_labels: labels.slice(0, 1) };
    expectFaults(await update(ids, both), ['change.remove_labels']);
    for (const id of labels) await done(api.delete(`/api/v1/labels/${id}`), 204);
  });

  it('is not for read-only keys', async () => {
    const { form, ids } = await withSubmissions(1);
    const { api_key: key } = (await api.post('/api/v1/api-keys', { name: 'Reads', scope: 'read' })).body;
    const reader = client(server.url, key);
    const refused = 'This API key is read-only';
    expectProblem(await update(ids, { folder: 'trash' }, reader), 403, refused);
    expectProblem(await patch(ids[0], { folder: 'trash' }, reader), 403, refused);
    expectProblem(await reader.post('/api/v1/labels', { name: 'x' }), 403, refused);
    expect(await listed(form)).toEqual(ids);
    await done(reader.get('/api/v1/labels'));
  });
});

describe('folders', () => {
  it('keep spam and trash out of lists, searches and exports unless asked for', async () => {
    const { form, ids } = await withSubmissions(4);
    const [inbox, archive, spam, trash] = ids;
    await done(update([archive], { folder: 'archive' }));
    await done(update([spam], { folder: 'spam' }));
    const trashed = await done(patch(trash, { folder: 'trash' }));
    expect(trashed.body.trashed_at).toMatch(instant);
    const expected: Record<string, readonly (string | undefined)[]> = {
      '': [archive, inbox],
      'folder=all': [trash, spam, archive, inbox],
      'folder=inbox': [inbox],
      'folder=archive': [archive],
      'folder=spam': [spam],
      'folder=trash': [trash],
    };
    for (const [query, some] of Object.entries(expected)) {
      expect(await listed(form, query), query).toEqual(some);
      expect(await listed(form, `${query}&q=sought`), query).toEqual(some);
      const ofProject = await api.get(`/api/v1/projects/${form.projectId}/submissions?${query}`);
      expect(idsIn(ofProject), query).toEqual(some);
      const lines = await api.get(`/api/v1/forms/${form.formId}/submissions/export?format=jsonl&${query}`);
      const exported = lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id);
      expect(exported, query).toEqual(some);
      const csv = await api.get(`/api/v1/forms/${form.formId}/submissions/export?${query}`);
      expect(csv.text.match(/[0-9a-f-]{36}/g), query).toEqual(some);
    }
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?folder=junk`), ['folder']);
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions/export?folder=junk`), ['folder']);
    // Requested by id, it is found in any folder, and deleting it through the API is permanent.
    await done(api.get(`/api/v1/submissions/${trash}`));
    await done(api.delete(`/api/v1/submissions/${trash}`), 204);
    expect(await listed(form, 'folder=trash')).toEqual([]);
  });

  it('combine with the other filters', async () => {
    const { form, ids } = await withSubmissions(4);
    const [first, second, third, fourth] = ids;
    await done(update([first, second, third], { is_starred: true }));
    await done(ada.ask('POST', '/submissions/update', { ids: [second], change: { is_read: true } }));
    await done(update([third], { folder: 'archive' }));
    expect(await seenBy(ada, form, 'is_starred=true&is_read=false')).toEqual([third, first]);
    expect(await seenBy(ada, form, 'is_starred=true&is_read=false&folder=inbox')).toEqual([first]);
    expect(await seenBy(ada, form, 'is_read=true&q=sought')).toEqual([second]);
    expect(await listed(form, 'is_starred=false')).toEqual([fourth]);
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?is_starred=7`), ['is_starred']);
  });
});

describe('assignees', () => {
  it('are found by id, as nobody and as oneself, and are free again when they are deleted', async () => {
    const { form, ids } = await withSubmissions(2);
    const person = await madePerson(server, apiKey);
    await done(patch(ids[0], { assignee_id: person.id }));
    const self = await signedIn(server, person);
    expect(await listed(form, `assignee=${person.id}`)).toEqual([ids[0]]);
    expect(await listed(form, 'assignee=none')).toEqual([ids[1]]);
    expect(await seenBy(self, form, 'assignee=me')).toEqual([ids[0]]);
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?assignee=me`), ['assignee']);
    await done(api.delete(`/api/v1/users/${person.id}`), 204);
    expect(await listed(form, 'assignee=none')).toEqual([ids[1], ids[0]]);
    expect((await api.get(`/api/v1/submissions/${ids[0]}?include=inbox`)).body.assignee_id).toBeNull();
  });
});

describe('reading', () => {
  const unreadOf = async (who: Person, { formId }: MadeForm): Promise<number> => {
    const { body } = await done(who.ask('GET', '/unread'));
    expectFields(body, ['data', 'total']);
    const counts: { form_id: string; unread: number }[] = body.data;
    expect(body.total).toBe(counts.reduce((sum, { unread }) => sum + unread, 0));
    return counts.find(({ form_id }) => form_id === formId)?.unread ?? 0;
  };

  it('is each user alone', async () => {
    const { form, ids } = await withSubmissions(3);
    expect(await unreadOf(ada, form)).toBe(3);
    await done(ada.ask('PATCH', `/submissions/${ids[1]}`, { is_read: true }));
    expect(await seenBy(ada, form, 'is_read=false')).toEqual([ids[2], ids[0]]);
    expect(await seenBy(ada, form, 'is_read=true')).toEqual([ids[1]]);
    expect(await seenBy(grace, form, 'is_read=false')).toEqual([ids[2], ids[1], ids[0]]);
    expect((await grace.ask('GET', `/submissions/${ids[1]}?include=inbox`)).body.is_read).toBe(false);
    expect(await unreadOf(ada, form)).toBe(2);
    expect(await unreadOf(grace, form)).toBe(3);
    await done(ada.ask('PATCH', `/submissions/${ids[1]}`, { is_read: false }));
    expect(await unreadOf(ada, form)).toBe(3);
    await done(update(ids.slice(0, 1), { folder: 'spam' }));
    expect(await unreadOf(ada, form)).toBe(2);
  });

  it('tells all live pages when everything is read, by the forms that this changes', async () => {
    const [one, two] = [await withSubmissions(2), await withSubmissions(1)];
    await done(ada.ask('POST', '/submissions/read-all', { form_id: two.form.formId }), 204);
    const windows = [await listenToEvents(server.url), await listenToEvents(server.url)];
    await done(ada.ask('POST', '/submissions/read-all', { form_id: two.form.formId }), 204);
    await done(ada.ask('POST', '/submissions/read-all', { form_id: one.form.formId }), 204);
    for (const window of windows) {
      await expect.poll(window.names, { timeout: 30_000 }).toContain('submission.changed');
      expect(window.dataOf('submission.changed')).toEqual({
        ids: [],
        form_id: one.form.formId,
        project_id: one.form.projectId,
      });
      window.close();
    }
  });

  it('can be done with everything of a form, a project or the account', async () => {
    const [one, two, three] = [await withSubmissions(1), await withSubmissions(2), await withSubmissions(1)];
    await done(ada.ask('POST', '/submissions/read-all', { form_id: one.form.publicId }), 204);
    expect(await unreadOf(ada, one.form)).toBe(0);
    expect(await unreadOf(ada, two.form)).toBe(2);
    await done(ada.ask('POST', '/submissions/read-all', { project_id: two.form.projectId }), 204);
    expect(await unreadOf(ada, two.form)).toBe(0);
    expect(await unreadOf(ada, three.form)).toBe(1);
    expect(await unreadOf(grace, two.form)).toBe(2);
    await done(ada.ask('POST', '/submissions/read-all'), 204);
    expect((await done(ada.ask('GET', '/unread'))).body).toEqual({ data: [], total: 0 });
    await submit(one.form.endpoint);
    expect(await unreadOf(ada, one.form)).toBe(1);
    const both = { form_id: one.form.formId, project_id: one.form.projectId };
    expectFaults(await ada.ask('POST', '/submissions/read-all', both), ['project_id']);
    expectProblem(
      await ada.ask('POST', '/submissions/read-all', { form_id: unknownId }),
      404,
      'Form not found',
    );
    expectProblem(
      await ada.ask('POST', '/submissions/read-all', { project_id: unknownId }),
      ...[404, 'Project not found'],
    );
  });

  it('begins for a new user with what comes then', async () => {
    const { form } = await withSubmissions(2);
    const person = await signedIn(server, await madePerson(server, apiKey));
    expect(await unreadOf(person, form)).toBe(0);
    await submit(form.endpoint);
    expect(await unreadOf(person, form)).toBe(1);
  });

  it('is for people: an API key has read nothing and cannot ask', async () => {
    const { form, ids } = await withSubmissions(1);
    expectFaults(await api.get(`/api/v1/forms/${form.formId}/submissions?is_read=false`), ['is_read']);
    expectFaults(await update(ids, { is_read: true }), ['change.is_read']);
    expectProblem(await api.get('/api/v1/unread'), 401, 'Not signed in');
    expectProblem(await api.post('/api/v1/submissions/read-all', {}), 401, 'Not signed in');
  });
});
