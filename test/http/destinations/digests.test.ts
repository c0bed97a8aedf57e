/** Digests from the submission to the mail server: what is in one, when it is sent, and what is left out. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, request } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import { answer, type MailServer, startMailServer } from '../../support/mail-server.js';
import { becomes, deliveriesOf, submit } from '../../support/webhooks.js';

const hourMs = 3_600_000;
const hourly = { every: 'hour', time_zone: 'Europe/Berlin' };

let mails: MailServer;
let server: TimeServer;
let api: Client;
let isBusy = false;
beforeAll(async () => {
  mails = await startMailServer({
    onRcptTo: (_address, _session, callback) => callback(isBusy ? answer(451, 'Later') : null),
  });
  server = await startTimeServer(hourMs, {
    env: { SMTP_URL: mails.url, MAIL_FROM: 'inlet@forms.example.com', API_RATE_LIMIT_PER_MINUTE: '100000' },
  });
  api = client(server.url);
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const addDigest = async (form: MadeForm, to: readonly string[], digest: unknown = hourly) => {
  const body = { kind: 'email', name: 'Summary', config: { to, digest } };
  const made = await api.post(`/api/v1/forms/${form.formId}/destinations`, body);
  expect(made.status).toBe(201);
  return made.body;
};
const to = (address: string) => mails.mails.filter((mail) => mail.to.includes(address));
const parsed = (address: string) => Promise.all(to(address).map(({ raw }) => PostalMime.parse(raw)));
/** The mails to this address, once there are `count`. */
const received = async (address: string, count: number) => {
  await becomes(
    () => to(address),
    (all) => all.length >= count,
  );
  return parsed(address);
};
/** Resolves when due digests have been made: that of a new form has arrived. */
async function afterDigests(): Promise<void> {
  const form = await makeForm(server.url);
  const address = `probe-${form.formId}@x.test`;
  await addDigest(form, [address]);
  await submit(form.endpoint);
  await server.step();
  await received(address, 1);
}

