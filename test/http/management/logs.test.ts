/** No request makes the service write a secret to the log. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm, request, submitJson } from '../../support/client.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'trace' } });
});
afterAll(() => server.dispose());

it('writes neither keys nor tokens, secrets or what visitors sent', async () => {
  const api = client(server.url);
  const secrets = [apiKey];
  const { projectId, formId, endpoint } = await makeForm(server.url, {
    form: { captcha_secret_key: 'captcha-secret-value-1', sandbox_api_key: 'sandbox-key-value-1' },
  });
  secrets.push('captcha-secret-value-1', 'sandbox-key-value-1', 'visitors-own-words');
  const before = (await api.get(`/api/v1/projects/${projectId}`)).body.webhook_secret;
  const after = (await api.post(`/api/v1/projects/${projectId}/webhook-secret`)).body.webhook_secret;
  const made = (await api.post('/api/v1/api-keys', { name: 'Logged' })).body.api_key;
  secrets.push(before, after, made);
  await client(server.url, made).get('/api/v1/projects');
  await client(server.url, 'mistyped-key-0123456789').get('/api/v1/projects');
  await api.get('/api/v1/projects?api_key=key-in-the-query-0123');
  secrets.push('mistyped-key-0123456789', 'key-in-the-query-0123');

  await submitJson(endpoint, { text: 'visitors-own-words' }, { 'x-service-key': 'sandbox-key-value-1' });
  const { body } = await submitFiles(endpoint, [
    { field: 'a', filename: 'a.txt', type: 'text/plain', content: 'visitors-own-words' },
  ]);
  const fileId = body.files[0].id;
  const { download_url: url } = (await api.get(`/api/v1/files/${fileId}`)).body;
  const location = (await request(url)).headers.get('location') ?? '';
  await request(location);
  for (const link of [url, location]) secrets.push(new URL(link).searchParams.get('token') ?? '');
  // Faults are logged in full.
  await request(`${url}x`);
  await request(`${server.url}/api/v1/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: '{"name":"visitors-own-words',
  });
  await api.patch(`/api/v1/forms/${formId}`, { captcha_secret_key: 'captcha-secret-value-1', typo: 1 });
  await server.end();

  const output = server.output();
  expect(output).toContain('/api/v1/projects');
  expect(secrets.every((secret) => secret.length >= 16)).toBe(true);
  for (const secret of secrets) expect(output).not.toContain(secret);
});

it('shows a key that it made itself once, on the first start alone', async () => {
  const first = await startServer({ env: { INLET_API_KEY: '' } });
  await first.end();
  const [key] = /inlet_[A-Za-z0-9_-]{20,}/.exec(first.output()) ?? [''];
  const second = await startServer({ dataDir: first.dataDir, env: { INLET_API_KEY: '' } });
  expect((await client(second.url, key).get('/api/v1/account')).status).toBe(200);
  await second.end();
  expect(second.output()).not.toContain(key.slice(0, 20));
  await second.dispose();
});
