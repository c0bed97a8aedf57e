/** "Send a test": sent like a real event, judged by the same rules, and stored nowhere. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults, expectFields, instant, unknownId, uuid } from '../../support/contract.js';
import { refusingUrl, startAnswering, startHanging } from '../../support/receivers.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { signatureOf, startHookServer, startTurning } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startHookServer({ WEBHOOK_TIMEOUT: '1' });
  api = client(server.url);
});
afterAll(() => server.dispose());

const resultFields = ['delivered', 'url', 'status', 'duration_ms', 'error', 'response'];
const owners = ['form', 'project'] as const;
type Owner = (typeof owners)[number];

const pathOf = (owner: Owner, made: MadeForm): string =>
  `/api/v1/${owner}s/${owner === 'form' ? made.formId : made.projectId}/webhook-test`;

describe.each(owners)('for a %s', (owner) => {
  const madeWith = (url: string | null) => makeForm(server.url, { [owner]: { webhook_url: url } });

  it('sends a signed test event to the address that is set', async () => {
    const receiver = await startAnswering({ status: 202, body: 'got it' });
    const made = await madeWith(receiver.url);
    const answer = await api.post(pathOf(owner, made), {});
    expect(answer.status, answer.text).toBe(200);
    expectFields(answer.body, resultFields);
    expect(answer.body).toMatchObject({
      delivered: true,
      url: receiver.url,
      status: 202,
      error: null,
      response: 'got it',
    });
    expect(Number.isInteger(answer.body.duration_ms)).toBe(true);
    expect(receiver.requests).toHaveLength(1);
    const [seen] = receiver.requests;
    if (!seen) throw new Error('nothing arrived');
    expect(seen.method).toBe('POST');
    const payload = JSON.parse(seen.body.toString());
    expectFields(payload, ['event', 'timestamp', 'form', 'submission']);
    expect(payload.event).toBe('webhook.test');
    expect(payload.timestamp).toMatch(instant);
    expectFields(payload.form, ['id', 'public_id', 'slug', 'name']);
    if (owner === 'form') expect(payload.form).toMatchObject({ id: made.formId, public_id: made.publicId });
    expectFields(payload.submission, ['id', 'data', 'files', 'metadata', 'created_at']);
    expectFields(payload.submission.metadata, ['ip', 'user_agent', 'submitted_from']);
    expect(payload.submission.id).toMatch(uuid);
    expect(payload.submission.files).toEqual([]);
    const secret = (await api.get(`/api/v1/projects/${made.projectId}`)).body.webhook_secret;
    expect(seen.headers.get('x-webhook-signature')).toBe(signatureOf(seen.body, secret));
    expect(seen.headers.get('x-webhook-attempt')).toBe('1');
    expect(seen.headers.get('x-submission-id')).toBe(payload.submission.id);
    expect(() => new Webhook(secret).verify(seen.body, Object.fromEntries(seen.headers))).not.toThrow();
    await receiver.close();
  });

  it('says how it failed, and does not try again', async () => {
    const refusing = await refusingUrl();
    const [broken, hanging] = [await startAnswering({ status: 500, body: 'no' }), await startHanging()];
    const made = await madeWith(broken.url);
    const path = pathOf(owner, made);
    expect((await api.post(path, {})).body).toMatchObject({
      delivered: false,
      status: 500,
      error: 'http_5xx',
      response: 'no',
    });
    const refused = await api.post(path, { url: refusing });
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({ delivered: false, status: null, url: refusing, response: null });
    expect(refused.body.error).toMatch(/^connect_refused: /);
    const timedOut = await api.post(path, { url: hanging.url });
    expect(timedOut.body.error).toMatch(/^timeout: /);
    expect([broken.requests.length, hanging.requests.length]).toEqual([1, 1]);
    await Promise.all([broken.close(), hanging.close()]);
  });

  it('can go to another address, which is judged like one that is saved', async () => {
    const [set, other] = [await startTurning(), await startTurning()];
    const made = await madeWith(set.url);
    const answer = await api.post(pathOf(owner, made), { url: other.url });
    expect(answer.body).toMatchObject({ delivered: true, url: other.url });
    expect([set.requests.length, other.requests.length]).toEqual([0, 1]);
    for (const url of [
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00:ec2::254]/',
      'http://user:pass@127.0.0.1/',
    ]) {
      expectFaults(await api.post(pathOf(owner, made), { url }), ['url']);
    }
    for (const url of ['ftp://example.com/', 'nonsense', 7]) {
      expectFaults(await api.post(pathOf(owner, made), { url }), ['url']);
    }
    await Promise.all([set.close(), other.close()]);
  });

  it('returns 409 without an address', async () => {
    const made = await madeWith(null);
    const answer = await api.post(pathOf(owner, made), {});
    expect([answer.status, answer.body]).toEqual([
      409,
      { error: 'No webhook URL is configured', code: 'no_webhook_url' },
    ]);
  });

  it('returns 404 to outsiders and for unknown ids', async () => {
    const made = await madeWith('http://127.0.0.1:9/');
    const outsider = client(server.url, (await makeAccount(server, 'enterprise')).api_key);
    expect((await outsider.post(pathOf(owner, made), {})).status).toBe(404);
    expect((await api.post(`/api/v1/${owner}s/${unknownId}/webhook-test`, {})).status).toBe(404);
  });

  it('is kept nowhere', async () => {
    const receiver = await startAnswering();
    const made = await madeWith(receiver.url);
    await api.post(pathOf(owner, made), {});
    const { body } = await api.get(`/api/v1/projects/${made.projectId}/submissions`);
    expect(body.data).toEqual([]);
    for (const state of ['delivered', 'failed']) {
      const count = await api.post('/api/v1/deliveries/replay', {
        project_id: made.projectId,
        state,
        dry_run: true,
      });
      expect(count.body).toEqual({ count: 0 });
    }
    await receiver.close();
  });

  it('needs no body', async () => {
    const receiver = await startAnswering();
    const made = await madeWith(receiver.url);
    const answer = await api.post(pathOf(owner, made));
    expect(answer.status, answer.text).toBe(200);
    await receiver.close();
  });
});

it('of a public service does not reach inside', async () => {
  const receiver = await startAnswering();
  const outside = await startServer({ env: { BASE_URL: 'https://forms.example.com' } });
  const owner = client(outside.url);
  const made = await makeForm(outside.url);
  for (const url of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]) {
    const answer = await owner.post(`/api/v1/forms/${made.formId}/webhook-test`, { url });
    expectFaults(answer, ['url']);
    expect(answer.body.details[0].message).toMatch(/not a public address/);
  }
  expect(receiver.connections()).toBe(0);
  await receiver.close();
  await outside.dispose();
});
