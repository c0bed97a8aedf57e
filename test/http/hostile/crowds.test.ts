/**
 * Crowds of slow bodies, and all other visitors. Eight networks with 32 connections each at 1 kB/s once occupied every upload slot for 15
 * minutes; others got 503.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody, textPart } from '../../support/bodies.js';
import { type MadeForm, makeForm } from '../../support/client.js';
import {
  addressesIn,
  type Crowd,
  type CrowdRequest,
  crowdServer,
  metric,
  openCrowd,
  untilBegun,
  uploadsIn,
} from '../../support/crowd.js';
import { stagedFiles } from '../../support/data-folder.js';
import { expectUnharmed } from '../../support/harm.js';
import { keptFiles, waitUntil } from '../../support/kept.js';
import { rawExchange, requestHead } from '../../support/raw.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, type VisitorAnswer } from '../../support/visitor.js';

const places = 256;
const megabyte = 1024 * 1024;

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer(crowdServer);
  form = await makeForm(server.url);
});
afterAll(async () => {
  await expectUnharmed(server);
  await server.dispose();
});

const crowds: Crowd[] = [];
async function gather(addresses: readonly string[], asking: CrowdRequest): Promise<Crowd> {
  const crowd = await openCrowd(server, addresses, asking);
  crowds.push(crowd);
  return crowd;
}
afterEach(() => {
  for (const crowd of crowds.splice(0)) crowd.vanish();
});

const slowUpload = (bytes = 20 * megabyte): CrowdRequest => ({
  path: `/f/${form.publicId}`,
  headers: ['Content-Type: multipart/form-data; boundary=b'],
  declaredBytes: bytes,
  start: multipartBody('b', [filePart('f', 'slow.bin', 'x'.repeat(1_000))]).subarray(0, -9),
});

const json = { accept: 'application/json' };

/** Uploads of this many visitors, each from their own network. */
const honestUploads = (visitors: number): Promise<readonly VisitorAnswer[]> =>
  Promise.all(
    Array.from({ length: visitors }, (_, i) => {
      const parts = [textPart('a', '1'), filePart('f', 'honest.bin', Buffer.alloc(50_000 * (i % 10), i))];
      return postMultipart(form.endpoint, parts, { ...json, 'x-forwarded-for': `203.0.${i}.1` });
    }),
  );

const statusesOf = (answers: readonly { status: number }[]) => [
  ...new Set(answers.map(({ status }) => status)),
];

/** Checks that nothing is left of the crowd: no slot, no file. */
async function expectGone(crowd: Crowd, filesBefore: number, honestFiles: number): Promise<void> {
  crowd.vanish();
  await waitUntil(async () => {
    const { reading, waiting } = await uploadsIn(server);
    return reading + waiting + stagedFiles(server.dataDir).length === 0;
  });
  expect(await keptFiles(server)).toHaveLength(filesBefore + honestFiles);
}

describe('while a crowd uploads at 1 kB/s', () => {
  it.each([
    [8, 32],
    [16, 32],
  ])('from %i networks with %i connections each, everybody else uploads', async (networks, each) => {
    const files = (await keptFiles(server)).length;
    const crowd = await gather(addressesIn(networks, each), slowUpload());
    crowd.drip(256);
    await untilBegun(server, Math.min(places, networks * each) / 2);
    expect(statusesOf(await honestUploads(30))).toEqual([200]);
    await expectGone(crowd, files, 30);
  });

  it('from 256 networks, text passes, slow uploads make way, and fast ones do not', async () => {
    const files = (await keptFiles(server)).length;
    const addresses = addressesIn(places, 1);
    const crowd = await gather(addresses, slowUpload());
    const fast = crowd.members.slice(0, 8);
    crowd.drip(256, crowd.members.slice(8));
    crowd.drip(64 * 1024, fast);
    await untilBegun(server, places);
    expect(await uploadsIn(server)).toEqual({ reading: places, waiting: 0 });

    const evictedBefore = await metric(server, 'inlet_uploads_evicted_total');
    const withoutFiles = [[textPart('a', '1')], [textPart('a', '1'), filePart('f', '', '')]];
    for (const parts of withoutFiles) {
      const headers = { ...json, 'x-forwarded-for': '203.0.113.1' };
      expect((await postMultipart(form.endpoint, parts, headers)).status).toBe(200);
    }
    expect(await metric(server, 'inlet_uploads_evicted_total')).toBe(evictedBefore);

    expect(statusesOf(await honestUploads(30))).toEqual([200]);
    expect(await metric(server, 'inlet_uploads_evicted_total')).toBeGreaterThanOrEqual(evictedBefore + 20);
    await waitUntil(() => crowd.answers().length >= 20);
    for (const { status, body, headers } of crowd.answers()) {
      expect([status, headers.get('retry-after'), JSON.parse(body)]).toEqual([
        408,
        '5',
        {
          error: 'The upload is too slow while others are waiting. Please try again later.',
          code: 'upload_too_slow',
        },
      ]);
    }
    expect(fast.flatMap((member) => member.answers())).toEqual([]);
    await expectGone(crowd, files, 30);
  });

  it.each([
    ['/48', (i: number) => `2001:db8:1:${i.toString(16)}::1`],
    ['/24', (i: number) => `198.51.100.${i % 250}`],
  ])('from one %s, its part is bounded', async (_, addressOf) => {
    const crowd = await gather(
      Array.from({ length: 200 }, (_none, i) => addressOf(i)),
      slowUpload(),
    );
    await untilBegun(server, 200);
    expect((await uploadsIn(server)).reading).toBeLessThanOrEqual(48);
    crowd.vanish();
    await waitUntil(async () => (await uploadsIn(server)).reading === 0);
  });
});

describe('while a crowd keeps a mebibyte of text each in memory', () => {
  it('from 8 networks with 32 connections each, everybody else submits', async () => {
    const start = Buffer.alloc(megabyte - 1, 'x');
    start.write('{"a":"');
    const crowd = await gather(addressesIn(8, 32), {
      path: `/f/${form.publicId}`,
      headers: ['Content-Type: application/json'],
      declaredBytes: megabyte,
      start,
    });
    await waitUntil(() => crowd.members.every((member) => member.unsentBytes() === 0), 30_000);
    // All bytes are on their way. Between two responses the server reads a piece of every body; after this many it has read them all.
    for (let i = 0; i < 60; i += 1) await rawExchange(server.port, requestHead('GET', '/healthz'));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        postJson(form.endpoint, { text: 'x'.repeat(100_000) }, { 'x-forwarded-for': `203.0.${i}.1` }),
      ),
    );
    expect(statusesOf(answers)).toEqual([200]);
  });
});
