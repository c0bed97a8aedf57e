/** The files of a person in a bucket with versioning: no version is left. */
import {
  GetObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
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

/** Everything in the bucket whose name, headers or bytes contain the text, in every version. */
async function objectsWith(text: string): Promise<readonly string[]> {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(
    new ListObjectVersionsCommand({ Bucket: bucket }),
  );
  const found = DeleteMarkers.flatMap(({ Key = '' }) => (Key.includes(text) ? [Key] : []));
  for (const { Key = '', VersionId } of Versions) {
    const {
      Body,
      $metadata: _,
      ...head
    } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId }));
    const bytes = await Body?.transformToString('latin1');
    if (`${Key} ${JSON.stringify(head)} ${bytes}`.includes(text)) found.push(Key);
  }
  return found;
}

it('removes every version of the files of a person, and no other file', async () => {
  const api = client(server.url);
  const form = await makeForm(server.url);
  for (const email of ['ann@example.com', 'bob@example.com', 'ann@example.com']) {
    const content = `This is the life of ${email}`;
    const file = { field: 'cv', filename: `${email}.txt`, type: 'text/plain', content };
    expect((await submitFiles(form.endpoint, [file], { email })).status).toBe(200);
  }
  expect((await versions()).length).toBe(3);
  expect((await objectsWith('ann@example.com')).length).toBe(2);
  const begun = await api.post('/api/v1/persons/erase', { q: 'ann@example.com' });
  const done = await becomes(
    async () => (await api.get(`/api/v1/erasures/${begun.body.id}`)).body,
    ({ status }) => status === 'finished',
  );
  expect(done).toMatchObject({ counts: { submissions: 2 }, files_removed: 2 });
  expect((await versions()).length).toBe(1);
  expect(await objectsWith('ann@example.com')).toEqual([]);
  expect((await objectsWith('bob@example.com')).length).toBe(1);
});
