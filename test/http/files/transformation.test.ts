/** Images in any size and format on download: interface 4.2, decisions 7. What the codec does is covered in test/contracts. */
import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { inletJson } from '../../support/cli.js';
import { type Client, client, makeForm, request, submitJson } from '../../support/client.js';
import { expectFaults, expectProblem } from '../../support/contract.js';
import { contentUrl, fetchBytes, problemIn, type SentFile, sendFile, tokenIn } from '../../support/files.js';
import { keptFiles, waitUntil } from '../../support/kept.js';
import {
  animatedPng,
  asBytes,
  type Bytes,
  blackPng,
  gifOfFrames,
  hugeHeaders,
  type PictureFormat,
  photoWithPlace,
  picture,
  pngSignature,
} from '../../support/pictures.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { hurriedUpkeep } from '../../support/upkeep.js';

const denied = 'Access denied to this file';
const needsPlan = 'Image transformation requires a Business or Enterprise plan';

let server: RunningServer;
let api: Client;
let image: SentFile;

const setPlan = (on: RunningServer, accountId: string, plan: string) =>
  inletJson(['accounts', 'set-plan', accountId, '--plan', plan], { dataDir: on.dataDir });

const send = (content: Bytes | string, filename = 'photo.png', type = 'image/png', key?: string) =>
  sendFile(server.url, { filename, type, content }, key);

beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
  image = await send(await picture('png', 400, 300));
});
afterAll(() => server.dispose());

const ask = (file: SentFile, query: string) => api.get(`${file.path}/download?${query}`);

const fetchPicture = async (file: SentFile, query: string) => {
  const answer = await ask(file, query);
  expect(answer.status, answer.text).toBe(302);
  return fetchBytes(answer.headers.get('location') ?? '');
};

/** Decodes the whole image, so that a good header with bad pixels is noticed. */
const decoded = async (file: SentFile, query: string) => {
  const { status, headers, bytes } = await fetchPicture(file, query);
  expect(status).toBe(200);
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  expect(data.length).toBe(info.width * info.height * info.channels);
  const { format } = await sharp(bytes).metadata();
  expect(headers['content-type']).toBe(`image/${format}`);
  return `${format} ${info.width}x${info.height}`;
};

describe('the size', () => {
  it.each([
    ['w=200', 'png 200x150'],
    ['h=100', 'png 133x100'],
    ['w=1', 'png 1x1'],
    ['h=1', 'png 1x1'],
    ['w=1&h=1', 'png 1x1'],
    ['w=4096', 'png 400x300'],
    ['h=4096', 'png 400x300'],
    ['w=100&h=100', 'png 100x100'],
    ['w=100&h=100&fit=cover', 'png 100x100'],
    ['w=100&h=100&fit=contain', 'png 100x75'],
    ['w=100&h=100&fit=fill', 'png 100x100'],
    ['w=4096&h=1&fit=fill', 'png 4096x1'],
    ['w=1&h=4096&fit=fill', 'png 1x4096'],
    ['w=800&fit=fill', 'png 800x600'],
    ['w=800&h=600&fit=contain', 'png 400x300'],
    // The requested shape, as large as the source allows.
    ['w=800&h=800', 'png 300x300'],
    ['w=4096&h=4096&fit=cover', 'png 300x300'],
    ['fit=cover', 'png 400x300'],
    ['q=1', 'png 400x300'],
    ['q=100&f=jpeg&w=40', 'jpeg 40x30'],
  ])('%s gives %s', async (query, wanted) => {
    expect(await decoded(image, query)).toBe(wanted);
  });
});

