/** Links to share: POST /api/v1/files/{id}/signed-url. They cannot be altered. Decisions 3 and 7. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, request } from '../../support/client.js';
import { startTimeServer } from '../../support/clock.js';
import {
  expectDeleted,
  expectFaults,
  expectFields,
  expectProblem,
  instant,
  unknownId,
} from '../../support/contract.js';
import { fetchBytes, type SentFile, sendFile, tokenIn } from '../../support/files.js';
import { picture } from '../../support/pictures.js';
import { type RunningServer, startServer } from '../../support/server.js';

const denied = 'Access denied to this file';
const day = 24 * 60 * 60 * 1000;

let server: RunningServer;
let api: Client;
let image: SentFile;
let text: SentFile;

beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  const png = await picture('png', 64, 48);
  image = await sendFile(server.url, { filename: 'photo.png', type: 'image/png', content: png });
  text = await sendFile(server.url, { content: 'to be shared' });
});
afterAll(() => server.dispose());

const mint = (file: SentFile, body?: unknown) => api.post(`${file.path}/signed-url`, body);

const linkTo = async (file: SentFile, body: unknown): Promise<string> => {
  const answer = await mint(file, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.url;
};

/** Follows a link like anyone who has it: without a key, and along redirects. */
const follow = async (url: string) => {
  const answer = await fetch(url);
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
};

const sizeBehind = async (url: string) => {
  const { status, bytes } = await follow(url);
  expect(status).toBe(200);
  const { format, width, height } = await sharp(bytes).metadata();
  return { format, width, height };
};

describe('the answer', () => {
  it('has a link on BASE_URL and its end, and nothing else', async () => {
    const answer = await mint(text, { expires_in: 60 });
    expect(answer.status).toBe(200);
    expectFields(answer.body, ['url', 'expires_at']);
    expect(answer.body.expires_at).toMatch(instant);
    expect(answer.body.url).toMatch(
      new RegExp(`^${server.url}/api/v1/files/${text.id}/download\\?token=[\\w.-]+$`),
    );
  });

  it.each([
    ['as long as was asked for', { expires_in: 60 }, 60_000],
    ['a second', { expires_in: 1 }, 1000],
    ['thirty days', { expires_in: 2_592_000 }, 30 * day],
    ['FILE_TOKEN_TTL, when nothing was asked for', {}, day],
  ])('lives %s', async (_, body, lifeMs) => {
    const before = Date.now();
    const expiresAt = Date.parse((await mint(text, body)).body.expires_at);
    expect(expiresAt).toBeGreaterThanOrEqual(before + lifeMs);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + lifeMs);
  });

  it.each([0, -1, 2_592_001, 1.5, '60', null, true, [60], 1e300])('refuses a life of %j', async (life) => {
    expectFaults(await mint(text, { expires_in: life }), ['expires_in']);
  });

  it('names every fault', async () => {
    expectFaults(await mint(image, { expires_in: 0, width: 5, w: 0, q: 101, fit: 'inside', f: 'gif' }), [
      'expires_in',
      'width',
      'w',
      'q',
      'fit',
      'f',
    ]);
    expectFaults(
      await mint(image, { transformation: { w: '5', h: 4097, fit: null, q: 1.5, f: 'PNG', x: 1 } }),
      [
        'transformation.w',
        'transformation.h',
        'transformation.fit',
        'transformation.q',
        'transformation.f',
        'transformation.x',
      ],
    );
  });

  it.each([[[]], ['w=5'], [null], [5]])('refuses a transformation that is %j', async (transformation) => {
    expectFaults(await mint(image, { transformation }), ['transformation']);
  });

  it('refuses a transformation given twice', async () => {
    expectFaults(await mint(image, { transformation: { w: 5 }, w: 5 }), ['transformation']);
    expectFaults(await mint(image, { transformation: { w: 5 }, f: 'webp' }), ['transformation']);
  });

  it('needs no body: everything in it has a default', async () => {
    const answer = await mint(text);
    expect(answer.status, answer.text).toBe(200);
    expect((await follow(answer.body.url)).bytes.toString()).toBe('to be shared');
  });

  it.each([[[]], ['x'], [5]])('refuses a body that is %j', async (body) => {
    expectFaults(await mint(text, body), ['']);
  });
});

describe('a link to the file as it is', () => {
  it('opens it without a key, as often as it is followed', async () => {
    const url = await linkTo(text, { expires_in: 60 });
    for (let time = 0; time < 3; time += 1) {
      expect((await follow(url)).bytes.toString()).toBe('to be shared');
    }
  });

  it('opens no other file', async () => {
    const url = await linkTo(text, {});
    expectProblem(await request(url.replace(text.id, image.id)), 403, denied);
  });

  it('changes nothing: it neither deletes nor makes links', async () => {
    const token = tokenIn(await linkTo(text, {}));
    for (const [method, leg] of [
      ['DELETE', ''],
      ['POST', '/signed-url'],
    ]) {
      const answer = await request(`${server.url}${text.path}${leg}?token=${token}`, {
        method: method ?? '',
      });
      expectProblem(answer, 401, 'Invalid API key');
    }
    expect((await api.get(text.path)).status).toBe(200);
  });
});

