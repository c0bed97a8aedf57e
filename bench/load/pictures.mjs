/** The pictures that are transformed, and the ways to ask for one: of Inlet, of ipx, of sharp alone. */
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

/** Shapes and fine grain, as in a photograph: the same bytes in every run, without a random source. */
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

/** `perRound`: two seconds and more, since Inlet stores what it made within a second, and that is to be counted. */
export const samples = [
  { name: '4000x3000 JPEG to 320 jpeg', file: 'large.jpg', width: 320, format: 'jpeg', perRound: 72 },
  { name: '4000x3000 JPEG to 1600 webp', file: 'large.jpg', width: 1600, format: 'webp', perRound: 8 },
  { name: '1600x1200 PNG to 400 webp', file: 'small.png', width: 400, format: 'webp', perRound: 56 },
];

/** What both servers are warmed up with: the whole way of a picture, with next to nothing to compute. */
export const tinySample = { file: 'tiny.png', width: 10, format: 'webp' };

export async function writePictures(folder) {
  await pixels(64, 48).png().toFile(join(folder, tinySample.file));
  await pixels(4000, 3000).jpeg({ quality: 85 }).toFile(join(folder, 'large.jpg'));
  await pixels(1600, 1200).png().toFile(join(folder, 'small.png'));
}

/** Uploads them through the form; gives back their ids by name. */
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
 * Recipes of about the same work that nobody has asked for yet: 40 widths, then the next quality. `first` keeps the
 * parts of a run apart.
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

/** The address of the content: the picture has been made when it is known. */
export async function contentUrl(server, id, { width, quality, format }) {
  const wish = `w=${width}&q=${quality}&f=${format}`;
  const { location } = await bytesOf(`${server.url}/api/v1/files/${id}/download?${wish}`, authorization);
  if (!location) throw new Error('a download that does not redirect');
  return location;
}

export const fromUrl = async (url) => (await bytesOf(url, {})).bytes;

export const fromInlet = async (server, id, recipe) => fromUrl(await contentUrl(server, id, recipe));

export const ipxPath = (file, { width, quality, format }) => `/w_${width},q_${quality},f_${format}/${file}`;

/** The bare call in a process of its own; milliseconds as that process measured them. */
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

/** `clients` at work at once, each taking the next piece when its last one is done. */
export async function crowd(clients, isOver, work) {
  const one = async () => {
    while (!isOver()) await work();
  };
  await Promise.all(Array.from({ length: clients }, one));
}

export const closeClients = () => dispatcher.close();
