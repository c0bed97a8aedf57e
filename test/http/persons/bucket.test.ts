/** The files of a person in a bucket that keeps versions: none of them is left. */
import { ListObjectVersionsCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { bucketSettings, type ObjectStore, startObjectStore } from '../../support/services/object-store.js';
import { submitFiles } from '../../support/upload.js';
import { becomes } from '../../support/webhooks.js';

let objects: ObjectStore;
let server: RunningServer;
let bucket: string;
let s3: S3Client;
beforeAll(async () => {
  objects = await startObjectStore();
  bucket = await objects.newBucket();
  const { endpoint, accessKeyId, secretAccessKey } = objects;
  s3 = new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
  });
  await s3.send(
    new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }),
  );
  server = await startServer({ env: bucketSettings(objects, bucket) });
});
afterAll(async () => {
  await server?.dispose();
  s3?.destroy();
  await objects?.dispose();
});

const versions = async (): Promise<readonly string[]> => {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket: bucket, Prefix: 'files/' }),
  );
  return [...Versions, ...DeleteMarkers].map(({ Key }) => Key ?? '');
};

it('removes every version of the files of a person, and no other file', async () => {
  const api = client(server.url);
  const form = await makeForm(server.url);
  const file = { field: 'cv', filename: 'cv.txt', type: 'text/plain', content: 'my life' };
  for (const email of ['ann@example.com', 'bob@example.com', 'ann@example.com'])
    expect((await submitFiles(form.endpoint, [file], { email })).status).toBe(200);
  expect((await versions()).length).toBe(3);
  const begun = await api.post('/api/v1/persons/erase', { q: 'ann@example.com' });
  const done = await becomes(
    async () => (await api.get(`/api/v1/erasures/${begun.body.id}`)).body,
    ({ status }) => status === 'finished',
  );
  expect(done).toMatchObject({ counts: { submissions: 2 }, files_removed: 2 });
  expect((await versions()).length).toBe(1);
});
