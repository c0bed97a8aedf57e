/**
 * A rolling upgrade on PostgreSQL, with the real program of the previous release: its processes keep working with the schema of the new one
 * until they are replaced, and visitors notice nothing.
 */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, newCluster } from '../cluster/cluster.js';
import { client, makeForm } from '../support/client.js';
import { signIn } from '../support/dashboard.js';
import { differences, downloadedHash, listAll } from '../support/ledger.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { becomes } from '../support/webhooks.js';
import { startLoad } from './load.js';
import { buildPreviousRelease, type PreviousRelease } from './previous-release.js';

describe('a rolling upgrade from 0.1.0', () => {
  let previous: PreviousRelease;
  let cluster: Cluster;
  let receiver: Receiver;
  let mails: MailServer;
  beforeAll(async () => {
    previous = await buildPreviousRelease();
    mails = await startMailServer();
    cluster = await newCluster(mailing());
    receiver = await startAnswering();
  }, 300_000);
  afterAll(async () => {
    await receiver?.close();
    await mails?.close();
    await cluster?.dispose();
    await previous?.dispose();
  });

  const mailing = () => ({ SMTP_URL: mails.url, MAIL_FROM: 'inlet@forms.example.com' });
  const readSubmission = (url: string, id: string) => client(url).get(`/api/v1/submissions/${id}`);

  it('loses nothing, sends each webhook and each mail once, and old processes work with the new schema', {
    timeout: 180_000,
  }, async () => {
    const env = {
      ...{ DATA_DIR: cluster.dataDir, DATABASE_URL: cluster.databaseUrl, DATABASE_POOL_SIZE: '4' },
      API_RATE_LIMIT_PER_MINUTE: '10000000',
      ...mailing(),
    };
    const old = [await previous.start(env), await previous.start(env)] as const;
    const form = await makeForm(old[0].url, {
      form: { webhook_url: receiver.url, notify_emails: ['team@example.com'] },
    });
    let urls = old.map(({ url }) => url);
    const load = startLoad(() => urls.map((url) => `${url}/f/${form.publicId}`));
    await load.goesOn(40);

    // The first process of the new version migrates the schema. Both versions serve.
    const first = await cluster.start();
    urls = [...urls, first.url];
    await load.goesOn(60);
    const person = { email: 'grace@example.com', password: 'a nanosecond of wire' };
    expect((await client(old[0].url).post('/api/v1/users', person)).status).toBe(201);
    for (const url of urls) expect((await signIn({ url }, person)).status, url).toBe(200);
    const [newest] = (await client(first.url).get(`/api/v1/forms/${form.formId}/submissions`)).body.data;
    for (const url of urls) expect((await readSubmission(url, newest.id)).body).toMatchObject(newest);

    // One after the other is replaced. The balancer sends nothing more to a process that stops.
    for (const server of old) {
      urls = urls.filter((url) => url !== server.url);
      expect(await server.end()).toBe(0);
      urls = [...urls, (await cluster.start()).url];
      await load.goesOn(40);
    }
    await load.stop();

    const listed = await listAll(first.url, form.formId);
    expect(differences(load.ledger, listed)).toEqual([]);
    expect(listed).toHaveLength(load.acknowledged());
    expect(load.refusals).toEqual([]);
    const hashes = new Map(load.ledger.map(({ clientId, file }) => [clientId, file?.sha256]));
    for (const { data, files } of listed) {
      for (const { id } of files) {
        expect(await downloadedHash(first.url, id)).toBe(hashes.get(data.client_id ?? ''));
      }
    }
    const delivered = () => receiver.requests.map(({ headers }) => headers.get('x-submission-id')).sort();
    await becomes(delivered, (ids) => new Set(ids).size >= listed.length);
    expect(delivered()).toEqual(listed.map(({ id }) => id).sort());
    const told = async () => {
      const texts = await Promise.all(mails.mails.map(async ({ raw }) => (await PostalMime.parse(raw)).text));
      return texts.map((text) => /^Submission: (\S+)$/m.exec(text ?? '')?.[1]).sort();
    };
    await becomes(told, (ids) => new Set(ids).size >= listed.length);
    expect(await told()).toEqual(listed.map(({ id }) => id).sort());
  });
});
