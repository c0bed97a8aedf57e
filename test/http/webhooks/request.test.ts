/** What a receiver gets: interface section 6, byte for byte, as a receiver written only from that section would check it. */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm, request } from '../../support/client.js';
import { expectFields, instant, uuid } from '../../support/contract.js';
import { type ReceivedRequest, type Receiver, startAnswering } from '../../support/receivers.js';
import type { RunningServer } from '../../support/server.js';
import { onePixelPng, submitFiles } from '../../support/upload.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  hasState,
  signatureOf,
  startHookServer,
  submit,
} from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let receiver: Receiver;
beforeAll(async () => {
  server = await startHookServer();
  api = client(server.url);
  receiver = await startAnswering();
});
afterAll(async () => {
  await receiver.close();
  await server.dispose();
});

let paths = 0;
/** A URL at the receiver that no other test uses. */
const ownUrl = () => {
  paths += 1;
  return `http://127.0.0.1:${receiver.port}/hook/${paths}?token=a%20b`;
};
const arrivedAt = (url: string) =>
  receiver.requests.filter((seen) => seen.path === url.slice(url.indexOf('/hook')));

async function firstAt(url: string): Promise<ReceivedRequest> {
  const [first] = await becomes(
    () => arrivedAt(url),
    (seen) => seen.length > 0,
  );
  if (!first) throw new Error('nothing arrived');
  return first;
}

const secretOf = async (projectId: string): Promise<string> =>
  (await api.get(`/api/v1/projects/${projectId}`)).body.webhook_secret;

const sendText = (endpoint: string, body: string, headers: Record<string, string> = {}) =>
  request(endpoint, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

describe('the request', () => {
  it('is a POST with the headers of the interface, and no others that would surprise', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { webhook_url: url } });
    const id = await submit(made.endpoint, { name: 'Ada' });
    const { method, path, headers, body } = await firstAt(url);
    expect(method).toBe('POST');
    expect(path).toBe(url.slice(url.indexOf('/hook')));
    expect([...headers.keys()].sort()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
      'x-inlet-instance',
      'x-submission-id',
      'x-webhook-attempt',
      'x-webhook-signature',
    ]);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('accept-encoding')).toBe('identity');
    expect(headers.get('content-length')).toBe(String(body.length));
    expect(headers.get('host')).toBe(`127.0.0.1:${receiver.port}`);
    expect(headers.get('user-agent')).toMatch(/^Inlet\/\d/);
    expect(headers.get('x-webhook-attempt')).toBe('1');
    expect(headers.get('x-submission-id')).toBe(id);
    expect(headers.get('x-webhook-signature')).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(headers.get('x-webhook-signature')).toBe(signatureOf(body, await secretOf(made.projectId)));
  });

  it('has the payload of the interface, with exactly its fields', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { name: 'Kontakt – Büro', webhook_url: url } });
    const sent = await sendText(made.endpoint, '{"name":"Ada"}', {
      referer: 'https://shop.example.com/contact?from=mail',
      'user-agent': 'Browser/1.0',
    });
    const id = sent.body.submission_id;
    const payload = JSON.parse((await firstAt(url)).body.toString());
    const stored = (await api.get(`/api/v1/submissions/${id}`)).body;
    const form = (await api.get(`/api/v1/forms/${made.formId}`)).body;
    expectFields(payload, ['event', 'timestamp', 'form', 'submission']);
    expect(payload.event).toBe('submission.created');
    expect(payload.timestamp).toMatch(instant);
    expect(payload.form).toEqual({
      id: made.formId,
      public_id: made.publicId,
      slug: form.slug,
      name: 'Kontakt – Büro',
    });
    expect(payload.form.id).toMatch(uuid);
    expectFields(payload.submission, ['id', 'data', 'files', 'metadata', 'created_at']);
    expect(payload.submission).toEqual({
      id,
      data: { name: 'Ada' },
      files: [],
      metadata: {
        ip: '127.0.0.1',
        user_agent: 'Browser/1.0',
        submitted_from: 'https://shop.example.com/contact?from=mail',
      },
      created_at: stored.created_at,
    });
    expect(payload.submission.created_at).toMatch(instant);
  });

  it('carries the data as it was sent: order, numbers, letters of every script', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { webhook_url: url } });
    const data = String.raw`{"z":1.0,"10":"ten","2":"two","é":"Zoë 🦉 \u202e","n":12345678901234567890,"deep":{"b":[1,{"a":null}],"a":true},"__proto__":"x","line":"\u2028"}`;
    await sendText(made.endpoint, data);
    const { body, headers } = await firstAt(url);
    const text = body.toString('utf8');
    const inBody = text.slice(text.indexOf('"data":') + 7, text.indexOf(',"files":[]'));
    expect(JSON.parse(inBody)).toEqual(JSON.parse(data));
    const topLevelNames = [...inBody.matchAll(/"(z|10|2|é|n|deep|__proto__|line)":/g)].map((m) => m[1]);
    expect(topLevelNames).toEqual(['z', '10', '2', 'é', 'n', 'deep', '__proto__', 'line']);
    expect(inBody).toContain('12345678901234567890');
    expect(inBody).toContain('"z":1.0,');
    expect(headers.get('content-length')).toBe(String(body.length));
    expect(headers.get('x-webhook-signature')).toBe(signatureOf(body, await secretOf(made.projectId)));
  });

  it('has no reserved fields', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { webhook_url: url } });
    await submit(made.endpoint, {
      name: 'Ada',
      _gotcha: '',
      _honeypot: '',
      _csrf: 'token',
      'challenge-response': 'token',
      _challengeToken: 'token',
    });
    expect(JSON.parse((await firstAt(url)).body.toString()).submission.data).toEqual({ name: 'Ada' });
  });

  it('names files by id, without addresses', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { webhook_url: url } });
    const sent = await submitFiles(
      made.endpoint,
      [
        { field: 'photo', filename: 'Foto – 1.png', type: 'image/png', content: onePixelPng },
        { field: 'note', filename: 'note.txt', type: 'text/plain', content: 'hello' },
      ],
      { name: 'Ada' },
    );
    expect(sent.status, sent.text).toBe(200);
    const [photo, note] = sent.body.files;
    const { body } = await firstAt(url);
    expect(JSON.parse(body.toString()).submission.files).toEqual([
      { id: photo.id, field: 'photo', filename: 'Foto – 1.png', type: 'image/png', size: onePixelPng.length },
      { id: note.id, field: 'note', filename: 'note.txt', type: 'text/plain', size: 5 },
    ]);
    expect(body.toString()).not.toMatch(/https?:|token/);
    // Interface 6.4: the receiver fetches a file with the bearer credential.
    expect((await api.get(`/api/v1/files/${note.id}/download`)).status).toBe(302);
  });

  it('verifies as a Standard Webhook', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { webhook_url: url } });
    const id = await submit(made.endpoint, { name: 'Zoë 🦉' });
    const { headers, body } = await firstAt(url);
    const secret = await secretOf(made.projectId);
    const trio = Object.fromEntries(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, headers.get(name) ?? '']),
    );
    expect(new Webhook(secret).verify(body, trio)).toMatchObject({ submission: { id } });
    expect(() => new Webhook(secret).verify(`${body} `, trio)).toThrow();
    const [delivery] = await deliveriesOf(api, id);
    expect(trio['webhook-id']).toBe(delivery?.id);
  });
});