describe('a link to a picture', () => {
  it.each([
    ['nested', { transformation: { w: 20, f: 'webp' } }, { format: 'webp', width: 20, height: 15 }],
    ['flat', { w: 20, f: 'webp' }, { format: 'webp', width: 20, height: 15 }],
    [
      'with everything',
      { transformation: { w: 30, h: 30, fit: 'fill', q: 1, f: 'jpeg' } },
      { format: 'jpeg', width: 30, height: 30 },
    ],
    ['of the quality alone', { q: 5, f: 'jpeg' }, { format: 'jpeg', width: 64, height: 48 }],
    ['of the fit alone', { fit: 'contain' }, { format: 'png', width: 64, height: 48 }],
  ])('%s gives this picture', async (_, body, wanted) => {
    expect(await sizeBehind(await linkTo(image, body))).toEqual(wanted);
  });

  const changes: readonly (readonly [string, (url: URL) => void])[] = [
    ['another width', (url) => url.searchParams.set('w', '21')],
    ['a larger width', (url) => url.searchParams.set('w', '4096')],
    ['no width', (url) => url.searchParams.delete('w')],
    ['a height beside it', (url) => url.searchParams.set('h', '10')],
    ['another format', (url) => url.searchParams.set('f', 'png')],
    ['no format', (url) => url.searchParams.delete('f')],
    ['another quality', (url) => url.searchParams.set('q', '100')],
    ['another fit', (url) => url.searchParams.set('fit', 'fill')],
    [
      'the file as it is',
      (url) => {
        for (const name of ['w', 'h', 'fit', 'q', 'f']) url.searchParams.delete(name);
      },
    ],
    [
      'width and height exchanged',
      (url) => {
        url.searchParams.delete('w');
        url.searchParams.set('h', '20');
      },
    ],
  ];

  it.each(changes)('cannot be changed to %s', async (_, change) => {
    const url = new URL(await linkTo(image, { w: 20, f: 'webp' }));
    change(url);
    expectProblem(await request(url.href), 403, denied);
  });

  it.each(changes)('does not become %s on its second leg either', async (_, change) => {
    const url = new URL(
      (await request(await linkTo(image, { w: 20, f: 'webp' }))).headers.get('location') ?? '',
    );
    change(url);
    expectProblem(await request(url.href), 403, denied);
  });

  it.each([
    ['a width twice', '&w=20'],
    ['another width behind it', '&w=21'],
    ['an unknown parameter', '&dpr=2'],
    ['a width that is none', '&h=x'],
  ])('cannot be given %s', async (_, more) => {
    const url = await linkTo(image, { w: 20, f: 'webp' });
    expect((await request(`${url}${more}`)).status).toBe(400);
  });

  it('does not open the metadata', async () => {
    const token = tokenIn(await linkTo(image, { w: 20 }));
    expectProblem(await request(`${server.url}${image.path}?token=${token}`), 403, denied);
    expectProblem(await request(`${server.url}${image.path}?token=${token}&w=20`), 403, denied);
  });

  it('does not open the content leg by itself', async () => {
    const url = await linkTo(image, { w: 20 });
    expectProblem(await request(url.replace('/download?', '/content?')), 403, denied);
  });

  it('opens by the order of parameters that a client chooses', async () => {
    const url = new URL(await linkTo(image, { w: 20, h: 10, f: 'webp' }));
    const reversed = [...url.searchParams].reverse();
    url.search = new URLSearchParams(reversed).toString();
    expect(await sizeBehind(url.href)).toEqual({ format: 'webp', width: 20, height: 10 });
  });

  it('is made for no file that is no image', async () => {
    expect((await mint(text, { w: 5 })).status).toBe(400);
    expect((await mint(text, { transformation: { f: 'png' } })).status).toBe(400);
  });
});

