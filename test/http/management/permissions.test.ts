/**
 * The permission matrix: every operation of the OpenAPI document that names a permission, with every kind of caller. Callers without the
 * permission are refused with the reason, and change nothing. Callers who do not reach a project find nothing of it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { makeAccount } from '../../support/accounts.js';
import { type Answer, client, type MadeForm, makeForm, request, submitJson } from '../../support/client.js';
import { unknownId } from '../../support/contract.js';
import { changeStored, storedRows } from '../../support/engine.js';
import {
  bodyOf,
  type ManagementRoute,
  managementRoutes,
  pathOf,
  personRoutes,
} from '../../support/management-routes.js';
import { type Caller, type Expected, expectedOf, makeCallers } from '../../support/permission-callers.js';
import { refusingUrl } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';
import { becomes, deliveryBecomes, isWaiting, startHookServer } from '../../support/webhooks.js';

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly 'x-permission'?: string } | undefined>>>
  >;
  readonly 'x-permissions': Readonly<Record<string, string>>;
}

let server: RunningServer;
let document: OpenApi;
let made: MadeForm;
/** The value of `{id}`, by the noun before it. */
let owned: Readonly<Record<string, string>>;
let callers: readonly Caller[];
const allRoutes = [...managementRoutes, ...personRoutes];

beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '3600,3600,3600,3600' });
  document = (await request(`${server.url}/openapi.json`)).body;
  made = await makeForm(server.url, { form: { webhook_url: await refusingUrl() } });
  const elsewhere = await makeForm(server.url);
  const api = client(server.url);
  const submitted = await submitFiles(made.endpoint, [
    { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' },
  ]);
  const submission: string = submitted.body.submission_id;
  await deliveryBecomes(api, submission, isWaiting);
  const [delivery] = (await api.get(`/api/v1/submissions/${submission}/deliveries`)).body.data;
  const trapped = await submitJson(made.endpoint, { _gotcha: 'robot' });
  const replay = await api.post('/api/v1/deliveries/replay', { form_id: made.formId, state: 'delivered' });
  const replayPath = `/api/v1/deliveries/replays/${replay.body.id}`;
  await becomes(
    async () => (await api.get(replayPath)).body.state,
    (state) => state !== 'running',
  );
  const destination = await api.post(`/api/v1/forms/${made.formId}/destinations`, {
    ...{ kind: 'slack', config: { url: 'https://example.com/' } },
  });
  const label = await api.post('/api/v1/labels', { name: 'Mine' });
  const note = await api.post(`/api/v1/submissions/${submission}/notes`, { text: 'Mine' });
  const view = await api.post('/api/v1/views', { name: 'Mine', form_id: made.formId });
  await api.post(`/api/v1/forms/${made.formId}/aliases`, { alias: 'their-old-id' });
  const key = await api.post('/api/v1/api-keys', { name: 'Mine' });
  const user = await api.post('/api/v1/users', { email: 'mine@example.com', password: 'a long password' });
  const guest = { email: 'mine@example.org', role: 'viewer' };
  const invitation = await api.post('/api/v1/users/invitations', guest);
  const suppressed = newId(Date.now());
  await changeStored(
    server.dataDir,
    `INSERT INTO suppressed_addresses (id, account_id, destination_id, address, reason, detail, created_at)
      SELECT '${suppressed}', id, '', 'ada@example.com', 'bounced', '', 1 FROM accounts`,
  );
  const provider = await api.post('/api/v1/identity-providers', {
    ...{ name: 'Mine', issuer: 'https://example.com/', client_id: 'x', client_secret: 'y' },
  });
  const erasure = await api.post('/api/v1/persons/erase', { q: 'nobody@example.com' });
  owned = {
    erasures: erasure.body.id,
    'identity-providers': provider.body.id,
    ...{ projects: made.projectId, forms: made.formId, submissions: submission },
    ...{ files: submitted.body.files[0].id, deliveries: delivery.id, replays: replay.body.id },
    ...{ spam: trapped.body.submission_id, destinations: destination.body.id, labels: label.body.id },
    ...{ notes: note.body.id, views: view.body.id, 'api-keys': key.body.id, users: user.body.id },
    ...{ invitations: invitation.body.id, 'suppressed-addresses': suppressed },
  };
  const foreignKey = (await makeAccount(server, 'enterprise', 'Foreign')).api_key;
  callers = await makeCallers(server, {
    ...{ inside: made.projectId, outside: elsewhere.projectId, foreignKey },
  });
});
afterAll(() => server.dispose());

const nounOf = ({ template }: ManagementRoute): string =>
  ['replays', 'invitations'].find((noun) => template.includes(`/${noun}/`)) ?? template.split('/')[3] ?? '';

/** Bodies that would do harm: they name the objects of the matrix. */
const harmfulBody = (route: ManagementRoute): string | undefined => {
  const body = bodyOf(route);
  if (body === '{"ids":["x"]}') {
    const noun = nounOf(route);
    return JSON.stringify({ ids: [owned[noun]] });
  }
  if (route.template === '/api/v1/submissions/update')
    return JSON.stringify({ ids: [owned.submissions], change: { is_starred: true } });
  if (route.template === '/api/v1/views')
    return body && JSON.stringify({ name: 'Made', form_id: owned.forms });
  if (route.template === '/api/v1/deliveries/replay')
    return JSON.stringify({ form_id: owned.forms, state: 'pending' });
  return body;
};

