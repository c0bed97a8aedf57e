/**
 * A real server with data of every kind. Its public address is not this machine, so that the strict rule about internal addresses applies.
 * No test makes it send anywhere that it may send to (see targets/webhook-urls.ts).
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { maxQuarantined } from '../../src/model/quarantine.js';
import { solved } from '../support/altcha.js';
import { type Client, client, makeForm, request, submitJson } from '../support/client.js';
import { type PictureFormat, picture } from '../support/pictures.js';
import { apiKey, type RunningServer, startServer } from '../support/server.js';
import { submitFiles } from '../support/upload.js';
import type { Kept, Subject } from './engine.js';
import { oddTexts } from './mutate.js';
import { vitalArguments, vitalsOf } from './vitals.js';

const baseUrl = 'https://forms.example.com';
export const cookieName = '__Host-inlet_session';
export const formats: readonly PictureFormat[] = ['png', 'jpeg', 'webp', 'gif', 'avif'];
const admin = { email: 'ada@example.com', password: 'correct horse battery' };

export interface World extends Subject {
  readonly server: RunningServer;
  readonly api: Client;
  readonly pictures: ReadonlyMap<PictureFormat, Buffer>;
  /** Rows of the database, bypassing the API. */
  rows<Row>(query: string, ...values: readonly string[]): readonly Row[];
  /** The path on this server for a link with the public address. */
  pathOf(link: string): string;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const server = await startServer({
    env: {
      BASE_URL: baseUrl,
      INLET_ADMIN_EMAIL: admin.email,
      INLET_ADMIN_PASSWORD: admin.password,
      API_RATE_LIMIT_PER_MINUTE: '10000000',
      RATE_LIMIT_PER_MINUTE: '10000000',
      ALTCHA_DIFFICULTY: '1',
      // Small, so that variants are also evicted.
      IMAGE_CACHE_BYTES: '256 KiB',
      MAX_FILE_BYTES: '1 MiB',
      MAX_BODY_BYTES: '3 MiB',
      WEBHOOK_TIMEOUT: '2',
      WEBHOOK_RETRY_DELAYS: '0.1,0.1,0.1,0.1',
      // Sign-ins are counted by address: each attempt comes from its own.
      TRUST_PROXY: 'loopback',
    },
    nodeArguments: vitalArguments,
  });
  try {
    return await furnished(server);
  } catch (error) {
    await server.dispose();
    throw error;
  }
}

