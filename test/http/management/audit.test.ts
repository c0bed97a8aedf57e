/** The audit log: every route that changes something, or shows personal data, leaves one entry. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { makeAccount } from '../../support/accounts.js';
import { auditedChanges, changesNothing } from '../../support/audited-changes.js';
import { auditFixtures } from '../../support/audited-fixtures.js';
import { auditedViews, showsNothingPersonal } from '../../support/audited-views.js';
import { inlet } from '../../support/cli.js';
import { type Answer, type Client, client, makeForm, request } from '../../support/client.js';
import { expectProblem } from '../../support/contract.js';
import { parseCsv } from '../../support/csv.js';
import {
  admin,
  behindProxy,
  type Person,
  send,
  signedIn,
  signIn,
  withAdmin,
} from '../../support/dashboard.js';
import { changeStored } from '../../support/engine.js';
import { listenToEvents } from '../../support/events.js';
import { picture } from '../../support/pictures.js';
import { startAnswering } from '../../support/receivers.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';
import { submit } from '../../support/webhooks.js';

interface Entry {
  readonly seq: number;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly object: { readonly kind: string; readonly id: string | null; readonly name: string | null };
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly previous_hash: string;
  readonly hash: string;
}

let server: RunningServer;
let api: Client;
let ada: Person;
let receiver: { readonly url: string; close(): Promise<void> };
beforeAll(async () => {
  receiver = await startAnswering({ status: 200 });
  server = await startServer({
    env: {
      ...withAdmin,
      ...behindProxy,
      API_RATE_LIMIT_PER_MINUTE: '1000000',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
  });
  api = client(server.url);
  ada = await signedIn(server);
});
afterAll(async () => {
  await server.dispose();
  await receiver.close();
});

const listed = async (query = 'limit=100', by = api): Promise<readonly Entry[]> => {
  const answer = await by.get(`/api/v1/audit?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
};

/** The entries that the call adds to the log, oldest first. */
async function added(call: () => Promise<Answer>): Promise<readonly Entry[]> {
  const [last] = await listed('limit=1');
  const answer = await call();
  expect(answer.status, answer.text).toBeLessThan(400);
  return (await listed()).filter(({ seq }) => seq > (last?.seq ?? 0)).toReversed();
}

const personal =
  /^(submissions|files|deliveries|quarantine|suppressed_addresses|inbox|statistics|audit)\.read$/;

interface Documented {
  readonly operationId: string;
  readonly 'x-permission'?: string;
}

const world = { server: () => server, api: () => api, receiver: () => receiver };
const { made, aForm, aSubmission, aFile, someone } = auditFixtures(world);
const changes = auditedChanges(world);
const views = auditedViews(world);
const v1 = '/api/v1';

