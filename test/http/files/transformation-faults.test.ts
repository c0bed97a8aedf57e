/** Images on a running service when codecs die, many requests arrive, space is short, and bytes disappear. Decisions 7. */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, type Client, client, type MadeForm, makeForm, request } from '../../support/client.js';
import { startTimeServer } from '../../support/clock.js';
import { blobsOnDisk } from '../../support/data-folder.js';
import { look, lyingPng, noisyPicture, quadrantPicture, solid } from '../../support/pixels.js';
import { childrenOf, isAlive, until, untilChildDecodes, untilReaped } from '../../support/processes.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';

const running: RunningServer[] = [];
async function start(more: Parameters<typeof startServer>[0] = {}): Promise<RunningServer> {
  const env = { API_RATE_LIMIT_PER_MINUTE: '1000000', ...more.env };
  const server = await startServer({ ...more, env });
  running.push(server);
  return server;
}
afterAll(async () => {
  for (const server of running.splice(0)) await server.dispose();
});

/** One file on one server, and requests for it. */
interface Photo {
  readonly id: string;
  readonly api: Client;
  ask(query: string): Promise<Answer>;
  /** The bytes, following the redirect. */
  fetch(query: string): Promise<Buffer>;
}

function photoOn(server: RunningServer, id: string): Photo {
  const api = client(server.url);
  const ask = (query: string): Promise<Answer> => api.get(`/api/v1/files/${id}/download?${query}`);
  return {
    id,
    api,
    ask,
    async fetch(query) {
      const redirect = await ask(query);
      expect({ status: redirect.status, text: redirect.text }).toMatchObject({ status: 302 });
      const content = await fetch(redirect.headers.get('location') ?? '');
      expect(content.status).toBe(200);
      return Buffer.from(await content.arrayBuffer());
    },
  };
}

async function upload(server: RunningServer, form: MadeForm, bytes: Buffer): Promise<Photo> {
  const content = Uint8Array.from(bytes);
  const sent = await submitFiles(form.endpoint, [
    { field: 'photo', filename: 'photo.png', type: 'image/png', content },
  ]);
  expect(sent.status, sent.text).toBe(200);
  return photoOn(server, sent.body.files[0].id);
}

