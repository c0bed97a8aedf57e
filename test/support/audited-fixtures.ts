/** What the tests of the audit log run operations on. */
import { expect } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import { type Client, makeForm, submitJson } from './client.js';
import { changeStored } from './engine.js';
import type { RunningServer } from './server.js';
import { submitFiles } from './upload.js';
import { submit } from './webhooks.js';

/** What the operations run on. These are functions because it exists only when a test runs. */
export interface AuditWorld {
  server(): RunningServer;
  api(): Client;
  /** The endpoint that responds to webhooks. */
  receiver(): { readonly url: string };
}

/** Gives each user their own address. */
let people = 0;

/** Objects to run operations on, each created anew. */
export function auditFixtures({ server, api, receiver }: AuditWorld) {
  const made = async (path: string, body: unknown = {}): Promise<string> => {
    const answer = await api().post(`/api/v1${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body.id;
  };

  const aForm = () => makeForm(server().url, { form: { webhook_url: receiver().url } });
  const aSubmission = async () => submit((await aForm()).endpoint, { name: 'Grace' });
  async function aFile(): Promise<{ id: string; token: string }> {
    const { endpoint } = await aForm();
    const content = { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'hello' };
    const id: string = (await submitFiles(endpoint, [content])).body.files[0].id;
    const { url } = (await api().post(`/api/v1/files/${id}/signed-url`)).body;
    return { id, token: new URL(url).searchParams.get('token') ?? '' };
  }
  const aTrapped = async (): Promise<string> =>
    (await submitJson((await aForm()).endpoint, { _gotcha: 'robot' })).body.submission_id;
  const aDelivery = async (): Promise<string> => {
    const submission = await aSubmission();
    return (await api().get(`/api/v1/submissions/${submission}/deliveries`)).body.data[0].id;
  };
  async function aSuppressed(): Promise<string> {
    const id = newId(Date.now());
    await changeStored(
      server().dataDir,
      `INSERT INTO suppressed_addresses (id, account_id, destination_id, address, reason, detail, created_at)
      SELECT '${id}', id, '', '${id}@example.com', 'bounced', '', 1 FROM accounts WHERE name = 'Default'`,
    );
    return id;
  }
  const aDestination = async (): Promise<string> =>
    made(`/forms/${(await aForm()).formId}/destinations`, {
      kind: 'webhook',
      config: { url: receiver().url },
    });
  const someone = () => {
    people += 1;
    return { email: `person-${people}@example.com`, password: 'a long password' };
  };

  return { made, aForm, aSubmission, aFile, aTrapped, aDelivery, aSuppressed, aDestination, someone };
}
