/** An instance with something in every table, and what its owners see of it, which must be the same after a move. */
import { makeAccount } from './accounts.js';
import { filePart } from './bodies.js';
import { upload } from './cli.js';
import { type Answer, type Client, client, type MadeForm, makeForm, submitJson } from './client.js';
import { admin, signedIn, withAdmin } from './dashboard.js';
import { everySetting } from './form-settings.js';
import { type InstanceImage, imageOf } from './instance-image.js';
import { picture } from './pictures.js';
import { refusingUrl } from './receivers.js';
import { fillInstance } from './rich-instance.js';
import { apiKey, type RunningServer } from './server.js';
import { postMultipart } from './visitor.js';
import { becomes, startTurning, type TurningReceiver } from './webhooks.js';

/** Whatever fails stays as it is while a test looks. */
export const stillEnvironment = {
  ...withAdmin,
  API_RATE_LIMIT_PER_MINUTE: '1000000',
  WEBHOOK_RETRY_DELAYS: '86400,86400,86400,86400',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'inlet@example.com',
  TRUST_PROXY: 'loopback',
};

export interface MovedInstance {
  readonly formId: string;
  /** A submission whose webhook failed, and its endpoint. */
  readonly submissionId: string;
  readonly receiver: TurningReceiver;
  readonly secret: string;
  readonly deletedFileId: string;
  readonly otherKey: string;
  readonly idempotencyKey: string;
  readonly endpoint: string;
}

const searched = ['alert', 'findme'];

export const imageOfAll = async (url: string, made: MovedInstance): Promise<InstanceImage> => ({
  ...(await imageOf(url, apiKey, searched)),
  ...Object.fromEntries(
    Object.entries(await imageOf(url, made.otherKey)).map(([path, shown]) => [`other ${path}`, shown]),
  ),
  deleted: (await client(url).get(`/api/v1/files/${made.deletedFileId}`)).status,
});

const require2xx = <T extends { status: number; text: string }>(answer: T): T => {
  if (answer.status < 200 || answer.status > 299) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
};

/** Two accounts; deliveries in every state, mails, replays, files, variants, quarantine, keys, sealed settings. */
export async function fillForMoving(server: RunningServer): Promise<MovedInstance> {
  const api = client(server.url);
  const rich = await fillInstance(server);
  const other = await makeAccount(server, 'pro', 'Another');
  await makeForm(server.url, { key: other.api_key, form: { name: 'Of another' } });
  // A NUL, which not every database can store.
  const receiver = await startTurning({ status: 500, body: 'no\0thing' });
  const form = await makeForm(server.url, {
    project: { name: 'Hooks', webhook_url: receiver.url },
    form: {
      name: 'Full',
      notify_emails: ['ada@example.com'],
      allowed_cc_emails: ['grace@example.com'],
      redact_fields: ['iban'],
      captcha_provider: 'turnstile',
      captcha_site_key: 'site',
      captcha_secret_key: 'sealed secret',
      sandbox_api_key: 'a-sandbox-key-of-ours',
      blocked_ips: ['203.0.113.0/24'],
      retention_days: 4000,
      max_submissions: 1_000_000,
    },
  });
  require2xx(
    await api.post(`/api/v1/projects/${form.projectId}/forms`, {
      ...{ ...everySetting, name: 'Every setting 🎉', is_archived: false },
    }),
  );
  for (const alias of ['xKeyOfOld', 'Ada@Example.com', 'Größe 日本 🎉'])
    require2xx(await api.post(`/api/v1/forms/${form.formId}/aliases`, { alias }));
  await addDestinations(api, form);
  await organise(server, form);
  require2xx(await api.post(`/api/v1/projects/${form.projectId}/webhook-secret`));
  const idempotencyKey = 'order-äß-1';
  const sent = require2xx(
    await submitJson(
      form.endpoint,
      { note: 'findme', big: 'x'.repeat(900_000) },
      { 'idempotency-key': encodeURIComponent(idempotencyKey) },
    ),
  );
  await submitJson(form.endpoint, { note: 'findme too', numbers: [1, 1e21, -0.5], '': { '💬': 'Zoë 日本' } });
  const png = Buffer.from(await picture('png', 200, 100));
  await postMultipart(form.endpoint, [filePart('photo', 'a.png', png, 'image/png')], {
    accept: 'application/json',
  });
  const kept = require2xx(await upload(form.endpoint, ''.padEnd(3_000_000, 'bytes of a large file ')));
  for (let i = 0; i < 8; i += 1) require2xx(await upload(form.endpoint, `file ${i}`, `${i}.txt`));
  const gone = require2xx(await upload(form.endpoint, 'to be deleted'));
  const fileOf = async (id: string): Promise<string> =>
    (await api.get(`/api/v1/submissions/${id}`)).body.files[0].id;
  const deletedFileId = await fileOf(gone.body.submission_id);
  require2xx(await api.delete(`/api/v1/files/${deletedFileId}`));
  require2xx(await api.delete(`/api/v1/submissions/${kept.body.submission_id}`));
  const dropped = await makeForm(server.url, { form: { name: 'Dropped', webhook_url: await refusingUrl() } });
  await submitJson(dropped.endpoint, { a: 1 });
  require2xx(await api.delete(`/api/v1/projects/${dropped.projectId}`));
  await untilTried(api);
  require2xx(await api.post('/api/v1/deliveries/replay', { form_id: rich.formId, per_minute: 1 }));
  const project = await api.get(`/api/v1/projects/${form.projectId}`);
  return {
    formId: form.formId,
    submissionId: sent.body.submission_id,
    receiver,
    secret: project.body.webhook_secret,
    deletedFileId,
    otherKey: other.api_key,
    idempotencyKey,
    endpoint: form.endpoint,
  };
}

