/** Fields whose values are removed once everything is delivered: from the submission, the index, the files and the delivery log. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { setDatabaseForward } from '../../support/engine.js';
import { type Receiver, startAnswering } from '../../support/receivers.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { hoursLater } from '../../support/upkeep.js';
import { submitFiles } from '../../support/upload.js';
import { becomes, deliveryBecomes, hasState, isWaiting } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
let receiver: Receiver;
let status = 200;
const env = { API_RATE_LIMIT_PER_MINUTE: '1000000', WEBHOOK_RETRY_DELAYS: '36000,36000,36000,36000' };
beforeAll(async () => {
  receiver = await startAnswering(({ body }) => ({ status, body: `got ${body}` }));
  server = await startServer({ env });
  api = client(server.url);
});
afterAll(async () => {
  await server?.dispose();
  await receiver?.close();
});

const passport = { field: 'passport', filename: 'passport-ada.txt', type: 'text/plain', content: 'secret' };
const photo = { field: 'photo', filename: 'photo.txt', type: 'text/plain', content: 'smile' };

it('happens after the last delivery, and not before', async () => {
  const form = await makeForm(server.url, {
    form: { webhook_url: receiver.url, redact_fields: ['iban', 'passport'] },
  });
  const send = async () =>
    (await submitFiles(form.endpoint, [passport, photo], { name: 'Ada', iban: 'DE9912345678' })).body
      .submission_id;
  const delivered = await send();
  await deliveryBecomes(api, delivered, hasState('delivered'));
  status = 500;
  const pending = await send();
  await deliveryBecomes(api, pending, isWaiting);

  const { dataDir } = server;
  await server.end();
  await setDatabaseForward(dataDir, 2 * 3_600_000);
  server = await startServer({ ...hoursLater(2), env, dataDir });
  api = client(server.url);
  const redacted = await becomes(
    async () => (await api.get(`/api/v1/submissions/${delivered}`)).body,
    ({ data }) => data.iban === '[redacted]',
  );
  expect(redacted.data).toEqual({ name: 'Ada', iban: '[redacted]' });
  expect(redacted.files.map(({ field }: { field: string }) => field)).toEqual(['photo']);
  const deliveries = await api.get(`/api/v1/submissions/${delivered}/deliveries`);
  const attempt = await api.get(`/api/v1/deliveries/${deliveries.body.data[0].id}/attempts/1`);
  for (const { text } of [deliveries, attempt]) {
    expect(text).not.toContain('DE9912345678');
    expect(text).not.toContain('passport-ada');
  }
  const waiting = (await api.get(`/api/v1/submissions/${pending}`)).body;
  expect(waiting.data.iban).toBe('DE9912345678');
  const found = await becomes(
    async () => (await api.get(`/api/v1/forms/${form.formId}/submissions?q=DE9912345678`)).body.data,
    (all) => all.length === 1,
  );
  expect(found[0].id).toBe(pending);
  const byName = await api.get(`/api/v1/forms/${form.formId}/submissions?q=Ada`);
  expect(byName.body.data).toHaveLength(2);
});
