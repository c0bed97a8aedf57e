/** GET /api/v1/events: live events for the callers who may see them; bounded, and closed when the service stops. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { client, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, expectFields, expectProblem, instant } from '../../support/contract.js';
import { sameOrigin } from '../../support/dashboard.js';
import { waitUntil } from '../../support/kept.js';
import { memberOf } from '../../support/permission-callers.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { startTurning, submit, type TurningReceiver } from '../../support/webhooks.js';

interface Stream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  text(): string;
  /** The named events in order, without heartbeats. */
  events(): readonly { event: string; data: Record<string, string> }[];
  readonly ended: Promise<void>;
  readonly response: IncomingMessage;
  readonly sent: ClientRequest;
}

const opened: ClientRequest[] = [];
afterEach(() => {
  for (const sent of opened.splice(0)) sent.destroy();
});

function open(url: string, query = '', key = apiKey, method = 'GET'): Promise<Stream> {
  return openAs(url, { authorization: `Bearer ${key}` }, query, method);
}

function openAs(
  url: string,
  headers: Readonly<Record<string, string>>,
  query = '',
  method = 'GET',
): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1/events${query}`, { method, headers, agent: false });
    opened.push(sent);
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      const ended = new Promise<void>((end) => response.once('close', end));
      response.on('error', () => {});
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        // A slow test receives a heartbeat between the others.
        events: () =>
          [...text.matchAll(/^event: (?!heartbeat$)(.*)\ndata: (.*)\n\n/gm)].map(
            ([, event = '', data = '{}']) => ({ event, data: JSON.parse(data) }),
          ),
        ended,
        response,
        sent,
      });
    });
    sent.end();
  });
}

let server: RunningServer;
let receiver: TurningReceiver;
beforeAll(async () => {
  server = await startServer();
  receiver = await startTurning();
});
afterAll(async () => {
  await server.dispose();
  await receiver.close();
});

describe('a stream', () => {
  it('tells of a submission and of its webhook', async () => {
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    const stream = await open(server.url);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const id = await submit(form.endpoint);
    await waitUntil(() => stream.events().length >= 2);
    const [created, changed] = stream.events();
    expect(created?.event).toBe('submission.created');
    expectFields(created?.data ?? {}, ['id', 'form_id', 'project_id', 'created_at']);
    expect(created?.data).toMatchObject({ id, form_id: form.formId, project_id: form.projectId });
    expect(created?.data.created_at).toMatch(instant);
    expect(changed).toEqual({
      event: 'delivery.changed',
      data: {
        submission_id: id,
        form_id: form.formId,
        project_id: form.projectId,
        webhook_state: 'delivered',
      },
    });
    expect((await client(server.url).get(`/api/v1/submissions/${id}`)).body.created_at).toBe(
      created?.data.created_at,
    );
  });

  it('is of the account of its key, and may be narrowed to a form or a project', async () => {
    const { api_key: outsiderKey } = await makeAccount(server, 'business');
    const [mine, other] = [await makeForm(server.url), await makeForm(server.url)];
    const theirs = await makeForm(server.url, { key: outsiderKey });
    const reading = await client(server.url).post('/api/v1/api-keys', { name: 'Reader', scope: 'read' });
    const [all, ofForm, ofProject, outsider] = [
      await open(server.url, '', reading.body.api_key),
      await open(server.url, `?form_id=${mine.publicId}`),
      await open(server.url, `?project_id=${other.projectId}`),
      await open(server.url, '', outsiderKey),
    ];
    const first = await submit(mine.endpoint);
    const second = await submit(other.endpoint);
    const third = await submit(theirs.endpoint);
    // A bot's submission does not count.
    await submitJson(mine.endpoint, { a: 1, _gotcha: 'robot' });
    const last = await submit(other.endpoint);
    const fourth = await submit(mine.endpoint);
    const ids = (stream: Stream) => stream.events().map(({ data }) => data.id);
    await waitUntil(() => ids(all).length >= 4 && ids(ofForm).length >= 2);
    await waitUntil(() => ids(outsider).length >= 1 && ids(ofProject).length >= 2);
    expect(ids(all)).toEqual([first, second, last, fourth]);
    expect(ids(ofForm)).toEqual([first, fourth]);
    expect(ids(ofProject)).toEqual([second, last]);
    expect(ids(outsider)).toEqual([third]);
  });

  it('tells what people do with submissions, to their account', async () => {
    const { api_key: outsiderKey } = await makeAccount(server, 'business');
    const api = client(server.url);
    const [form, other] = [await makeForm(server.url), await makeForm(server.url)];
    const [first, second] = [await submit(form.endpoint), await submit(other.endpoint)];
    const [all, ofForm, outsider] = [
      await open(server.url),
      await open(server.url, `?form_id=${form.formId}`),
      await open(server.url, '', outsiderKey),
    ];
    const changes = (stream: Stream) =>
      stream.events().flatMap(({ event, data }) => (event === 'submission.changed' ? [data] : []));
    await api.post('/api/v1/submissions/update', { ids: [first, second], change: { folder: 'archive' } });
    const note = await api.post(`/api/v1/submissions/${first}/notes`, { text: 'Called back' });
    await api.patch(`/api/v1/notes/${note.body.id}`, { text: 'No answer' });
    await api.delete(`/api/v1/notes/${note.body.id}`);
    await api.patch(`/api/v1/submissions/${second}`, { is_starred: true });
    await waitUntil(() => changes(all).length >= 6 && changes(ofForm).length >= 4);
    const [mine, theirs] = [form, other].map(({ formId, projectId }) => ({
      ...{ form_id: formId, project_id: projectId },
    }));
    const [ofFirst, ofSecond] = [
      { ids: [first], ...mine },
      { ids: [second], ...theirs },
    ];
    expect(changes(ofForm)).toEqual([ofFirst, ofFirst, ofFirst, ofFirst]);
    expect(changes(all).slice(0, 2)).toEqual(expect.arrayContaining([ofFirst, ofSecond]));
    expect(changes(all).slice(2)).toEqual([ofFirst, ofFirst, ofFirst, ofSecond]);
    expect(changes(outsider)).toEqual([]);
  });

  it('names no more than a hundred submissions', async () => {
    const form = await makeForm(server.url);
    const ids: string[] = [];
    for (let n = 0; n < 101; n += 1) ids.push(await submit(form.endpoint));
    const stream = await open(server.url, `?form_id=${form.formId}`);
    const seen = () =>
      stream.events().flatMap(({ event, data }) => (event === 'submission.changed' ? [data.ids] : []));
    for (const some of [ids, ids.slice(1)])
      await client(server.url).post('/api/v1/submissions/update', { ids: some, change: { folder: 'spam' } });
    await waitUntil(() => seen().length >= 2);
    expect(seen().map((named) => named?.length)).toEqual([0, 100]);
  });

  it('rejects outsiders, forms of other accounts, and unknown parameters', async () => {
    const { api_key: outsiderKey } = await makeAccount(server, 'business');
    const form = await makeForm(server.url);
    const outsider = client(server.url, outsiderKey);
    expectProblem(await outsider.get(`/api/v1/events?form_id=${form.formId}`), 404, 'Form not found');
    expectProblem(
      await outsider.get(`/api/v1/events?project_id=${form.projectId}`),
      404,
      'Project not found',
    );
    expectProblem(await client(server.url, null).get('/api/v1/events'), 401, 'Invalid API key');
    expectFaults(await client(server.url).get('/api/v1/events?form=x'), ['form']);
    const head = await open(server.url, '', apiKey, 'HEAD');
    await head.ended;
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('is one of ten of a key; a place that is left is free again', async () => {
    const { body } = await client(server.url).post('/api/v1/api-keys', { name: 'Many' });
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(server.url, '', body.api_key)));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    const refused = await client(server.url, body.api_key).get('/api/v1/events');
    expectProblem(refused, 429, 'Too many event streams are open', { limit: 10 });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect((await open(server.url)).status).toBe(200);
    streams[0]?.sent.destroy();
    await waitUntil(async () => {
      const again = await open(server.url, '', body.api_key);
      return again.status === 200;
    });
  });
});

it('one account has forty at most, however many keys it has, and takes none of another', async () => {
  const crowded = await startServer();
  try {
    const keys: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      keys.push((await client(crowded.url).post('/api/v1/api-keys', { name: `Key ${n}` })).body.api_key);
    }
    const last = keys.pop() ?? '';
    const opened = (key: string) => Promise.all(Array.from({ length: 10 }, () => open(crowded.url, '', key)));
    for (const key of keys) {
      expect((await opened(key)).every(({ status }) => status === 200)).toBe(true);
    }
    const refused = await client(crowded.url, last).get('/api/v1/events');
    expect([refused.status, refused.body.limit]).toEqual([429, 40]);
    expect((await client(crowded.url, last).get('/api/v1/projects')).status).toBe(200);
    const { api_key } = await makeAccount(crowded, 'enterprise');
    expect((await opened(api_key)).every(({ status }) => status === 200)).toBe(true);
  } finally {
    await crowded.dispose();
  }
});

/** Runs every 20 ms what is due every 15 seconds. */
const hurried = `const every = globalThis.setInterval;
globalThis.setInterval = Object.assign((work, ms, ...rest) => every(work, ms === 15000 ? 20 : ms, ...rest), every);`;

it('of an owner ends when they get another role: it would go on telling of the audit log', async () => {
  const hurrying = await startServer({
    // Each heartbeat counts as a request, and a caller over the limit is disconnected.
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000' },
    nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(hurried)}`],
  });
  try {
    // The last owner cannot be demoted.
    await memberOf(hurrying, 'first-owner@example.com', { role: 'owner' });
    const owner = await memberOf(hurrying, 'second-owner@example.com', { role: 'owner' });
    const stream = await openAs(hurrying.url, { cookie: owner.cookie, ...sameOrigin });
    await waitUntil(() => stream.text().includes('event: heartbeat'));
    const demoted = await client(hurrying.url).patch(`/api/v1/users/${owner.id}`, { role: 'viewer' });
    expect(demoted.status, demoted.text).toBe(200);
    await expect.poll(() => stream.response.complete).toBe(true);
  } finally {
    await hurrying.dispose();
  }
});