/**
 * Inactive, so that nothing is sent there. One has sealed secrets. One is the row of a built-in destination, whose mails wait for a day
 * after their first attempt, as webhooks do here.
 */
async function addDestinations(api: Client, { formId, projectId }: MadeForm): Promise<void> {
  const url = 'https://example.com/services/a';
  const config = { url, secret: `whsec_${'a'.repeat(44)}`, headers: { Authorization: 'Bearer x' } };
  const settings = {
    is_active: false,
    filter: { a: 1 },
    template: { b: 'Größe 日本' },
    retry: { delays: [1] },
  };
  require2xx(
    await api.post(`/api/v1/forms/${formId}/destinations`, { kind: 'webhook', config, ...settings }),
  );
  require2xx(
    await api.post(`/api/v1/projects/${projectId}/destinations`, {
      ...{ kind: 'slack', config: { url }, is_active: false },
    }),
  );
  const [email] = (await api.get(`/api/v1/forms/${formId}/destinations`)).body.data;
  require2xx(
    await api.patch(`/api/v1/destinations/${email.id}`, {
      ...{ name: 'Größe 日本 🎉', retry: { delays: [86_400] } },
    }),
  );
}

/** Something in every folder, with everything that users can do to it, and what they have read. */
async function organise(server: RunningServer, { formId, projectId, endpoint }: MadeForm): Promise<void> {
  const person = await signedIn(server, owner);
  const ask = async (method: string, path: string, body: unknown): Promise<Answer> =>
    require2xx(await person.ask(method, path, body));
  const label = await ask('POST', '/labels', { name: 'Größe 日本 🎉', color: 'pink' });
  const [user] = require2xx(await person.ask('GET', '/users')).body.data;
  // Leaves a mark. What is read after it leaves exceptions.
  require2xx(await submitJson(endpoint, { folder: 'none yet' }));
  await ask('POST', '/submissions/read-all', { form_id: formId });
  for (const folder of ['inbox', 'archive', 'spam', 'trash']) {
    const { submission_id: id } = require2xx(await submitJson(endpoint, { folder })).body;
    const marks = { is_read: folder !== 'inbox', is_starred: true, assignee_id: user.id };
    await ask('PATCH', `/submissions/${id}`, { folder, ...marks, labels: [label.body.id] });
    await ask('POST', `/submissions/${id}/notes`, { text: 'Called back.\nZoë' });
  }
  await ask('POST', '/views', {
    name: 'Mine',
    project_id: projectId,
    query: { assignee: 'me' },
    position: 3,
  });
}

/** Waits until everything pending was tried and waits for a day, or is paused: some went to spam or trash before their first attempt. */
async function untilTried(api: Client): Promise<void> {
  for (const project of (await api.get('/api/v1/projects')).body.data) {
    await becomes(
      async () => (await api.get(`/api/v1/projects/${project.id}/deliveries?state=pending`)).body.data,
      // biome-ignore lint/suspicious/noExplicitAny: as the interface has it
      (waiting: any[]) =>
        waiting.every(
          ({ next_attempt_at, paused_in }) =>
            paused_in !== null || Date.parse(next_attempt_at) > Date.now() + 3_600_000,
        ),
    );
  }
}

export const owner = admin;
