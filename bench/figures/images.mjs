/**
 * Figure: the cost of images. New variants compared with the bare sharp call and with ipx, cached variants with a plain
 * file, and the effect on visitors who submit a form.
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
/** Rounds and durations. The quick run skips what cannot be shortened. */
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
 * Makes tiny new variants before anything is timed, because a server that has run for a while has compiled all code on the
 * path of an image. ipx is warmed up in the same way.
 */
const warmUp = (size, ask) => perSecond(size.warmUpPictures, recipesOf(tinySample, 80), ask);

/** One at a time, in turns: the bare call, then Inlet with the same recipe. */
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
      // Only for the first sample: our code is compiled after that, and the codec needs no warm-up.
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

/** Variants per second, with eight clients at once. */
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
      // New to both servers, and the same for both.
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
        // Inlet must finish storing before ipx is measured again.
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

/** Finds a recipe whose result has about `wantedBytes`, which grow with the square of the width. */
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
      // The token in the URL expires after a minute, so each round gets a new one.
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

/** Latencies of submissions at a fixed pace, alone and while eight clients request new variants as fast as possible. */
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