it('of a member ends when they are limited to a project: it would go on telling of the others', async () => {
  const hurrying = await startServer({
    // Each heartbeat counts as a request, and a caller over the limit is disconnected.
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000' },
    nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(hurried)}`],
  });
  try {
    const { projectId } = await makeForm(hurrying.url);
    const member = await memberOf(hurrying, 'editor-of-all@example.com', { role: 'editor' });
    const stream = await openAs(hurrying.url, { cookie: member.cookie, ...sameOrigin });
    await waitUntil(() => stream.text().includes('event: heartbeat'));
    const projects = [{ project_id: projectId, role: 'editor' }];
    const limited = await client(hurrying.url).patch(`/api/v1/users/${member.id}`, { role: null, projects });
    expect(limited.status, limited.text).toBe(200);
    await expect.poll(() => stream.response.complete).toBe(true);
  } finally {
    await hurrying.dispose();
  }
});

it('shows that it is alive, and ends with the service', async () => {
  const hurrying = await startServer({
    // Each heartbeat counts as a request, and a caller over the limit is disconnected.
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000' },
    nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(hurried)}`],
  });
  try {
    const stream = await open(hurrying.url);
    await waitUntil(() => [...stream.text().matchAll(/^event: heartbeat\ndata: \{\}\n\n/gm)].length > 3);
    const stopping = Date.now();
    expect(await hurrying.end('SIGTERM')).toBe(0);
    await stream.ended;
    // Requests in flight get fifteen seconds. A stream would use them all.
    expect(Date.now() - stopping).toBeLessThan(14_000);
    expect(stream.response.complete).toBe(true);
  } finally {
    await hurrying.dispose();
  }
});