describe('the format', () => {
  it.each<[PictureFormat, string]>([
    ['png', 'png'],
    ['jpeg', 'jpeg'],
    ['webp', 'webp'],
    ['gif', 'png'],
    ['avif', 'png'],
  ])('of a %s is %s unless another is asked for', async (source, wanted) => {
    const file = await send(await picture(source, 40, 30), `x.${source}`, `image/${source}`);
    expect(await decoded(file, 'w=20')).toBe(`${wanted} 20x15`);
    for (const format of ['webp', 'jpeg', 'png']) {
      expect(await decoded(file, `f=${format}`)).toBe(`${format} 40x30`);
    }
  });

  it('is that of the bytes, whatever the client said', async () => {
    const file = await send(await picture('jpeg', 40, 30), 'liar.png', 'image/png');
    expect(await decoded(file, 'w=20')).toBe('jpeg 20x15');
  });

  it('of an animated PNG is that of its first picture', async () => {
    const file = await send(animatedPng(await picture('png', 40, 30)), 'a.png');
    expect(await decoded(file, 'w=20')).toBe('png 20x15');
  });

  it('of thousands of frames is that of the first', async () => {
    const file = await send(gifOfFrames(await picture('gif', 16, 12), 5000), 'a.gif', 'image/gif');
    expect(await decoded(file, 'w=8')).toBe('png 8x6');
    expect(await decoded(file, 'f=webp')).toBe('webp 16x12');
  });

  it('takes the quality into account, where it has one', async () => {
    const length = async (query: string) => (await fetchPicture(image, query)).bytes.length;
    for (const format of ['jpeg', 'webp']) {
      expect(await length(`f=${format}&q=5`)).toBeLessThan(await length(`f=${format}&q=80`));
      expect(await length(`f=${format}`)).toBe(await length(`f=${format}&q=80`));
      expect(await length(`f=${format}&q=80`)).toBeLessThan(await length(`f=${format}&q=100`));
    }
    expect(await length('f=png&q=5')).toBe(await length('f=png&q=100'));
  });
});

describe('a wrong value', () => {
  const noNumber = ['0', '-1', '1.5', '1e2', '0x10', '%2B5', '%205', '5%20', '', 'ten', 'NaN', 'Infinity'];
  const noSide = [...noNumber, '4097', '04', '99999999999999999999', '٥', '5,6', '5px', 'null', '%00'];
  it.each([
    ...noSide.flatMap((value) => [`w=${value}`, `h=${value}`]),
    ...[...noNumber, '101', '080', '80%25'].map((value) => `q=${value}`),
    ...['', 'Cover', 'inside', 'outside', 'cover,fill', '0'].map((value) => `fit=${value}`),
    ...['', 'WEBP', 'jpg', 'gif', 'avif', 'svg', 'tiff', 'image/png', 'raw'].map((value) => `f=${value}`),
    'w=5&w=5',
    'w=5&w=6',
    'h=5&h=',
    'f=png&f=webp',
    'fit=cover&fit=fill',
    'q=1&q=2&q=3',
  ])('%s is refused by its name', async (query) => {
    expectFaults(await ask(image, query), [query.split('=', 1).join('')]);
    const byToken = await request(`${image.downloadUrl}&${query}`);
    expectFaults(byToken, [query.split('=', 1).join('')]);
  });

  it.each([
    ['w[]=5', 'w[]'],
    ['w%5B%5D=5', 'w[]'],
    ['w[0]=5', 'w[0]'],
    ['W=5', 'W'],
    ['width=5', 'width'],
    ['dpr=2', 'dpr'],
    ['%77x=5', 'wx'],
    ['__proto__=5', '__proto__'],
    ['constructor=5', 'constructor'],
    ['w%00=5', 'w\0'],
    ['=5', ''],
  ])('%s is no parameter', async (query, name) => {
    const answer = await ask(image, query);
    expectFaults(answer, [name]);
    expect(answer.body.details).toHaveLength(1);
  });

  it('is named with all others', async () => {
    expectFaults(await ask(image, 'w=0&h=4097&q=101&f=gif&fit=inside&x=1'), ['w', 'h', 'q', 'f', 'fit', 'x']);
  });

  it('is wrong for what is no image too, and after the question who asks', async () => {
    const text = await sendFile(server.url, { content: 'words' });
    expectFaults(await ask(text, 'w=0'), ['w']);
    expectProblem(await client(server.url, null).get(`${image.path}/download?w=0`), 401, 'Invalid API key');
  });
});