describe('a digest', () => {
  it('is one mail for each recipient, with everything since the last one, when its hour has come', async () => {
    const form = await makeForm(server.url);
    const made = await addDigest(form, ['ada@x.test', 'bob@x.test']);
    expect(made.config.digest).toEqual({ ...hourly, hour: 8, weekday: 1 });
    const ids: string[] = [];
    for (const name of ['First', 'Second', 'Third']) ids.push(await submit(form.endpoint, { name, n: 1 }));
    const [waiting, ...others] = await deliveriesOf(api, ids[0] ?? '');
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({ kind: 'email', url: 'digest', state: 'pending', attempts: [] });
    expect(waiting?.next_attempt_at).toMatch(/:00:00(\.000)?Z$/);
    expect((await api.get(`/api/v1/destinations/${made.id}`)).body.status.waiting).toBe(3);
    expect(to('ada@x.test')).toEqual([]);
    await server.step();
    const [mail] = await received('ada@x.test', 1);
    await received('bob@x.test', 1);
    expect(mail?.subject).toBe('3 new submissions: Contact');
    const text = mail?.text ?? '';
    expect(text.indexOf('Third')).toBeLessThan(text.indexOf('First'));
    for (const id of ids) expect(text).toContain(`${server.url}/dashboard/submissions/${id}`);
    expect(text).toContain('(Europe/Berlin)');
    expect(mail?.html).toContain(`${server.url}/dashboard/forms/${form.formId}`);
    expect(mail?.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
    // The outcome shows with each of its submissions.
    const seen = await becomes(
      () => deliveriesOf(api, ids[1] ?? ''),
      (all) => all.every(({ state }) => state === 'delivered'),
    );
    expect(seen.map(({ url }) => url).sort()).toEqual(['ada@x.test', 'bob@x.test', 'digest']);
    // No submissions, no digest.
    await afterDigests();
    expect([to('ada@x.test').length, to('bob@x.test').length]).toEqual([1, 1]);
  });

  it('leaves out what was deleted, trashed, marked as spam or did not pass the filter', async () => {
    const form = await makeForm(server.url);
    const config = { to: ['left@x.test'], digest: hourly };
    const filter = { submission: { data: { kind: 'sale' } } };
    const body = { kind: 'email', config, filter };
    const made = await api.post(`/api/v1/forms/${form.formId}/destinations`, body);
    expect(made.status).toBe(201);
    const post = (name: string, kind = 'sale') => submit(form.endpoint, { name, kind });
    const [trashed, spam, deleted] = [await post('Trashed'), await post('Spam'), await post('Deleted')];
    await post('Kept');
    await post('Filtered', 'other');
    const move = (id: string, folder: string) =>
      api.post('/api/v1/submissions/update', { ids: [id], change: { folder } });
    expect((await move(trashed, 'trash')).status).toBe(200);
    expect((await move(spam, 'spam')).status).toBe(200);
    expect((await api.delete(`/api/v1/submissions/${deleted}`)).status).toBe(204);
    await server.step();
    const [mail] = await received('left@x.test', 1);
    expect(mail?.subject).toContain('1 new submission:');
    expect(mail?.text).toContain('Kept');
    expect(mail?.text).not.toMatch(/Trashed|Spam|Deleted|Filtered/);
    // What returns to the inbox is in the next one.
    expect((await move(trashed, 'inbox')).status).toBe(200);
    await server.step();
    const [, next] = await received('left@x.test', 2);
    expect(next?.text).toContain('Trashed');
    expect(next?.text).not.toContain('Kept');
  });

  it('waits for a mail server that is busy, and is not in the next one', async () => {
    const form = await makeForm(server.url);
    await addDigest(form, ['late@x.test']);
    const early = await submit(form.endpoint, { name: 'Early' });
    isBusy = true;
    await server.step();
    const mail = async () => (await deliveriesOf(api, early)).find(({ url }) => url === 'late@x.test');
    await becomes(mail, (seen) => seen?.attempts.length === 1);
    isBusy = false;
    await submit(form.endpoint, { name: 'Later' });
    await server.step();
    const texts = (await received('late@x.test', 2)).map(({ text }) => text ?? '');
    expect(texts.filter((text) => text.includes('Early'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('Later'))).toHaveLength(1);
    expect(to('late@x.test')).toHaveLength(2);
  });

  it('is still sent of what waits when the destination sends single mails by then', async () => {
    const form = await makeForm(server.url);
    const { id } = await addDigest(form, ['turned@x.test']);
    await submit(form.endpoint, { name: 'Collected' });
    expect((await api.patch(`/api/v1/destinations/${id}`, { config: { digest: null } })).status).toBe(200);
    await becomes(
      async () => {
        await submit(form.endpoint, { name: 'Single' });
        return parsed('turned@x.test');
      },
      (all) => all.some(({ text }) => text?.includes('Single')),
    );
    await server.step();
    await becomes(
      () => parsed('turned@x.test'),
      (all) => all.filter(({ text }) => text?.includes('Collected')).length === 1,
    );
  });

  it('ends with its destination: what waited says why', async () => {
    const form = await makeForm(server.url);
    const { id } = await addDigest(form, ['gone@x.test']);
    const submission = await submit(form.endpoint);
    expect((await api.delete(`/api/v1/destinations/${id}`)).status).toBe(204);
    await server.step();
    const [ended] = await becomes(
      () => deliveriesOf(api, submission),
      ([one]) => one?.state === 'failed',
    );
    expect(ended?.attempts[0]?.error).toBe('cancelled: the destination was removed');
    expect(to('gone@x.test')).toEqual([]);
  });

  it('of a project counts its forms', async () => {
    const form = await makeForm(server.url, { form: { name: 'One' } });
    const other = await api.post(`/api/v1/projects/${form.projectId}/forms`, { name: 'Two' });
    expect(other.status).toBe(201);
    const body = { kind: 'email', config: { to: ['all@x.test'], digest: hourly } };
    expect((await api.post(`/api/v1/projects/${form.projectId}/destinations`, body)).status).toBe(201);
    await submit(form.endpoint);
    await submit(form.endpoint);
    await submit(other.body.endpoint);
    await server.step();
    const [mail] = await received('all@x.test', 1);
    expect(mail?.text).toContain('One: 2\nTwo: 1\n');
  });

  it('sends the others of a submission again without hurrying', async () => {
    const form = await makeForm(server.url);
    await addDigest(form, ['calm@x.test']);
    const id = await submit(form.endpoint);
    expect((await api.post(`/api/v1/submissions/${id}/retry-webhook`)).status).toBe(409);
    const [waiting] = await deliveriesOf(api, id);
    expect(waiting).toMatchObject({ state: 'pending', url: 'digest' });
  });
});

it('goes no more to who has unsubscribed from it, and to all others', async () => {
  const form = await makeForm(server.url);
  await addDigest(form, ['leaves@x.test', 'stays@x.test']);
  await submit(form.endpoint, { name: 'One' });
  await server.step();
  const [mail] = await received('leaves@x.test', 1);
  await received('stays@x.test', 1);
  const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value ?? '';
  expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  const link = /^<(.*)>$/.exec(header('list-unsubscribe'))?.[1] ?? '';
  expect(mail?.text).toContain(`Unsubscribe:\n${link}\n`);
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
  expect((await request(link, { method: 'POST', body })).status).toBe(200);
  const id = await submit(form.endpoint, { name: 'Two' });
  await server.step();
  await received('stays@x.test', 2);
  const seen = await becomes(
    () => deliveriesOf(api, id),
    (all) => all.every(({ state }) => state !== 'pending'),
  );
  const states = Object.fromEntries(seen.map(({ url, state }) => [url, state]));
  expect(states).toEqual({ digest: 'delivered', 'leaves@x.test': 'suppressed', 'stays@x.test': 'delivered' });
  expect(to('leaves@x.test')).toHaveLength(1);
});

it('has its recipients named once, not by a field', async () => {
  const form = await makeForm(server.url);
  const route = { field: 'topic', map: {}, otherwise: ['a@x.test'] };
  const body = { kind: 'email', config: { to: ['a@x.test'], digest: hourly, route } };
  const refused = await api.post(`/api/v1/forms/${form.formId}/destinations`, body);
  expect(refused.status).toBe(400);
  expect(refused.body.details).toEqual([
    { path: 'config.route', message: 'contradicts digest: it is one mail about all submissions' },
  ]);
});

describe('a schedule', () => {
  it.each([
    ['an unknown zone', { every: 'day', time_zone: 'Europe/Atlantis' }, 'config.digest.time_zone'],
    ['an offset for a zone', { every: 'day', time_zone: '+02:00' }, 'config.digest.time_zone'],
    ['no zone', { every: 'day' }, 'config.digest.time_zone'],
    ['an hour that no day has', { every: 'day', hour: 24, time_zone: 'UTC' }, 'config.digest.hour'],
    ['a weekday that no week has', { every: 'week', weekday: 0, time_zone: 'UTC' }, 'config.digest.weekday'],
    ['another time', { every: 'month', time_zone: 'UTC' }, 'config.digest.every'],
    ['what it does not know', { every: 'day', time_zone: 'UTC', minute: 5 }, 'config.digest'],
    ['a text', 'daily', 'config.digest'],
  ])('with %s is rejected', async (_, digest, path) => {
    const form = await makeForm(server.url);
    const body = { kind: 'email', config: { to: ['a@x.test'], digest } };
    const refused = await api.post(`/api/v1/forms/${form.formId}/destinations`, body);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(path);
  });
});