async function furnished(server: RunningServer): Promise<World> {
  const api = client(server.url);
  const values = new Map<string, string>([['key', apiKey]]);
  const pathOf = (link: string): string => {
    if (!link.startsWith(`${baseUrl}/`)) throw new Error(`A link that leads elsewhere: ${link}`);
    return link.slice(baseUrl.length);
  };
  const form = await makeForm(server.url);
  values.set('project', form.projectId).set('formId', form.formId).set('form', form.publicId);

  const pictures = new Map<PictureFormat, Buffer>();
  for (const format of formats) pictures.set(format, Buffer.from(await picture(format, 40, 30)));
  const sent = await submitFiles(`${server.url}/f/${form.publicId}`, [
    { field: 'notes', filename: 'notes.txt', type: 'text/plain', content: 'These are my notes. '.repeat(50) },
    ...[...pictures].map(([format, content]) => ({
      field: format,
      filename: `picture.${format}`,
      type: `image/${format}`,
      content: Uint8Array.from(content),
    })),
  ]);
  if (sent.status !== 200) throw new Error(`submission: ${sent.status} ${sent.text}`);
  values.set('submission', sent.body.submission_id);
  for (const [index, name] of ['notes', ...formats].entries()) {
    const { id } = sent.body.files[index];
    const file = await api.get(`/api/v1/files/${id}`);
    const token = new URL(file.body.download_url).searchParams.get('token') ?? '';
    const leg = await request(`${server.url}/api/v1/files/${id}/download?token=${token}`);
    const content = new URL(leg.headers.get('location') ?? '').searchParams.get('token') ?? '';
    values.set(name, id).set(`${name}Token`, token).set(`${name}Content`, content);
  }

  // To be changed in every way. All others stay as they are.
  const changed = await makeForm(server.url);
  values.set('changedProject', changed.projectId).set('changedFormId', changed.formId);
  values.set('changedForm', changed.publicId);

  // To be listed, searched and exported. It stays as it is, while the other one grows.
  const listed = await api.post(`/api/v1/projects/${form.projectId}/forms`, { name: 'Listed' });
  values.set('listed', listed.body.id);
  for (const text of oddTexts) {
    await submitJson(`${server.url}/f/${listed.body.public_id}`, {
      name: 'Visitor',
      [text.slice(0, 50)]: text,
    });
  }

  // Enough for several pages, some of it spam.
  for (let n = 0; n < 12; n += 1) {
    const fields = new URLSearchParams({ name: `Visitor ${n}`, ...(n % 4 === 0 ? { _gotcha: 'x' } : {}) });
    await request(`${server.url}/f/${form.publicId}`, { method: 'POST', body: fields });
  }
  const page = await api.get(`/api/v1/forms/${form.formId}/submissions?limit=2`);
  const found = await api.get(`/api/v1/forms/${form.formId}/submissions?limit=2&q=Visitor`);
  const spam = await api.get('/api/v1/spam?limit=1');
  values.set('cursor', page.body.next_cursor).set('searchCursor', found.body.next_cursor);
  values.set('spamCursor', spam.body.next_cursor).set('spam', spam.body.data[0].id);

  const share = await api.post(`/api/v1/files/${values.get('png')}/signed-url`, { w: 8, f: 'webp' });
  values.set('bound', new URL(share.body.url).searchParams.get('token') ?? '');
  const readOnly = await api.post('/api/v1/api-keys', { name: 'Reader', scope: 'read' });
  values.set('readKey', readOnly.body.api_key);
  const signIn = await request(`${server.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  const [cookie = ''] = signIn.headers.getSetCookie();
  values.set('session', cookie.slice(cookieName.length + 1).split(';', 1)[0] ?? '');

  const guarded = await makeForm(server.url, { form: { captcha_enabled: true, captcha_provider: 'altcha' } });
  values.set('guarded', guarded.publicId);
  const challenge = await request(`${server.url}/f/${guarded.publicId}/challenge`);
  values.set('altcha', await solved(challenge.text));
  for (const [name, value] of values) if (!value) throw new Error(`${name} was not made`);

  const database = new DatabaseSync(join(server.dataDir, 'inlet.db'), { readOnly: true });
  const rows = <Row>(query: string, ...given: readonly string[]): readonly Row[] =>
    (database.prepare(query).all(...given) as object[]).map((row) => ({ ...row }) as Row);
  const counts = database.prepare(
    // Deleted rows are purged later, in the background.
    `SELECT ${tables.map((name) => `(SELECT count(*) FROM ${name}) AS ${name}`).join()},
      (SELECT count(*) FROM projects WHERE deleted_at IS NULL) AS projects,
      (SELECT count(*) FROM forms WHERE deleted_at IS NULL) AS forms,
      (SELECT count(*) FROM files) AS files,
      (SELECT count(*) FROM files WHERE blob_key IS NOT NULL) + (SELECT count(*) FROM image_variants) AS known`,
  );
  const look = async (): Promise<Kept> => {
    const { known = 0, ...kept } = counts.get() as Record<string, number>;
    const { blobs, staged } = blobsBelow(join(server.dataDir, 'files'));
    // A full quarantine removes its oldest entries in the background, whatever the request does.
    const quarantined = Math.min(kept.quarantined ?? 0, maxQuarantined.perForm);
    return { ...kept, quarantined, staged, orphans: blobs - known };
  };
  let isAlive = true;
  void server.exited.then(() => {
    isAlive = false;
  });
  return {
    port: server.port,
    values,
    server,
    api,
    pictures,
    rows,
    pathOf,
    isAlive: () => isAlive,
    output: server.output,
    vitals: vitalsOf(server),
    look,
    async close() {
      database.close();
      await server.dispose();
    },
  };
}

const tables = ['submissions', 'quarantined', 'api_keys', 'users', 'replays', 'deliveries'];

/** Counts the stored files, and half-written ones separately. */
function blobsBelow(folder: string): { blobs: number; staged: number } {
  let [blobs, staged] = [0, 0];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const count = readdirSync(join(folder, entry.name)).length;
    if (entry.name === '.staging') staged += count;
    // Notes belong to erasures, not to files.
    else if (entry.name !== '.trash' && entry.name !== '.notes') blobs += count;
  }
  return { blobs, staged };
}