describe('what is no image', () => {
  const html = '<!doctype html><img src=x onerror=alert(1)>';
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  it.each([
    ['a PDF', 'a.pdf', 'application/pdf', '%PDF-1.4\n1 0 obj\n<<>>\nendobj\n'],
    ['text', 'a.txt', 'text/plain', 'plain words'],
    ['text dressed as PNG', 'a.png', 'image/png', 'plain words'],
    ['HTML', 'a.html', 'text/html', html],
    ['HTML dressed as PNG', 'a.png', 'image/png', html],
    ['SVG', 'a.svg', 'image/svg+xml', svg],
    ['SVG dressed as PNG', 'a.png', 'image/png', svg],
    ['SVG with a prologue dressed as JPEG', 'a.jpg', 'image/jpeg', `<?xml version="1.0"?>${svg}`],
    ['an empty file', 'a.png', 'image/png', ''],
    ['TIFF', 'a.tiff', 'image/tiff', asBytes(Buffer.from('49492a000800000000000000', 'hex'))],
    ['BMP', 'a.bmp', 'image/bmp', asBytes(Buffer.from(`424d${'00'.repeat(60)}`, 'hex'))],
    [
      'PSD',
      'a.psd',
      'image/vnd.adobe.photoshop',
      asBytes(Buffer.from(`384250530001${'00'.repeat(40)}`, 'hex')),
    ],
  ])('is not transformed: %s', async (_, filename, type, content) => {
    const file = await send(content, filename, type);
    const message = 'Only PNG, JPEG, WebP, GIF and AVIF images can be transformed';
    for (const query of ['w=10', 'f=png', 'fit=cover']) {
      expectProblem(await ask(file, query), 400, 'Invalid request body', {
        details: [{ path: '', message }],
      });
    }
    expect((await ask(file, '')).status).toBe(302);
  });
});

