/** The source images, and how to request a variant from Inlet, from ipx and from sharp alone. */
import { fork } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { Agent, request } from 'undici';
import { apiKey } from '../servers/processes.mjs';

const aloneEntry = fileURLToPath(new URL('../floors/sharp-alone.mjs', import.meta.url));
const dispatcher = new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 60_000 });
const authorization = { authorization: `Bearer ${apiKey}` };

/** Shapes and fine grain, as in a photograph. The same bytes in every run, without a random source. */
function pixels(width, height) {
  const data = Buffer.allocUnsafe(width * height * 3);
  let state = 1;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const grain = (state >>> 27) - 16;
      const wave = 40 * Math.sin(x / 37) * Math.cos(y / 53) + ((x >> 7) + (y >> 7)) * 3;
      data[at++] = Math.max(0, Math.min(255, 110 + wave + grain));
      data[at++] = Math.max(0, Math.min(255, 90 + wave / 2 + grain));
      data[at++] = Math.max(0, Math.min(255, 150 - wave + grain));
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** `perRound` takes two seconds or more: Inlet stores a new variant within a second, and that must be measured too. */
export const samples = [
  { name: '4000x3000 JPEG to 320 jpeg', file: 'large.jpg', width: 320, format: 'jpeg', perRound: 72 },
  { name: '4000x3000 JPEG to 1600 webp', file: 'large.jpg', width: 1600, format: 'webp', perRound: 8 },
  { name: '1600x1200 PNG to 400 webp', file: 'small.png', width: 400, format: 'webp', perRound: 56 },
];

/** For warming up both servers: it takes the whole path of an image, with next to nothing to compute. */
export const tinySample = { file: 'tiny.png', width: 10, format: 'webp' };

export async function writePictures(folder) {
  await pixels(64, 48).png().toFile(join(folder, tinySample.file));
  await pixels(4000, 3000).jpeg({ quality: 85 }).toFile(join(folder, 'large.jpg'));
  await pixels(1600, 1200).png().toFile(join(folder, 'small.png'));
}

/** Uploads them through the form. Returns their ids by name. */
export async function uploadPictures(server, path, folder) {
  const ids = {};
  for (const [file, type] of [
    ['large.jpg', 'image/jpeg'],
    ['small.png', 'image/png'],
    [tinySample.file, 'image/png'],
  ]) {
    const body = new FormData();
    body.set('picture', await openAsBlob(join(folder, file), { type }), file);
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    });
    if (!answer.ok) throw new Error(`upload of ${file}: ${answer.status} ${await answer.text()}`);
    ids[file] = (await answer.json()).files[0].id;
  }
  return ids;
}

/**
 * New recipes of about the same cost: 40 widths, then the next quality. `first`, the first quality, keeps the parts of a
 * run from using the same recipes.
 */
export function* recipesOf({ width, format }, first) {
  for (let i = 0; ; i += 1) yield { width: width + (i % 40), quality: first - Math.floor(i / 40), format };
}

const bytesOf = async (url, headers) => {
  const answer = await request(url, { dispatcher, headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode === 302) return { location: answer.headers.location };
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${bytes} from ${url}`);
  return { bytes };
};

/** The URL of the content. By the time it is returned, the variant exists. */
export async function contentUrl(server, id, { width, quality, format }) {
  const wish = `w=${width}&q=${quality}&f=${format}`;
  const { location } = await bytesOf(`${server.url}/api/v1/files/${id}/download?${wish}`, authorization);
  if (!location) throw new Error('a download that does not redirect');
  return location;
}

export const fromUrl = async (url) => (await bytesOf(url, {})).bytes;

export const fromInlet = async (server, id, recipe) => fromUrl(await contentUrl(server, id, recipe));

export const ipxPath = (file, { width, quality, format }) => `/w_${width},q_${quality},f_${format}/${file}`;

/** The bare call in a separate process, which measures the milliseconds itself. */
export function startAlone(folder) {
  const child = fork(aloneEntry, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return {
    make: (file, recipe) =>
      new Promise((resolve, reject) => {
        const ended = () => reject(new Error('sharp-alone has ended'));
        child.once('exit', ended);
        child.once('message', (answer) => {
          child.off('exit', ended);
          resolve(answer);
        });
        child.send({ path: join(folder, file), ...recipe });
      }),
    end: () => child.kill('SIGKILL'),
  };
}

/** Runs `clients` loops at once; each starts the next piece of work when its last one is done. */
export async function crowd(clients, isOver, work) {
  const one = async () => {
    while (!isOver()) await work();
  };
  await Promise.all(Array.from({ length: clients }, one));
}

export const closeClients = () => dispatcher.close();