describe('the audit log', () => {
  it('knows every operation', async () => {
    const { paths } = (await request(`${server.url}/openapi.json`)).body as {
      readonly paths: Record<string, Record<string, Documented>>;
    };
    const operations = Object.values(paths).flatMap((path) => Object.entries(path));
    const changing = operations.filter(
      ([method, { operationId }]) =>
        ['post', 'put', 'patch', 'delete'].includes(method) && operationId !== 'submitForm',
    );
    const unknown = changing
      .map(([, { operationId }]) => operationId)
      .filter((id) => !(id in changes) && !(id in changesNothing) && !id.startsWith('submit'));
    expect(unknown, 'say which entry they leave, in `changes` of this test').toEqual([]);
    const showing = operations.filter(
      ([method, operation]) => method === 'get' && personal.test(operation['x-permission'] ?? ''),
    );
    expect(showing.length).toBeGreaterThan(15);
    const unseen = showing
      .map(([, { operationId }]) => operationId)
      .filter((id) => !(id in views) && !(id in showsNothingPersonal));
    expect(unseen, 'say which entry they leave, in `views` of this test').toEqual([]);
  });

  it.each(Object.entries(changes))('has one entry of %s', async (_, [action, prepare]) => {
    const call = await prepare();
    expect((await added(call)).map((entry) => entry.action).sort()).toEqual(action.split(' '));
  });

  it.each(Object.entries(views))('has one entry of %s', async (_, [action, prepare]) => {
    const call = await prepare();
    const entries = (await added(call)).map((entry) => entry.action);
    expect(entries).toEqual(entries.length === 0 ? [] : [action]);
    // Viewing something again counts once: if the preparation viewed it, its entry exists already.
    expect((await listed(`limit=20&action=${action}`)).length).toBeGreaterThan(0);
  });

  it('says who, from where, and what changed, without secrets', async () => {
    const { formId } = await makeForm(server.url, { form: { retention_days: 30 } });
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'user-agent': 'Tests/1.0',
      'sec-fetch-site': 'same-origin',
    };
    const body = { retention_days: 90, captcha_secret_key: 'hush-hush', notify_emails: ['a@example.com'] };
    const [entry] = await added(() => ada.ask('PATCH', `/forms/${formId}`, body, headers));
    const { id } = (await ada.ask('GET', '/session')).body.user;
    expect(entry).toMatchObject({
      action: 'form.updated',
      actor: { kind: 'user', id, name: admin.email },
      address: '203.0.113.9',
      user_agent: 'Tests/1.0',
      object: { kind: 'form', id: formId, name: 'Contact' },
      before: { retention_days: 30, captcha_secret_key: null, notify_emails: [] },
      after: { retention_days: 90, captcha_secret_key: '…', notify_emails: ['a@example.com'] },
    });
    expect(Object.keys(entry?.after ?? {})).toHaveLength(3);
    const [rotated] = await added(() => api.patch(`${v1}/forms/${formId}`, { captcha_secret_key: 'other' }));
    expect(rotated).toMatchObject({
      before: { captcha_secret_key: '…' },
      after: { captcha_secret_key: '…' },
    });
    expect(JSON.stringify(await listed())).not.toMatch(/hush-hush|other"/);
  });

  it('keeps no secret of a destination, and notices that one changed', async () => {
    const { formId } = await aForm();
    const config = { url: 'https://hooks.slack.com/services/T1/B1/topsecret' };
    const [entry] = await added(() =>
      api.post(`${v1}/forms/${formId}/destinations`, { kind: 'slack', config }),
    );
    expect(entry?.after).toMatchObject({
      kind: 'slack',
      config: { url: 'https://hooks.slack.com/services/…' },
    });
    const id = entry?.object.id;
    const next = { url: 'https://hooks.slack.com/services/T1/B1/othersecret' };
    const [changed] = await added(() => api.patch(`${v1}/destinations/${id}`, { config: next }));
    expect(changed?.after).toMatchObject({ config: { secrets: '…' } });
    expect(
      (await request(`${server.url}${v1}/audit/export`, { headers: { authorization: `Bearer ${apiKey}` } }))
        .text,
    ).not.toMatch(/topsecret|othersecret/);
  });

  it('bounds what one entry holds', async () => {
    const { formId } = await aForm();
    const networks = Array.from({ length: 900 }, (_, index) => `10.${index >> 8}.${index & 255}.0/24`);
    const [entry] = await added(() => api.patch(`${v1}/forms/${formId}`, { blocked_ips: networks }));
    expect(entry?.after).toEqual({ blocked_ips: '[too long]' });
  });

  it('has no entry of a change that was refused', async () => {
    const { formId } = await aForm();
    const [last] = await listed('limit=1');
    expect(
      (
        await api.patch(`${v1}/forms/${formId}`, {
          opens_at: '2030-01-02T00:00:00Z',
          closes_at: '2030-01-01T00:00:00Z',
        })
      ).status,
    ).toBe(400);
    expect((await api.delete(`${v1}/forms/${newId(Date.now())}`)).status).toBe(404);
    expect((await listed('limit=1'))[0]?.seq).toBe(last?.seq);
  });

  it('has failed sign-ins of a known user, once a minute', async () => {
    const who = someone();
    const id = await made('/users', who);
    const wrong = () => signIn(server, { email: who.email, password: 'a wrong password' });
    expect((await wrong()).status).toBe(401);
    const failures = () => listed(`object=${id}&action=session.failed`);
    await expect.poll(async () => (await failures()).length, { timeout: 10_000 }).toBe(1);
    expect((await wrong()).status).toBe(401);
    await signedIn(server, who);
    expect(await failures()).toMatchObject([
      { actor: { kind: 'user', id, name: who.email }, address: expect.any(String) },
    ]);
  });

  it('has a failed sign-in of an address that other accounts use too without saying where it was', async () => {
    const who = someone();
    const id = await made('/users', who);
    const there = await makeAccount(server, 'pro', 'There');
    const other = await client(server.url, there.api_key).post(`${v1}/users`, {
      email: who.email,
      password: 'another password',
    });
    expect(other.status).toBe(201);
    expect((await signIn(server, { email: who.email, password: 'a wrong password' })).status).toBe(401);
    const failures = () => listed(`object=${id}&action=session.failed`);
    await expect.poll(async () => (await failures()).length).toBe(1);
    expect(await failures()).toMatchObject([{ address: null, user_agent: null }]);
  });

  it('counts views of the same object by the same actor once', async () => {
    const id = await aSubmission();
    const views = () => listed(`object=${id}&action=submission.viewed`);
    await Promise.all(Array.from({ length: 10 }, () => api.get(`${v1}/submissions/${id}`)));
    await ada.ask('GET', `/submissions/${id}`);
    expect((await views()).map(({ actor }) => actor.kind).toSorted()).toEqual(['key', 'user']);
  });

  it('has who came with the link of a file', async () => {
    const { id, token } = await aFile();
    await request(`${server.url}${v1}/files/${id}/download?token=${token}`, {
      headers: { 'x-forwarded-for': '203.0.113.77' },
    });
    expect(await listed(`object=${id}&action=file.downloaded`)).toMatchObject([
      { actor: { kind: 'link', id: null }, address: '203.0.113.77' },
    ]);
  });

  it('has a picture made from a file as a view, and the file itself as a download', async () => {
    const { endpoint } = await aForm();
    const photo = {
      ...{ field: 'photo', filename: 'me.png', type: 'image/png' },
      content: await picture('png', 16, 16),
    };
    const id: string = (await submitFiles(endpoint, [photo])).body.files[0].id;
    const recorded = async () =>
      (await listed(`object=${id}`))
        .map(({ action }) => action)
        .filter((action) => action.startsWith('file.'));
    const download = (query: string) =>
      request(`${server.url}${v1}/files/${id}/download${query}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
    expect((await download('?w=8')).status).toBe(302);
    expect(await recorded()).toEqual(['file.viewed']);
    expect((await download('')).status).toBe(302);
    expect(await recorded()).toEqual(['file.downloaded', 'file.viewed']);
  });

  it('has what the command line does', async () => {
    const account = await makeAccount(server, 'pro', 'Another');
    const theirs = client(server.url, account.api_key);
    const entries = await listed('limit=10', theirs);
    expect(entries.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['audit.viewed', 'key'],
      ['api_key.created', 'cli'],
      ['account.created', 'cli'],
    ]);
    // Each account numbers its own entries.
    expect(entries.at(-1)?.seq).toBe(1);
  });

  it('begins with the first account and its first user', async () => {
    const entries = await listed('limit=100&actor_kind=system');
    expect(entries.map(({ action }) => action)).toEqual([
      'user.created',
      'api_key.created',
      'account.created',
    ]);
  });

  it('is for owners', async () => {
    const { api_key: reading } = (await api.post(`${v1}/api-keys`, { name: 'Read', scope: 'read' })).body;
    expectProblem(await client(server.url, reading).get(`${v1}/audit`), 403, 'This API key is read-only');
    expect((await client(server.url, reading).get(`${v1}/audit/export`)).status).toBe(403);
  });

  it('is paged and filtered', async () => {
    const { formId } = await aForm();
    for (const name of ['One', 'Two', 'Three']) await api.patch(`${v1}/forms/${formId}`, { name });
    const first = (await api.get(`${v1}/audit?object=${formId}&action=form.updated&limit=2`)).body;
    expect(first.data.map((entry: Entry) => entry.after?.name)).toEqual(['Three', 'Two']);
    const second = (
      await api.get(`${v1}/audit?object=${formId}&action=form.updated&limit=2&cursor=${first.next_cursor}`)
    ).body;
    expect(second.data.map((entry: Entry) => entry.after?.name)).toEqual(['One']);
    expect(second.next_cursor).toBeNull();
    expect(second.data[0].hash).not.toBe(second.data[0].previous_hash);
    expect(await listed(`object=${formId}&to=2020-01-01T00:00:00Z`)).toEqual([]);
    expect((await api.get(`${v1}/audit?action=x!`)).status).toBe(400);
    expect((await api.get(`${v1}/audit?cursor=nonsense`)).status).toBe(400);
  });

  it('is exported as JSON lines and as CSV', async () => {
    const { formId } = await aForm();
    await api.patch(`${v1}/forms/${formId}`, { name: '=HYPERLINK("x")' });
    const path = `${v1}/audit/export?object=${formId}&object_kind=form`;
    const lines = (await api.get(path)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    expect(lines.map(({ action }) => action)).toEqual(['form.updated', 'form.created']);
    const csv = await api.get(`${path}&format=csv`);
    expect(csv.headers.get('content-disposition')).toContain('audit-log.csv');
    const [head, row] = parseCsv(csv.text);
    expect(row?.[head?.indexOf('action') ?? -1]).toBe('form.updated');
    expect(row?.[head?.indexOf('object_name') ?? -1]).toMatch(/^'=/);
  });

  it('tells owners, and nobody else, as it happens', async () => {
    const { api_key: reading } = (await api.post(`${v1}/api-keys`, { name: 'Read', scope: 'read' })).body;
    const [owner, reader] = [
      await listenToEvents(server.url, apiKey),
      await listenToEvents(server.url, reading),
    ];
    try {
      const { formId, endpoint } = await aForm();
      await api.patch(`${v1}/forms/${formId}`, { name: 'Told' });
      await submit(endpoint);
      await expect.poll(() => owner.names(), { timeout: 10_000 }).toContain('audit.recorded');
      await expect.poll(() => reader.names(), { timeout: 10_000 }).toContain('submission.created');
      expect(reader.names()).not.toContain('audit.recorded');
    } finally {
      owner.close();
      reader.close();
    }
  });

  it('is found sound by the doctor, and broken after a change behind its back', async () => {
    const diagnosed = async () => {
      const run = await inlet(['doctor', '--json'], { dataDir: server.dataDir });
      const { checks } = JSON.parse(run.stdout) as {
        checks: { name: string; state: string; message: string }[];
      };
      return checks.find(({ name }) => name === 'audit log');
    };
    expect(await diagnosed()).toMatchObject({ state: 'ok' });
    await changeStored(server.dataDir, 'DROP TRIGGER audit_entries_stay').catch(() =>
      changeStored(server.dataDir, 'DROP TRIGGER audit_entries_stay ON audit_entries'),
    );
    await changeStored(server.dataDir, "UPDATE audit_entries SET actor_name = 'Eve' WHERE seq = 3");
    const found = await diagnosed();
    expect(found).toMatchObject({ state: 'fail' });
    expect(found?.message).toMatch(/^entry 3 of account .*: a value in it was changed$/);
  });

  it('is not written to by anybody else', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await send(server.url, method, '/audit', { authorization: `Bearer ${apiKey}` })).status).toBe(
        404,
      );
  });
});