describe('all attempts', () => {
  it('carry the same bytes and the same id, and count', async () => {
    let calls = 0;
    const flaky = await startAnswering(() => {
      calls += 1;
      return { status: calls < 3 ? 500 : 200 };
    });
    const made = await makeForm(server.url, { form: { webhook_url: flaky.url } });
    const id = await submit(made.endpoint, { name: 'Ada', when: 'now' });
    // The payload was fixed with the submission. It does not contain a later name.
    await api.patch(`/api/v1/forms/${made.formId}`, { name: 'Renamed' });
    await deliveryBecomes(api, id, hasState('delivered'));
    const [first, ...others] = flaky.requests;
    expect(others).toHaveLength(2);
    for (const other of others) {
      expect(other.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
      expect(other.headers.get('webhook-id')).toBe(first?.headers.get('webhook-id'));
      expect(other.headers.get('x-webhook-signature')).toBe(first?.headers.get('x-webhook-signature'));
    }
    expect(flaky.requests.map((seen) => seen.headers.get('x-webhook-attempt'))).toEqual(['1', '2', '3']);
    await flaky.close();
  });
});

describe('the targets', () => {
  it('are the form’s and the project’s, each with its own delivery', async () => {
    const [formUrl, projectUrl] = [ownUrl(), ownUrl()];
    const made = await makeForm(server.url, {
      project: { webhook_url: projectUrl },
      form: { webhook_url: formUrl },
    });
    const id = await submit(made.endpoint);
    const [atForm, atProject] = [await firstAt(formUrl), await firstAt(projectUrl)];
    expect(atForm.body.equals(atProject.body)).toBe(true);
    expect(atForm.headers.get('webhook-id')).not.toBe(atProject.headers.get('webhook-id'));
    const secret = await secretOf(made.projectId);
    for (const seen of [atForm, atProject]) {
      expect(seen.headers.get('x-webhook-signature')).toBe(signatureOf(seen.body, secret));
    }
    const deliveries = await becomes(
      () => deliveriesOf(api, id),
      (seen) => seen.every(hasState('delivered')),
    );
    expect(deliveries.map(({ target, url }) => ({ target, url }))).toEqual([
      { target: 'form', url: formUrl },
      { target: 'project', url: projectUrl },
    ]);
  });

  it('include every form of a project at the project’s address', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { project: { webhook_url: url } });
    const second = await api.post(`/api/v1/projects/${made.projectId}/forms`, { name: 'Second' });
    const ids = [await submit(made.endpoint), await submit(second.body.endpoint)];
    const seen = await becomes(
      () => arrivedAt(url),
      (all) => all.length === 2,
    );
    expect(seen.map(({ headers }) => headers.get('x-submission-id')).sort()).toEqual(ids.sort());
  });

  it('get it once when both name the same address', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { project: { webhook_url: url }, form: { webhook_url: url } });
    const id = await submit(made.endpoint);
    await deliveryBecomes(api, id, hasState('delivered'));
    // A second submission comes after anything else that the first would have sent.
    await deliveryBecomes(api, await submit(made.endpoint), hasState('delivered'));
    expect(arrivedAt(url).filter(({ headers }) => headers.get('x-submission-id') === id)).toHaveLength(1);
  });

  it('get nothing of a submission that was caught as spam', async () => {
    const url = ownUrl();
    const made = await makeForm(server.url, { form: { webhook_url: url } });
    await submit(made.endpoint, { name: 'bot', _gotcha: 'caught' });
    const id = await submit(made.endpoint, { name: 'Ada' });
    await deliveryBecomes(api, id, hasState('delivered'));
    expect(arrivedAt(url).map(({ headers }) => headers.get('x-submission-id'))).toEqual([id]);
  });
});