/** The number of image requests with this outcome. */
async function countOf(server: RunningServer, outcome: string): Promise<number> {
  const { text } = await request(`${server.url}/metrics`);
  const line = new RegExp(`^inlet_image_duration_seconds_count\\{outcome="${outcome}"\\} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

const expectUnavailable = (answer: Answer): void => {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 503 });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Object.keys(answer.body)).toEqual(['error', 'code']);
};

const pathOf = (server: RunningServer, key: string): string => {
  const ending = key.slice(-2);
  return join(server.dataDir, 'files', /^[0-9a-f]{2}$/.test(ending) ? ending : 'other', key);
};

describe('a service', () => {
  let server: RunningServer;
  let form: MadeForm;
  beforeAll(async () => {
    server = await start();
    form = await makeForm(server.url);
  });

  it('makes the picture with another codec when one is killed', async () => {
    const photo = await upload(server, form, await solid(7000, 7000).png().toBuffer());
    const pid = server.process.pid ?? 0;
    const answer = photo.ask('f=webp');
    process.kill(await untilChildDecodes(pid), 'SIGKILL');
    expect((await answer).status).toBe(302);
    expect(isAlive(pid)).toBe(true);
    expect((await request(`${server.url}/readyz`)).status).toBe(200);
    expect(await countOf(server, 'crashed')).toBe(1);
    expect(await look(await photo.fetch('f=webp&w=100'))).toMatchObject({ width: 100, height: 100 });
  });

  it('blames a picture that kills the next codec too: no size of it costs a third one', async () => {
    const photo = await upload(server, form, await solid(7000, 7001).png().toBuffer());
    const pid = server.process.pid ?? 0;
    const crashed = await countOf(server, 'crashed');
    // An idle codec looks like a working one, but no image would be blamed for its end.
    for (const resting of childrenOf(pid)) {
      process.kill(resting, 'SIGKILL');
      await untilReaped(resting);
    }
    const answer = photo.ask('f=webp');
    const first = await untilChildDecodes(pid);
    process.kill(first, 'SIGKILL');
    process.kill(await untilChildDecodes(pid, [first]), 'SIGKILL');
    expect((await answer).status).toBe(422);
    for (const width of [10, 11, 12]) expect((await photo.ask(`w=${width}`)).status).toBe(422);
    expect(await countOf(server, 'crashed')).toBe(crashed + 2);
  });

  it('forgets that blame: the picture is tried again after ten minutes', async () => {
    const timed = await startTimeServer(11 * 60_000);
    running.push(timed);
    const photo = await upload(timed, await makeForm(timed.url), await solid(7000, 7000).png().toBuffer());
    const pid = timed.process.pid ?? 0;
    const answer = photo.ask('f=webp');
    const first = await untilChildDecodes(pid);
    process.kill(first, 'SIGKILL');
    process.kill(await untilChildDecodes(pid, [first]), 'SIGKILL');
    expect((await answer).status).toBe(422);
    expect((await photo.ask('w=10')).status).toBe(422);
    await timed.step();
    expect((await photo.ask('w=10')).status).toBe(302);
  });

  it('answers a hundred different wishes at once with pictures or 503, and is well afterwards', async () => {
    const photo = await upload(server, form, await noisyPicture(600, 600).png().toBuffer());
    const widths = Array.from({ length: 100 }, (_, index) => 400 + index);
    const answers = await Promise.all(widths.map((width) => photo.ask(`w=${width}&f=webp`)));
    const refused = answers.filter(({ status }) => status !== 302);
    for (const answer of refused) expectUnavailable(answer);
    expect(answers.length - refused.length).toBeGreaterThan(0);
    expect(await look(await photo.fetch('w=77'))).toMatchObject({ width: 77, height: 77 });
    for (const width of [400, 499]) {
      expect(await look(await photo.fetch(`w=${width}&f=webp`))).toMatchObject({ width, height: width });
    }
  });

  it('makes a picture once that is asked for fifty times at once', async () => {
    const photo = await upload(server, form, await noisyPicture(1500, 1500).png().toBuffer());
    const made = await countOf(server, 'made');
    const answers = await Promise.all(Array.from({ length: 50 }, () => photo.ask('w=1400&f=webp')));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(302));
    expect(await countOf(server, 'made')).toBe(made + 1);
    // Other spellings of the same transformation find it again.
    expect((await photo.ask('w=1400&f=webp&q=80&fit=contain')).status).toBe(302);
    expect(await countOf(server, 'made')).toBe(made + 1);
  });

  it('keeps fifty pictures of a file, however many were asked for, the latest of them', async () => {
    const before = new Set(blobsOnDisk(server.dataDir));
    const photo = await upload(server, form, await quadrantPicture().png().toBuffer());
    const ask = (step: number) => photo.ask(`w=${1 + (step % 60)}&f=${step < 60 ? 'jpeg' : 'webp'}`);
    for (let step = 0; step < 120; step += 1) expect((await ask(step)).status).toBe(302);
    const kept = () => blobsOnDisk(server.dataDir).filter((name) => !before.has(name));
    // Bytes are stored and deleted in the background, so the number may be lower before.
    await until('the latest are stored, and the bytes of the others are gone', () => kept().length === 51);
    const made = await countOf(server, 'made');
    for (let step = 70; step < 120; step += 1) expect((await ask(step)).status).toBe(302);
    expect(await countOf(server, 'made')).toBe(made);
    expect((await ask(0)).status).toBe(302);
    expect(await countOf(server, 'made')).toBe(made + 1);
  });

  it('makes a picture again whose bytes were taken away, also behind a link that is out already', async () => {
    const server = await start();
    const photo = await upload(
      server,
      await makeForm(server.url),
      await noisyPicture(50, 50).png().toBuffer(),
    );
    const uploaded = new Set(blobsOnDisk(server.dataDir));
    const bytes = await photo.fetch('w=30&f=webp');
    const variants = () => blobsOnDisk(server.dataDir).filter((name) => !uploaded.has(name));
    await until('the picture is stored', () => variants().length === 1);
    const [variant = ''] = variants();
    const { headers } = await photo.ask('w=30&f=webp');
    rmSync(pathOf(server, variant));
    const link = headers.get('location') ?? '';
    for (const range of ['bytes=0-9', 'bytes=5-']) {
      const part = await fetch(link, { headers: { range } });
      expect(part.status).toBe(206);
      const [start, end] = range === 'bytes=5-' ? [5, undefined] : [0, 10];
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(start, end));
    }
    // A variant that was just served stays in memory for a moment, bytes included.
    await vi.waitFor(
      async () => {
        expect(await photo.fetch('w=30&f=webp')).toEqual(bytes);
        expect(variants()).toHaveLength(1);
      },
      { timeout: 45_000, interval: 200 },
    );
  });

  it.each([
    ['an empty file', ''],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
  ])('makes no picture of %s that is called a PNG', async (_, text) => {
    const answer = await (await upload(server, form, Buffer.from(text))).ask('w=10');
    expect(answer.status, answer.text).toBe(400);
  });

  it.each([
    ['a PNG that was cut off', async () => (await noisyPicture(50, 50).png().toBuffer()).subarray(0, 3000)],
    ['60,000 x 60,000 pixels', async () => lyingPng(60_000, 60_000)],
  ])('refuses %s for good, without trying each size', async (_, source) => {
    const photo = await upload(server, form, await source());
    const tried = await countOf(server, 'refused');
    for (const width of [10, 11, 12]) {
      const answer = await photo.ask(`w=${width}`);
      expect(answer.status, answer.text).toBe(422);
    }
    expect(await countOf(server, 'refused')).toBe(tried + 1);
  });

  it('has nothing to say about all this in its log but the codec that was killed', () => {
    const said = server
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line): string => JSON.parse(line).msg)
      // A busy machine is unrelated.
      .filter((message) => !message.startsWith('the event loop was blocked'));
    expect(said).toEqual(Array(3).fill(expect.stringMatching(/codec died/)));
    expect(server.output()).not.toMatch(/vips|warning/i);
  });
});

describe('a small IMAGE_CACHE_BYTES', () => {
  it('is kept to: the least recently used go first, and are made again when they are requested', async () => {
    const limit = 400_000;
    const server = await start({ env: { IMAGE_CACHE_BYTES: `${limit}` } });
    const form = await makeForm(server.url);
    const photo = await upload(server, form, await noisyPicture(200, 200).png().toBuffer());
    const uploaded = new Set(blobsOnDisk(server.dataDir));
    // Noise of 100 x 100 and more as PNG: 30 KB and more each, three times the limit in total.
    const queries = Array.from({ length: 36 }, (_, index) => `w=${100 + index}&f=png`);
    const first = await photo.fetch(queries[0] ?? '');
    for (const query of queries) expect((await photo.ask(query)).status).toBe(302);
    const keptBytes = () =>
      blobsOnDisk(server.dataDir)
        .filter((name) => !uploaded.has(name))
        .reduce(
          (sum, name) => sum + (statSync(pathOf(server, name), { throwIfNoEntry: false })?.size ?? 0),
          0,
        );
    // Variants are stored after the response, and trimmed after that: the number may pass this range on its way up.
    let looksInARow = 0;
    await until('the space is filled and kept to', () => {
      const bytes = keptBytes();
      looksInARow = bytes <= limit && bytes > limit / 2 ? looksInARow + 1 : 0;
      return looksInARow === 20;
    });

    const made = await countOf(server, 'made');
    for (const query of queries.slice(-5)) expect((await photo.ask(query)).status).toBe(302);
    expect(await countOf(server, 'made')).toBe(made);
    expect(await photo.fetch(queries[0] ?? '')).toEqual(first);
    expect(await countOf(server, 'made')).toBeGreaterThan(made);
  });

  it('may be nothing at all: every picture is made and handed out', async () => {
    const server = await start({ env: { IMAGE_CACHE_BYTES: '0' } });
    const photo = await upload(server, await makeForm(server.url), await quadrantPicture().png().toBuffer());
    const uploaded = blobsOnDisk(server.dataDir).length;
    for (const width of [10, 11, 10]) {
      expect(await look(await photo.fetch(`w=${width}`))).toMatchObject({ width });
    }
    await until('nothing is kept', () => blobsOnDisk(server.dataDir).length === uploaded);
  });
});

it('a restart keeps the pictures, and a killed service leaves no codec behind', async () => {
  const server = await start();
  const photo = await upload(server, await makeForm(server.url), await noisyPicture(80, 80).png().toBuffer());
  const bytes = await photo.fetch('w=40&f=webp');
  const codecs = childrenOf(server.process.pid ?? 0);
  expect(codecs.length).toBeGreaterThan(0);
  // A small variant is served while it is being stored.
  await until('the picture is kept', () => blobsOnDisk(server.dataDir).length === 2);
  await expect
    .poll(async () => {
      await photo.fetch('w=40&f=webp');
      return countOf(server, 'kept');
    })
    .toBeGreaterThan(0);
  await server.end('SIGKILL');
  await until('its codecs are gone', () => codecs.every((codec) => !isAlive(codec)));

  const again = await start({ dataDir: server.dataDir });
  expect(await photoOn(again, photo.id).fetch('w=40&f=webp')).toEqual(bytes);
  expect(await countOf(again, 'made')).toBe(0);
  expect(await countOf(again, 'kept')).toBeGreaterThan(0);
  expect(childrenOf(again.process.pid ?? 0)).toEqual([]);
  expect(await again.end('SIGTERM')).toBe(0);
});

it('a stop in the middle of a picture ends in time and leaves no codec behind', async () => {
  const server = await start();
  const photo = await upload(server, await makeForm(server.url), await solid(7000, 7000).png().toBuffer());
  const answer = photo.ask('f=webp').then(
    ({ status }) => status,
    () => 'cut off',
  );
  const pid = server.process.pid ?? 0;
  const codecs = await until('a codec is there', () => childrenOf(pid).length > 0 && childrenOf(pid));
  expect(await server.end('SIGTERM')).toBe(0);
  expect([302, 503, 'cut off']).toContain(await answer);
  await until('its codecs are gone', () => codecs.every((codec) => !isAlive(codec)));
});
