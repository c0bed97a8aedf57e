/**
 * Figure: what a picture costs. Made anew, against the bare call of sharp and against ipx; kept, against a plain file;
 * and what visitors who submit a form notice of it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { burst, loadGenerator, paced } from '../load/load.mjs';
import {
  closeClients,
  contentUrl,
  crowd,
  fromInlet,
  fromUrl,
  ipxPath,
  recipesOf,
  samples,
  startAlone,
  tinySample,
  uploadPictures,
  writePictures,
} from '../load/pictures.mjs';
import { median, progress, round } from '../numbers.mjs';
import { startIpx } from '../peers/ipx.mjs';
import {
  makeForm,
  removeFolder,
  start,
  startInlet,
  temporaryFolder,
  untilIdle,
} from '../servers/processes.mjs';

const goals = { cold: 1.15, throughput: 1, kept: 0.8, submissions: 2 };
/** How often, and how long; the quick run leaves out what has no short form. */
const sizes = {
  full: {
    rounds: 3,
    warmUpPictures: 1_000,
    warmUpPairs: 2,
    pairs: 3,
    samples,
    keptBytes: [20_000, 200_000],
    keptWarmUpSeconds: 1,
    keptSeconds: 1,
    besideSeconds: 2,
  },
  quick: {
    rounds: 1,
    warmUpPictures: 100,
    warmUpPairs: 0,
    pairs: 1,
    samples: samples.slice(-1),
    keptBytes: [20_000],
    keptWarmUpSeconds: null,
    keptSeconds: 1,
    besideSeconds: null,
  },
};
const clients = 8;
const keptConnections = 16;
const submissionsPerSecond = 200;
const ipxDescribed =
  'NODE_ENV=production ipx serve --dir pictures --host 127.0.0.1   # the sharp that it brings itself';
const staticEntry = fileURLToPath(new URL('../floors/static-server.mjs', import.meta.url));

const row = (figure, value, goal = '', met = null) => ({ figure: `images, ${figure}`, value, goal, met });

const elapsed = async (work) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

/**
 * Tiny pictures, each made anew, before anything is timed: a server that has run for a while has compiled what it runs
 * often, on all of a picture's way. So has ipx then.
 */
const warmUp = (size, ask) => perSecond(size.warmUpPictures, recipesOf(tinySample, 80), ask);

/** One after the other, in turns: the bare call, then Inlet with the same recipe. */
async function cold({ inlet, ids, folder, size }) {
  const alone = startAlone(folder);
  const results = {};
  try {
    for (const [place, sample] of samples.entries()) {
      const recipes = recipesOf(sample, 80);
      const pair = async () => {
        const recipe = recipes.next().value;
        const { ms: bareMs } = await alone.make(sample.file, recipe);
        const inletMs = await elapsed(() => fromInlet(inlet, ids[sample.file], recipe));
        return { bareMs: round(bareMs), inletMs: round(inletMs) };
      };
      // What is ours is compiled after the first of them, and the codec needs no warming.
      for (let i = 0; place === 0 && i < size.warmUpPairs; i += 1) await pair();
      const raw = [];
      for (let i = 0; i < size.rounds; i += 1) {
        const pairs = [];
        for (let n = 0; n < size.pairs; n += 1) pairs.push(await pair());
        raw.push(pairs);
      }
      const middle = (pairs, side) => median(pairs.map((one) => one[side]));
      const ratios = raw.map((pairs) => round(middle(pairs, 'inletMs') / middle(pairs, 'bareMs'), 3));
      results[sample.name] = {
        ratio: median(ratios),
        ratios,
        bareMs: round(middle(raw.flat(), 'bareMs'), 1),
        inletMs: round(middle(raw.flat(), 'inletMs'), 1),
        raw,
      };
      const { ratio, bareMs, inletMs } = results[sample.name];
      progress(`images: cold, ${sample.name}: ${inletMs} ms of ${bareMs} ms, ratio ${ratio}`);
    }
  } finally {
    alone.end();
  }
  const rows = Object.entries(results).map(([name, { ratio, bareMs, inletMs }]) =>
    row(
      `made anew, ${name}`,
      `${ratio} times the bare sharp call (${inletMs} ms, ${bareMs} ms)`,
      `<= ${goals.cold}`,
      ratio <= goals.cold,
    ),
  );
  return { rows, results };
}

/** So many pictures, by eight clients at once; a second. */
async function perSecond(count, recipes, ask) {
  let left = count;
  const ms = await elapsed(() =>
    crowd(
      clients,
      () => left <= 0,
      () => {
        left -= 1;
        return ask(recipes.next().value);
      },
    ),
  );
  return round(count / (ms / 1000), 2);
}