describe('a broken image', () => {
  const afterSignature = (text: string) => asBytes(Buffer.concat([pngSignature, Buffer.from(text)]));
  /** What the sniffer expects of a PNG, and then something else. */
  const afterHeader = (text: string) =>
    asBytes(Buffer.concat([blackPng(9, 9).subarray(0, 33), Buffer.from(text)]));
  const cut = async (format: PictureFormat, share: number) => {
    const whole = await picture(format, 300, 200);
    return whole.subarray(0, Math.floor(whole.length * share));
  };
  const cases: readonly (readonly [string, () => Promise<Bytes> | Bytes])[] = [
    ['a PNG cut in half', () => cut('png', 0.5)],
    ['a PNG cut near its end', () => cut('png', 0.95)],
    ['a JPEG cut in half', () => cut('jpeg', 0.5)],
    ['a WebP cut in half', () => cut('webp', 0.5)],
    ['a GIF cut in half', () => cut('gif', 0.5)],
    ['an AVIF cut in half', () => cut('avif', 0.5)],
    ['SVG behind the signature of a PNG', () => afterHeader('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a PNG of no width', () => blackPng(0, 9)],
    ['a PNG without pixels', () => blackPng(100, 100, 1)],
    [
      'a PNG with wrong sums',
      async () => {
        const png = await picture('png', 30, 20);
        const middle = Math.floor(png.length / 2);
        png[middle] = (png[middle] ?? 0) ^ 0xff;
        return png;
      },
    ],
    ['a GIF without frames', () => asBytes(Buffer.from('474946383961050005000000003b', 'hex'))],
  ];

  it.each(cases)('is told from a good one: %s', async (_, make) => {
    const file = await send(await make(), 'x', 'application/octet-stream');
    // Further requests, in other sizes, cause no new attempt and get the same response.
    for (const query of ['w=10', 'w=10', 'f=webp', 'h=7&f=jpeg']) {
      expectProblem(await ask(file, query), 422, 'The image is broken');
    }
    expectProblem(await request(`${file.downloadUrl}&w=10`), 422, 'The image is broken');
    expect((await fetchBytes(await contentUrl(file))).status).toBe(200);
  });

  it('may be no image at all to the sniffer, and is then said to be none', async () => {
    const file = await send(afterSignature('junk'), 'x.png');
    expect([400, 422]).toContain((await ask(file, 'w=10')).status);
  });

  it('harms nobody: good ones are made meanwhile', async () => {
    const broken = await send(await cut('png', 0.4));
    const good = await send(await picture('png', 50, 40));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => ask(i % 2 === 0 ? broken : good, `w=${i + 1}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 2 === 0 ? 422 : 302)));
  });
});

describe('an image of too many pixels', () => {
  const tooMany = ['The image has too many pixels', { limit_pixels: 50_000_000 }] as const;

  it.each(Object.entries(hugeHeaders))('is refused by its header: %s of 60,000 x 60,000', async (_, make) => {
    const file = await send(await make(), 'x', 'application/octet-stream');
    expectProblem(await ask(file, 'w=10'), 422, ...tooMany);
    expectProblem(await ask(file, 'w=10'), 422, ...tooMany);
    expectProblem(await ask(file, 'f=webp'), 422, ...tooMany);
    expect((await ask(file, '')).status).toBe(302);
  });

  it('begins with the first one above 50,000,000', async () => {
    expectProblem(await ask(await send(blackPng(10_000, 5_001)), 'w=10'), 422, ...tooMany);
    expect(await decoded(await send(blackPng(10_000, 5_000)), 'w=10')).toBe('png 10x5');
  });

  it('is not what is given out either: no side is longer than 4096', async () => {
    const file = await send(blackPng(9_000, 90));
    expect(await decoded(file, 'f=png')).toBe('png 4096x41');
    expect(await decoded(file, 'w=4096&fit=fill')).toBe('png 4096x41');
  });
});

describe('the plan', () => {
  const upgrade = { upgrade_url: 'https://example.com/upgrade?from=inlet' };

  it.each(['starter', 'pro'] as const)('%s: 402, to the owner and to everybody with a link', async (plan) => {
    const own = await startServer({ env: { UPGRADE_URL: upgrade.upgrade_url } });
    try {
      // Uploads need a plan, too, so the account starts with one that has them and is downgraded.
      const account = await makeAccount(own, 'business');
      const png = await picture('png', 40, 30);
      const file = await sendFile(
        own.url,
        { filename: 'a.png', type: 'image/png', content: png },
        account.api_key,
      );
      const owner = client(own.url, account.api_key);
      const bound = (await owner.post(`${file.path}/signed-url`, { w: 20 })).body.url;
      expect((await owner.get(`${file.path}/download?w=20`)).status).toBe(302);
      expect((await request(bound)).status).toBe(302);
      await setPlan(own, account.id, plan);
      for (const query of ['w=20', 'w=21', 'f=webp', 'q=5']) {
        expectProblem(await owner.get(`${file.path}/download?${query}`), 402, needsPlan, upgrade);
        expectProblem(await request(`${file.downloadUrl}&${query}`), 402, needsPlan, upgrade);
      }
      expectProblem(await request(bound), 402, needsPlan, upgrade);
      const plain = await fetchBytes(await contentUrl(file));
      expect(plain.bytes.equals(png)).toBe(true);
      await setPlan(own, account.id, 'enterprise');
      expect((await request(bound)).status).toBe(302);
    } finally {
      await own.dispose();
    }
  });

  it("is the owner's, not the caller's: a key of a higher plan does not open the file", async () => {
    const pro = await makeAccount(server, 'pro');
    const file = await send(await picture('png', 40, 30), 'a.png', 'image/png', pro.api_key);
    expectProblem(await ask(file, 'w=5'), 403, denied);
    expectProblem(await request(`${file.downloadUrl}&w=5`), 402, needsPlan, {
      upgrade_url: `${server.url}/dashboard/plan`,
    });
  });
});

describe('by tokens', () => {
  it('the token of download_url is good for every picture', async () => {
    const answer = await fetchBytes(await contentUrl(image, '&w=40&f=webp'));
    expect(answer.headers['content-type']).toBe('image/webp');
    expect((await sharp(answer.bytes).metadata()).width).toBe(40);
  });

  it('the token of the content is good for its own picture only', async () => {
    const url = await contentUrl(image, '&w=40&f=webp');
    const plain = await contentUrl(image);
    for (const changed of [
      url.replace('w=40', 'w=41'),
      url.replace('&w=40', ''),
      url.replace('f=webp', 'f=png'),
      url.replace(/&.*/, ''),
      `${url}&h=9`,
      `${plain}&w=40&f=webp`,
      `${plain}&w=40`,
    ]) {
      expectProblem(await request(changed), 403, denied);
    }
    const other = await send(await picture('png', 40, 30));
    expectProblem(await request(url.replace(image.id, other.id)), 403, denied);
    expectProblem(
      await request(`${image.downloadUrl.replace(image.token, tokenIn(url))}&w=40&f=webp`),
      403,
      denied,
    );
  });

  it('a forged one learns nothing about the file', async () => {
    const text = await sendFile(server.url, { content: 'words' });
    for (const { path } of [text, image]) {
      expectProblem(await request(`${server.url}${path}/download?token=x&w=5`), 403, denied);
      expectProblem(await request(`${server.url}${path}/content?token=x&w=5`), 403, denied);
    }
  });
});

describe('the picture that is handed out', () => {
  it('has the headers of a file, may be shown by other sites, and is saved under its new ending', async () => {
    const answer = await fetchPicture(image, 'w=40&f=webp');
    const { date, connection, 'keep-alive': _, 'last-modified': modified, ...headers } = answer.headers;
    expect(headers).toEqual({
      'content-type': 'image/webp',
      'content-disposition': `attachment; filename="photo.webp"; filename*=UTF-8''photo.webp`,
      'content-length': String(answer.bytes.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'private, no-store',
      'accept-ranges': 'bytes',
      etag: `"${createHash('sha256').update(answer.bytes).digest('hex')}"`,
      'x-request-id': expect.stringMatching(/^[\w.-]+$/),
    });
    expect(Date.parse(String(modified))).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['IMG.0001.JPEG', 'f=png', 'IMG.0001.png'],
    ['photo', 'f=jpeg', 'photo.jpg'],
    ['.png', 'f=webp', 'image.webp'],
    ['a.html', 'f=png', 'a.png'],
    ['a.b c', 'f=png', 'a.b c.png'],
  ])('%s asked for by %s is %s', async (filename, query, wanted) => {
    const file = await send(await picture('png', 4, 3), filename);
    const { headers } = await fetchPicture(file, query);
    expect(headers['content-disposition']).toContain(`filename="${wanted}"`);
  });

  it('does not tell where it was taken, nor by what', async () => {
    const photo = await photoWithPlace(60, 40);
    expect(Buffer.from(photo).includes('Spyglass')).toBe(true);
    const file = await send(photo, 'p.jpg', 'image/jpeg');
    for (const query of ['w=30', 'f=png', 'f=webp', 'f=jpeg&q=100']) {
      const { bytes } = await fetchPicture(file, query);
      const { exif, xmp, iptc } = await sharp(bytes).metadata();
      expect({ exif, xmp, iptc }).toEqual({});
      for (const trace of ['Exif', 'eXIf', 'EXIF', 'Spyglass', 'Mark IV']) {
        expect(bytes.includes(trace), `${query}: ${trace}`).toBe(false);
      }
    }
    const { bytes } = await fetchBytes(await contentUrl(file));
    expect(bytes.equals(photo)).toBe(true);
  });

  it('comes in parts and on conditions like a file', async () => {
    const url = await contentUrl(image, '&w=200&f=webp');
    const whole = await fetchBytes(url);
    const etag = String(whole.headers.etag);
    const size = whole.bytes.length;
    const part = await fetchBytes(url, { range: 'bytes=10-99', 'if-range': etag });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 10-99/${size}`]);
    expect(part.bytes.equals(whole.bytes.subarray(10, 100))).toBe(true);
    const outside = await fetchBytes(url, { range: `bytes=${size}-` });
    expect(problemIn(outside)).toEqual({
      status: 416,
      error: 'The file has no such range',
      code: 'range_not_satisfiable',
      file_size_bytes: size,
    });
    expect((await fetchBytes(url, { 'if-none-match': etag })).status).toBe(304);
    expect((await fetchBytes(url, { 'if-match': '"another"' })).status).toBe(412);
    const head = await fetchBytes(url, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(size), 0]);
  });

  it('has another tag than its source and than other pictures, and keeps its own', async () => {
    const tag = async (query: string) =>
      (await fetchBytes(await contentUrl(image, query), {}, 'HEAD')).headers.etag;
    const tags = [await tag(''), await tag('&w=50'), await tag('&w=51'), await tag('&w=50&f=webp')];
    expect(new Set(tags).size).toBe(4);
    expect(await tag('&w=50')).toBe(tags[1]);
    const { 'last-modified': once } = (await fetchPicture(image, 'w=50')).headers;
    expect((await fetchPicture(image, 'w=50')).headers['last-modified']).toBe(once);
  });
});