describe('who may make one', () => {
  const path = () => `${image.path}/signed-url`;

  it('nobody without a key, nor by a token', async () => {
    const nobody = client(server.url, null);
    expectProblem(await nobody.post(path(), {}), 401, 'Invalid API key');
    expectProblem(await nobody.post(`${path()}?token=${image.token}`, {}), 401, 'Invalid API key');
    expectProblem(await nobody.post(path(), { expires_in: 0 }), 401, 'Invalid API key');
  });

  it('no key that may only read', async () => {
    const { api_key: key } = (await api.post('/api/v1/api-keys', { name: 'R', scope: 'read' })).body;
    expectProblem(await client(server.url, key).post(path(), {}), 403, 'This API key is read-only');
  });

  it('no other account', async () => {
    const outsider = client(server.url, (await makeAccount(server, 'business')).api_key);
    expectProblem(await outsider.post(path(), {}), 403, denied);
    expectProblem(await outsider.post(path(), { w: 5 }), 403, denied);
  });

  it('not for what never was or is no more', async () => {
    for (const id of [unknownId, 'no-uuid']) {
      expectProblem(await api.post(`/api/v1/files/${id}/signed-url`, {}), 404, 'File not found');
    }
    const doomed = await sendFile(server.url, { content: 'x' });
    const link = await linkTo(doomed, {});
    expectDeleted(await api.delete(doomed.path));
    expectProblem(await mint(doomed, {}), 410, 'File has been deleted');
    expectProblem(await request(link), 410, 'File has been deleted');
  });

  it('pictures only by a plan that has them, the file as it is by every plan', async () => {
    const pro = await makeAccount(server, 'pro');
    const png = await picture('png', 8, 8);
    const own = await sendFile(
      server.url,
      { filename: 'a.png', type: 'image/png', content: png },
      pro.api_key,
    );
    const owner = client(server.url, pro.api_key);
    for (const body of [{ w: 5 }, { transformation: { f: 'webp' } }]) {
      expectProblem(
        await owner.post(`${own.path}/signed-url`, body),
        402,
        'Image transformation requires a Business or Enterprise plan',
        { upgrade_url: `${server.url}/dashboard/plan` },
      );
    }
    const { body } = await owner.post(`${own.path}/signed-url`, { expires_in: 60 });
    expect((await follow(body.url)).bytes.equals(png)).toBe(true);
    expect((await request(`${body.url}&w=5`)).status).toBe(402);
  });
});

it('ends when it says, whatever FILE_TOKEN_TTL says', async () => {
  const ticking = await startTimeServer(60_000, { env: { FILE_TOKEN_TTL: '30s' } });
  try {
    const png = await picture('png', 8, 8);
    const file = await sendFile(ticking.url, { filename: 'a.png', type: 'image/png', content: png });
    const link = async (body: unknown): Promise<string> =>
      (await client(ticking.url).post(`${file.path}/signed-url`, body)).body.url;
    const links = {
      default: await link({}),
      short: await link({ expires_in: 60 }),
      picture: await link({ expires_in: 60, w: 4 }),
      long: await link({ expires_in: 90 }),
    };
    for (const url of Object.values(links)) expect((await request(url)).status).toBe(302);
    await ticking.step();
    for (const url of [links.default, links.short, links.picture]) {
      expectProblem(await request(url), 403, denied);
    }
    const answer = await request(links.long);
    expect(answer.status).toBe(302);
    const bytes = await fetchBytes(answer.headers.get('location') ?? '');
    expect(bytes.bytes.equals(png)).toBe(true);
    await ticking.step();
    expectProblem(await request(links.long), 403, denied);
  } finally {
    await ticking.dispose();
  }
});

it('is written to no log, nor are the tokens in it', async () => {
  const talkative = await startServer({ env: { LOG_LEVEL: 'trace' } });
  try {
    const png = await picture('png', 8, 8);
    const file = await sendFile(talkative.url, { filename: 'a.png', type: 'image/png', content: png });
    const broken = await sendFile(talkative.url, {
      filename: 'b.png',
      type: 'image/png',
      content: png.slice(0, -30),
    });
    const tokens = [file.token, broken.token];
    for (const body of [{}, { w: 4 }]) {
      const { url } = (await client(talkative.url).post(`${file.path}/signed-url`, body)).body;
      const location = (await request(url)).headers.get('location') ?? '';
      expect((await request(location)).status).toBe(200);
      expect((await request(`${location}&w=x`)).status).toBe(400);
      expect((await request(`${url}&h=9`)).status).not.toBe(500);
      tokens.push(tokenIn(url), tokenIn(location));
    }
    expect((await request(`${broken.downloadUrl}&w=4`)).status).toBe(422);
    await talkative.end();
    const output = talkative.output();
    expect(output).toContain(`/api/v1/files/${file.id}/content`);
    for (const token of tokens) {
      expect(token.length).toBeGreaterThan(40);
      expect(output.includes(token)).toBe(false);
      expect(output.includes(token.split('.')[1] ?? token)).toBe(false);
    }
  } finally {
    await talkative.dispose();
  }
});

it('outlives a restart', async () => {
  const first = await startServer();
  const file = await sendFile(first.url, { content: 'still there' });
  const { url } = (await client(first.url).post(`${file.path}/signed-url`, { expires_in: 600 })).body;
  await first.end();
  const second = await startServer({ dataDir: first.dataDir, port: first.port });
  try {
    expect((await follow(url)).bytes.toString()).toBe('still there');
  } finally {
    await second.dispose();
  }
});