const withoutIpx = (why) => ({
  rows: [row(`${clients} clients, beside ipx`, `ipx did not run: ${why}`)],
  results: null,
});

async function throughput({ inlet, ids, folder, size, peer }) {
  if (!peer.folder) return withoutIpx(peer.why);
  const pathOf = (recipe) => ipxPath(tinySample.file, recipe);
  let ipx;
  try {
    ipx = await startIpx(peer, folder, pathOf({ width: 10, quality: 80, format: 'webp' }));
  } catch (error) {
    progress(`images: ipx did not start: ${error.message}`);
    return withoutIpx(`did not start: ${error.message.split('\n')[0]}`);
  }
  const results = {};
  try {
    await warmUp(size, (recipe) => fromUrl(ipx.url + pathOf(recipe)));
    for (const [place, sample] of size.samples.entries()) {
      // Neither has been asked for these before; both get the same ones.
      const recipes = { inlet: recipesOf(sample, 70), ipx: recipesOf(sample, 70) };
      const ask = {
        inlet: (recipe) => fromInlet(inlet, ids[sample.file], recipe),
        ipx: (recipe) => fromUrl(ipx.url + ipxPath(sample.file, recipe)),
      };
      const raw = { ipx: [], inlet: [] };
      if (place === 0) {
        for (const side of ['ipx', 'inlet']) await perSecond(clients, recipes[side], ask[side]);
      }
      for (let i = 0; i < size.rounds; i += 1) {
        for (const side of ['ipx', 'inlet']) {
          raw[side].push(await perSecond(sample.perRound, recipes[side], ask[side]));
        }
        // The rest of the storing is not to fall into the time of ipx.
        await untilIdle(inlet.pid, 3_000);
      }
      const ratios = raw.inlet.map((one, i) => round(one / raw.ipx[i], 3));
      results[sample.name] = {
        ratio: median(ratios),
        ratios,
        ipx: median(raw.ipx),
        inlet: median(raw.inlet),
        raw,
      };
      const { ratio, ipx: theirs, inlet: ours } = results[sample.name];
      progress(`images: throughput, ${sample.name}: ${ours}/s of ${theirs}/s, ratio ${ratio}`);
    }
  } finally {
    await ipx.end('SIGKILL');
  }
  const rows = Object.entries(results).map(([name, { ratio, ipx: theirs, inlet: ours }]) =>
    row(
      `${clients} clients, ${name}`,
      `${ratio} of ${peer.versions} (${ours}/s of ${theirs}/s)`,
      `>= ${goals.throughput}`,
      ratio >= goals.throughput,
    ),
  );
  return { rows, results };
}

/** A recipe whose result has about so many bytes: they grow with the square of the width. */
async function recipeOfSize(inlet, id, wantedBytes) {
  let recipe = { width: 400, quality: 79, format: 'jpeg' };
  for (let tries = 0; tries < 6; tries += 1) {
    const bytes = await fromInlet(inlet, id, recipe);
    if (Math.abs(bytes.length / wantedBytes - 1) < 0.1) return { recipe, bytes };
    recipe = { ...recipe, width: Math.round(recipe.width * Math.sqrt(wantedBytes / bytes.length)) };
  }
  throw new Error(`found no picture of ${wantedBytes} bytes`);
}

async function kept({ inlet, ids, size }) {
  const folder = await temporaryFolder();
  const environment = (port) => ({ PORT: String(port), FOLDER: folder });
  const plain = await start(staticEntry, [], environment, '/');
  const results = {};
  const seconds = size.keptSeconds;
  const id = ids['large.jpg'];
  try {
    for (const wanted of size.keptBytes) {
      const { recipe, bytes } = await recipeOfSize(inlet, id, wanted);
      await writeFile(join(folder, `${wanted}.jpg`), bytes);
      // The token of an address lives a minute: each round has its own.
      const ask = {
        plain: async (duration) =>
          burst(`${plain.url}/files/${wanted}.jpg`, keptConnections, duration, 'GET'),
        inlet: async (duration) =>
          burst(await contentUrl(inlet, id, recipe), keptConnections, duration, 'GET'),
      };
      const raw = { plain: [], inlet: [] };
      if (size.keptWarmUpSeconds !== null) {
        for (const side of ['plain', 'inlet']) await ask[side](size.keptWarmUpSeconds);
        await untilIdle(inlet.pid, 3_000);
      }
      for (let i = 0; i < size.rounds; i += 1) {
        for (const side of ['plain', 'inlet']) {
          const { perSecond: rate, p50Ms, p99Ms } = await ask[side](seconds);
          raw[side].push({ perSecond: round(rate, 0), p50Ms, p99Ms });
        }
      }
      const ratios = raw.inlet.map((one, i) => round(one.perSecond / raw.plain[i].perSecond, 3));
      const rate = (side) => median(raw[side].map((one) => one.perSecond));
      results[bytes.length] = {
        ratio: median(ratios),
        ratios,
        plain: rate('plain'),
        inlet: rate('inlet'),
        raw,
      };
      progress(`images: kept, ${bytes.length} bytes: ${rate('inlet')}/s of ${rate('plain')}/s, ${ratios}`);
    }
  } finally {
    await plain.end('SIGKILL');
    await removeFolder(folder);
  }
  const rows = Object.entries(results).map(([bytes, { ratio, plain: theirs, inlet: ours }]) =>
    row(
      `kept, ${bytes} bytes`,
      `${ratio} of @fastify/static (${ours}/s of ${theirs}/s)`,
      `>= ${goals.kept}`,
      ratio >= goals.kept,
    ),
  );
  return { rows, results };
}

