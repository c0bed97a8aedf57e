/**
 * A data folder written by the previous release is upgraded while visitors keep sending: its content is there and unchanged, its pending
 * webhooks are sent once, and nothing that was acknowledged is lost.
 * make-data-folder.mjs makes the folder.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { client } from '../support/client.js';
import { signIn } from '../support/dashboard.js';
import { inspectDatabase } from '../support/data-folder.js';
import { differences, downloadedHash, type Listed, listAll } from '../support/ledger.js';
import { type Receiver, startAnswering } from '../support/receivers.js';
import { freePort, type RunningServer, startServer, temporaryFolder } from '../support/server.js';
import { becomes, signatureOf } from '../support/webhooks.js';
import { startLoad } from './load.js';

interface Ids {
  readonly formId: string;
  readonly publicId: string;
}

interface Previous {
  readonly version: string;
  readonly user: { readonly email: string; readonly password: string };
  readonly webhookUrl: string;
  readonly projectId: string;
  readonly forms: Readonly<Record<'plain' | 'hooked' | 'uploads' | 'trap' | 'load', Ids>>;
  readonly fileIds: readonly string[];
  readonly deletedFileId: string;
  /** The responses of the previous release, by path. */
  // biome-ignore lint/suspicious/noExplicitAny: compared as they are
  readonly answers: Readonly<Record<string, any>>;
  /** The data folder, in base64 by path. */
  readonly files: Readonly<Record<string, string>>;
}

const previous: Previous = JSON.parse(
  gunzipSync(readFileSync(new URL('data-folder-0.1.0.json.gz', import.meta.url))).toString('utf8'),
);
const env = { API_RATE_LIMIT_PER_MINUTE: '10000000' };

let server: RunningServer | undefined;
let receiver: Receiver | undefined;
afterEach(async () => {
  await server?.dispose();
  await receiver?.close();
});

/** The folder as it was, but with an endpoint that exists. Its port differs in each run. */
async function unpack(webhookUrl: string): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const [name, content] of Object.entries(previous.files)) {
    const path = join(dataDir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(content, 'base64'), { mode: 0o600 });
  }
  const db = new DatabaseSync(join(dataDir, 'inlet.db'));
  db.prepare('UPDATE deliveries SET url = ? WHERE url = ?').run(webhookUrl, previous.webhookUrl);
  db.prepare('UPDATE forms SET webhook_url = ? WHERE webhook_url = ?').run(webhookUrl, previous.webhookUrl);
  db.close();
  return dataDir;
}

/** Differs from request to request, or changes because of the load. */
const changing = new Set(['download_url', 'last_used_at']);
const lasting = (path: string, value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, item) =>
      changing.has(key) || (key === 'submissions_count' && path.startsWith('/api/v1/projects'))
        ? undefined
        : item,
    ),
  );

/** New fields are allowed. Those of the previous release keep their values. */
async function expectOldAnswers(url: string, webhookUrl: string): Promise<void> {
  const wanted = JSON.parse(
    JSON.stringify(previous.answers).replaceAll('{url}', url).replaceAll('{webhook}', webhookUrl),
  );
  for (const [path, answer] of Object.entries(wanted)) {
    const { status, body } = await client(url).get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(body, path).toMatchObject(lasting(path, answer) as object);
  }
}

async function expectOldFiles(url: string): Promise<void> {
  const stored = new Map(
    Object.entries(previous.files).map(([path, content]) => [path.split('/').at(-1), content]),
  );
  for (const id of previous.fileIds) {
    const bytes = Buffer.from(stored.get(id) ?? 'missing', 'base64');
    expect(await downloadedHash(url, id)).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
  expect((await client(url).get(`/api/v1/files/${previous.deletedFileId}/download`)).status).toBe(410);
}

/** How often each submission reached the endpoint. All must be signed with the secret from before the upgrade. */
function deliveredTo(received: Receiver): ReadonlyMap<string, number> {
  const secret: string = previous.answers[`/api/v1/projects/${previous.projectId}`].webhook_secret;
  const counts = new Map<string, number>();
  for (const { headers, body } of received.requests) {
    expect(headers.get('x-webhook-signature')).toBe(signatureOf(body, secret));
    const id: string = JSON.parse(body.toString('utf8')).submission.id;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

it('a data folder of 0.1.0 is upgraded under load without loss', { timeout: 180_000 }, async () => {
  receiver = await startAnswering();
  const webhookUrl = receiver.url;
  const dataDir = await unpack(webhookUrl);
  const port = await freePort();
  const { load: loaded, hooked } = previous.forms;
  const load = startLoad(() => [`http://127.0.0.1:${port}/f/${loaded.publicId}`]);

  server = await startServer({ dataDir, port, env });
  await load.goesOn(60);
  expect(await server.end('SIGTERM')).toBe(0);
  server = await startServer({ dataDir, port, env });
  await load.goesOn(60);
  await load.stop();
  await expectOldAnswers(server.url, webhookUrl);
  await expectOldFiles(server.url);

  const listed = await listAll(server.url, loaded.formId);
  expect(differences(load.ledger, listed)).toEqual([]);
  expect(listed).toHaveLength(load.acknowledged());
  expect(load.refusals).toEqual([]);
  const hashes = new Map(load.ledger.map(({ clientId, file }) => [clientId, file?.sha256]));
  for (const { data, files } of listed as readonly Listed[]) {
    for (const { id } of files) {
      expect(await downloadedHash(server.url, id)).toBe(hashes.get(data.client_id ?? ''));
    }
  }

  const waited: readonly { id: string }[] =
    previous.answers[`/api/v1/forms/${hooked.formId}/submissions?limit=100`].data;
  expect(waited).toHaveLength(20);
  const wanted = new Map([...waited, ...listed].map(({ id }) => [id, 1]));
  const got = receiver;
  await becomes(
    () => deliveredTo(got),
    (delivered) => [...wanted.keys()].every((id) => delivered.has(id)),
  );
  expect((await signIn(server, previous.user)).status).toBe(200);
  expect(await server.end('SIGTERM')).toBe(0);
  // Nothing follows once the server has stopped, so each was sent once.
  expect(deliveredTo(got)).toEqual(wanted);

  expect(await inspectDatabase(dataDir)).toMatchObject({
    ...{ integrity: ['ok'], brokenReferences: [], wrongTotals: [], filesWithoutSubmission: 0 },
  });
  const verified = await inlet(['verify'], { dataDir });
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
});