const ask = (caller: Caller, route: ManagementRoute, id: string, body: string | undefined): Promise<Answer> =>
  request(`${server.url}${pathOf(route, id)}`, {
    method: route.method,
    headers: { ...caller.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  });

const permissionOf = (route: ManagementRoute): string => {
  const operation = document.paths[route.template]?.[route.method.toLowerCase()];
  const permission = operation?.['x-permission'];
  if (permission === undefined) throw new Error(`${route.method} ${route.template} names no permission`);
  return permission;
};

interface Cell {
  readonly caller: Caller;
  readonly route: ManagementRoute;
  readonly expected: Expected;
  readonly name: string;
}

const notSignedIn: Expected = { kind: 'denied', status: 401, code: 'not_signed_in' };

/** Streams have their own tests, because they do not end. */
const cells = (kind: Expected['kind']): readonly Cell[] =>
  callers.flatMap((caller) =>
    allRoutes
      .filter(({ isEndless }) => !isEndless)
      .map((route) => ({
        ...{ caller, route, name: `${caller.name}: ${route.method} ${route.template}` },
        expected:
          caller.isKey && personRoutes.includes(route)
            ? notSignedIn
            : expectedOf(caller, permissionOf(route), document['x-permissions']),
      }))
      .filter(({ expected }) => expected.kind === kind),
  );

/** Everything that a caller could change, except what changes by use. */
async function everything(): Promise<unknown> {
  const tables: Readonly<Record<string, string>> = {
    accounts: '*',
    projects: '*',
    forms: '*',
    form_aliases: '*',
    destinations: 'id, name, config, is_active, failures',
    submissions: 'id, form_id, data, folder, is_starred, assignee_id',
    quarantined: 'id, form_id',
    files: 'id, deleted_at',
    deliveries: 'id, state, attempt, next_attempt_at',
    replays: '*',
    labels: '*',
    submission_labels: '*',
    notes: '*',
    saved_views: '*',
    suppressed_addresses: '*',
    api_keys: 'id, name, scope, project_ids, expires_at',
    users: 'id, email, role, projects, login_id',
    logins: '*',
    invitations: '*',
  };
  const rows = Object.entries(tables).map(
    async ([table, columns]) =>
      [table, await storedRows(server.dataDir, `SELECT ${columns} FROM ${table} ORDER BY 1`)] as const,
  );
  return Object.fromEntries(await Promise.all(rows));
}

describe('the permission matrix', () => {
  it('covers every operation of the document that names a permission', () => {
    const inDocument = Object.entries(document.paths).flatMap(([template, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation?.['x-permission'] !== undefined)
        .map(([method]) => `${method.toUpperCase()} ${template}`),
    );
    const covered = allRoutes.map(({ method, template }) => `${method} ${template}`);
    expect([...inDocument].sort()).toEqual([...covered].sort());
    expect(inDocument.length).toBeGreaterThan(90);
  });

  it('refuses everybody who may not, says why, and changes nothing', async () => {
    const denied = cells('denied');
    expect(denied.length).toBeGreaterThan(300);
    const before = await everything();
    const wrong: string[] = [];
    for (const { caller, route, expected, name } of denied) {
      if (expected.kind !== 'denied') continue;
      const answer = await ask(caller, route, owned[nounOf(route)] ?? '', harmfulBody(route));
      if (answer.status !== expected.status || answer.body?.code !== expected.code)
        wrong.push(`${name}: ${answer.status} ${answer.body?.code}, not ${expected.code}`);
    }
    expect(wrong).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('shows those who are outside nothing of the project, as if it did not exist, and lets them change nothing in it', async () => {
    const before = await everything();
    const wrong: string[] = [];
    const secretIds = ['projects', 'forms', 'submissions', 'files', 'deliveries', 'replays', 'spam'];
    const hidden = [...secretIds, 'destinations', 'notes', 'views'].map((noun) => owned[noun] ?? '');
    for (const { caller, route, name } of cells('outside')) {
      const noun = nounOf(route);
      // They may create anything in their own account, and labels belong to the whole account.
      const isOwnAccount = route.writes && route.notFound === null && !harmfulBody(route)?.includes('id');
      if (isOwnAccount || (noun === 'labels' && !caller.isForeign)) continue;
      const body = harmfulBody(route);
      const answer = await ask(caller, route, owned[noun] ?? '', body);
      if (route.notFound !== null && noun === 'files' && caller.isForeign) {
        if (answer.body?.code !== 'file_access_denied') wrong.push(`${name}: ${answer.text}`);
        continue;
      }
      if (route.notFound !== null) {
        const unknown = await ask(caller, route, unknownId, body);
        if (answer.status !== 404 || answer.text !== unknown.text)
          wrong.push(`${name}: ${answer.status} ${answer.text}`);
      } else if (answer.status === 401 || answer.status === 403) wrong.push(`${name}: ${answer.status}`);
      const shown = hidden.filter((id) => answer.text.includes(id) && !body?.includes(id));
      if (shown.length > 0) wrong.push(`${name} shows ${shown}`);
    }
    expect(wrong).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('lets everybody who may', async () => {
    const allowed = cells('allowed');
    expect(allowed.length).toBeGreaterThan(300);
    const wrong: string[] = [];
    for (const { caller, route, name } of allowed) {
      const isRead = route.method === 'GET';
      // Reads need an existing id. Changes use an unknown one, so that the next caller finds the same state.
      const id = isRead ? (owned[nounOf(route)] ?? '') : unknownId;
      const body = route.template === '/api/v1/views' ? harmfulBody(route) : bodyOf(route);
      const answer = await ask(caller, route, id, body);
      const isWrong = isRead ? ![200, 302].includes(answer.status) : [401, 403].includes(answer.status);
      if (isWrong) wrong.push(`${name}: ${answer.status} ${answer.text}`);
    }
    expect(wrong).toEqual([]);
  });
});