it('asked for two hundred times at once: excess requests get a time to retry, and everything else works', async () => {
  const file = await send(await picture('png', 1200, 900));
  const form = await makeForm(server.url);
  const asked = Array.from({ length: 200 }, (_, i) => request(`${file.downloadUrl}&w=${500 + i}&f=webp`));
  const submitted = await Promise.all(
    Array.from({ length: 20 }, (_, i) => submitJson(form.endpoint, { number: i })),
  );
  expect(new Set(submitted.map(({ status }) => status))).toEqual(new Set([200]));
  const answers = await Promise.all(asked);
  const busy = answers.filter(({ status }) => status === 503);
  expect(busy.length).toBeGreaterThan(0);
  for (const answer of busy) {
    expectProblem(answer, 503, 'The service is busy. Please try again later.');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(answers.filter(({ status }) => status === 302)).toHaveLength(200 - busy.length);
  expect(busy.length).toBeLessThan(200);
  // A refusal for lack of capacity is not recorded against the image.
  const again = answers.findIndex(({ status }) => status === 503);
  expect((await request(`${file.downloadUrl}&w=${500 + again}&f=webp`)).status).toBe(302);
});

/** The number of images that a server has made so far. */
const madeOn = async ({ url }: RunningServer): Promise<number> => {
  const { text } = await request(`${url}/metrics`);
  return Number(/^inlet_image_duration_seconds_count\{outcome="made"\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

describe('what is kept', () => {
  it('is made once for many requests at the same time, and for all spellings of one transformation', async () => {
    const file = await send(await picture('png', 600, 500));
    const before = await madeOn(server);
    const queries = [
      'w=300',
      'fit=cover&w=300',
      'w=300&q=80',
      'w=300&q=5',
      'w=300&f=png',
      'w=300&fit=contain',
    ];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => ask(file, queries[i % queries.length] ?? '')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
    const pictures = await Promise.all(
      answers.map(({ headers }) => fetchBytes(headers.get('location') ?? '')),
    );
    expect(new Set(pictures.map(({ headers }) => headers.etag)).size).toBe(1);
    expect(await madeOn(server)).toBe(before + 1);
  });

  it('is made again when its bytes are lost, as after a restored backup', async () => {
    const own = await startServer();
    try {
      const file = await sendFile(own.url, {
        filename: 'a.png',
        type: 'image/png',
        content: await picture('png', 300, 200),
      });
      const original = await keptFiles(own);
      const url = await contentUrl(file, '&w=100');
      const first = await fetchBytes(url);
      const variants = async () =>
        (await keptFiles(own)).filter((path) => !original.includes(path) && !path.includes('.staging'));
      // A small variant is served while it is being stored, and stays in memory for a moment.
      await waitUntil(async () => (await variants()).length === 1);
      for (const path of await variants()) await rm(path);
      const answers = await Promise.all([
        fetchBytes(url),
        fetchBytes(url, { range: 'bytes=0-9' }),
        fetchBytes(await contentUrl(file, '&w=100')),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 206, 200]);
      expect(answers[0]?.bytes.equals(first.bytes)).toBe(true);
      expect(answers[1]?.bytes.equals(first.bytes.subarray(0, 10))).toBe(true);
      await waitUntil(async () => {
        expect((await fetchBytes(await contentUrl(file, '&w=100'))).bytes.equals(first.bytes)).toBe(true);
        return (await variants()).length === 1;
      });
    } finally {
      await own.dispose();
    }
  });

  it('may be nothing: pictures are then made each time', async () => {
    const own = await startServer({ ...hurriedUpkeep, env: { IMAGE_CACHE_BYTES: '0' } });
    try {
      const content = await picture('png', 100, 80);
      const file = await sendFile(own.url, { filename: 'a.png', type: 'image/png', content });
      const tags = await Promise.all(
        Array.from({ length: 30 }, async (_, i) => {
          const answer = await fetchBytes(await contentUrl(file, `&w=${40 + (i % 3)}`));
          expect(answer.status).toBe(200);
          expect((await sharp(answer.bytes).metadata()).width).toBe(40 + (i % 3));
          return answer.headers.etag;
        }),
      );
      expect(new Set(tags).size).toBe(3);
      await waitUntil(async () => (await keptFiles(own)).length === 1, 30_000);
    } finally {
      await own.dispose();
    }
  });

  it('is bounded for each file: a thousand sizes do not fill the disk', async () => {
    const own = await startServer(hurriedUpkeep);
    try {
      const content = await picture('png', 120, 90);
      const file = await sendFile(own.url, { filename: 'a.png', type: 'image/png', content });
      for (let start = 1; start <= 110; start += 10) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) => request(`${file.downloadUrl}&w=${start + i}`)),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
      }
      // 50 variants and the file itself. Variants are stored after the response: the number may pass 51 on its way up.
      let looksInARow = 0;
      await waitUntil(async () => {
        looksInARow = (await keptFiles(own)).length === 51 ? looksInARow + 1 : 0;
        return looksInARow === 20;
      }, 30_000);
      expect((await request(`${file.downloadUrl}&w=1`)).status).toBe(302);
    } finally {
      await own.dispose();
    }
  });

  it('is bounded in all, and what was asked for last stays', async () => {
    const own = await startServer({ ...hurriedUpkeep, env: { IMAGE_CACHE_BYTES: '200000' } });
    try {
      const content = await picture('png', 200, 200);
      const files: SentFile[] = [];
      for (let sent = 0; sent < 8; sent += 1) {
        files.push(await sendFile(own.url, { filename: 'a.png', type: 'image/png', content }));
        await contentUrl(files.at(-1) ?? image, '&w=150');
      }
      /** Whether requesting it makes it. Variants are stored and trimmed after the response. */
      const isMade = async (file: SentFile | undefined): Promise<boolean> => {
        const before = await madeOn(own);
        await contentUrl(file ?? image, '&w=150');
        return (await madeOn(own)) > before;
      };
      await waitUntil(() => isMade(files[0]), 30_000);
      expect(await isMade(files.at(-1)), 'the one asked for last is still there').toBe(false);
      const bytes = async () => {
        const sizes = (await keptFiles(own)).map(async (path) => (await stat(path)).size);
        return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) - 8 * content.length;
      };
      await waitUntil(async () => (await bytes().catch(() => Infinity)) <= 200_000, 30_000);
    } finally {
      await own.dispose();
    }
  });
});