/** The pace of submissions, alone and while eight clients have pictures made as fast as they are made. */
async function beside({ inlet, ids, path, size }) {
  const seconds = size.besideSeconds;
  if (seconds === null) return { rows: [], results: null };
  const recipes = samples.map((sample) => ({ id: ids[sample.file], recipes: recipesOf(sample, 60) }));
  let next = 0;
  let made = 0;
  const makeOne = async () => {
    const { id, recipes: wishes } = recipes[next++ % recipes.length];
    await fromInlet(inlet, id, wishes.next().value);
    made += 1;
  };
  const submit = () => paced(inlet.url + path, submissionsPerSecond, seconds);
  const busy = async () => {
    made = 0;
    let over = false;
    const pictures = crowd(clients, () => over, makeOne);
    try {
      const result = await submit();
      return { ...result, pictures: made };
    } finally {
      over = true;
      await pictures;
    }
  };
  await submit();
  const raw = { alone: [], busy: [] };
  for (let i = 0; i < size.rounds; i += 1) {
    await untilIdle(inlet.pid, 2_000);
    raw.alone.push(await submit());
    raw.busy.push(await busy());
  }
  const ratios = raw.busy.map((one, i) => round(one.p99Ms / raw.alone[i].p99Ms, 2));
  const ratio = median(ratios);
  const middle = (side, key) => median(raw[side].map((one) => one[key]));
  const value =
    `p99 ${ratio} times that without (${middle('busy', 'p99Ms')} ms, ${middle('alone', 'p99Ms')} ms); ` +
    `p50 ${middle('busy', 'p50Ms')} ms, ${middle('alone', 'p50Ms')} ms; ${middle('busy', 'pictures')} pictures meanwhile`;
  progress(`images: submissions beside: ${value}`);
  return {
    rows: [
      row(
        `submissions at ${submissionsPerSecond}/s beside ${clients} clients`,
        value,
        `<= ${goals.submissions}`,
        ratio <= goals.submissions,
      ),
    ],
    results: { ratio, ratios, raw },
  };
}

export const peers = ['ipx'];

export async function run({ quick, peers: found }) {
  const size = quick ? sizes.quick : sizes.full;
  const folder = await temporaryFolder();
  const dataDir = await temporaryFolder();
  try {
    progress('images: drawing the pictures');
    await writePictures(folder);
    const inlet = await startInlet(dataDir, { MAX_FILE_BYTES: '64 MiB', MAX_BODY_BYTES: '65 MiB' });
    try {
      const { path } = await makeForm(inlet);
      const ids = await uploadPictures(inlet, path, folder);
      await warmUp(size, (recipe) => fromInlet(inlet, ids[tinySample.file], recipe));
      const parts = {};
      for (const part of [cold, throughput, kept, beside]) {
        parts[part.name] = await part({ inlet, ids, folder, path, size, peer: found.ipx });
      }
      return {
        rows: Object.values(parts).flatMap((part) => part.rows),
        loadGenerator,
        peers: [
          {
            key: 'ipx',
            label: 'ipx',
            ...found.ipx,
            folder: undefined,
            described: ipxDescribed,
            language: 'sh',
          },
        ],
        ...Object.fromEntries(Object.entries(parts).map(([name, { results }]) => [name, results])),
      };
    } finally {
      await inlet.end();
    }
  } finally {
    await closeClients();
    await removeFolder(folder);
    await removeFolder(dataDir);
  }
}
