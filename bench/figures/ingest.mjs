/**
 * Figure: durable submissions per second and their latencies, compared with the theoretical best (bare node:http, bare
 * SQLite, bare files) and with what people would use instead (a hand-written endpoint, Directus, PocketBase).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bodies } from '../load/bodies.mjs';
import { burst, loadGenerator } from '../load/load.mjs';
import { median, progress, round } from '../numbers.mjs';
import {
  cpuSeconds,
  makeForm,
  removeFolder,
  runToEnd,
  startInlet,
  temporaryFolder,
  untilIdle,
} from '../servers/processes.mjs';
import { reportOf } from './ingest-report.mjs';
import { startContestants } from './ingest-servers.mjs';

const floorsEntry = fileURLToPath(new URL('../floors/bare-store.mjs', import.meta.url));
const formats = Object.keys(bodies);
const goalConnections = 64;
/** Inlet indexes that many rows in less than 25 ms, which is not worth waiting for. */
const unnoticedRows = 2_500;
/** Indexing begins up to 1.25 s after the last submission. */
const indexingBeginsMs = 1_300;

export const peers = ['express', 'directus', 'pocketbase'];

const plans = {
  quick: {
    rounds: 1,
    warmUpSeconds: () => 0,
    connections: [goalConnections],
    seconds: () => 1,
    leadInSeconds: () => 0,
    sustainedSeconds: null,
    floorSeconds: 0.2,
    waitsForIndex: false,
    hasSlowPeers: false,
  },
  full: {
    rounds: 3,
    // The first format compiles most of the code. The bare server does the same for every format.
    warmUpSeconds: (format, key) => (format === formats[0] ? 3 : key === 'bare' ? 1 : 2),
    // The one with goals comes last: servers get faster during some ten seconds of load, Inlet for longer than a bare one.
    connections: [1, 16, 256, goalConnections],
    // Where responses take long, a short burst would end before the slow ones arrive, and leave them out.
    seconds: (connections, format, isSlow) =>
      isSlow || (connections === goalConnections && format === 'json') ? 2 : 1,
    // Where there are goals, each server is already busy when its measurement starts. After a rest, its heap has shrunk and
    // some code must be compiled again, so for the first quarter of a second Inlet handles a third fewer requests.
    leadInSeconds: (connections, format, isSlow) =>
      connections === goalConnections && format !== 'multipart' && !isSlow ? 1 : 0,
    sustainedSeconds: 5,
    floorSeconds: 0.5,
    waitsForIndex: true,
    hasSlowPeers: true,
  },
};

async function batches(server) {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const read = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return { entries: read('inlet_commit_batch_size_sum'), commits: read('inlet_commit_batch_size_count') };
}

/** One burst, with the CPU time of the server's process, and for Inlet the average number of submissions per commit. */
async function measured({ key, server, path }, format, connections, times, waitsForIndex) {
  const { seconds, leadInSeconds = 0 } = times;
  const isInlet = key === 'inlet';
  if (leadInSeconds > 0) await burst(server.url + path, connections, leadInSeconds, format);
  const shared = isInlet ? await batches(server) : null;
  const before = cpuSeconds(server.pid);
  const result = await burst(server.url + path, connections, seconds, format);
  const after = cpuSeconds(server.pid);
  const cost = {
    requests: result.requests,
    perSecond: round(result.perSecond, result.perSecond < 1_000 ? 1 : 0),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    p999Ms: result.p999Ms,
    maxMs: result.maxMs,
    cpuUsPerRequest: round(((after.all - before.all) * 1e6) / result.requests, 1),
    mainThreadUsPerRequest: round(((after.main - before.main) * 1e6) / result.requests, 1),
  };
  if (!isInlet) return cost;
  const now = await batches(server);
  const averageBatch = round((now.entries - shared.entries) / (now.commits - shared.commits), 1);
  if (waitsForIndex && result.requests > unnoticedRows) {
    await pause(indexingBeginsMs);
    await untilIdle(server.pid, 5_000, 100);
  }
  return { ...cost, averageBatch };
}

const medians = (rounds) =>
  Object.fromEntries(
    Object.keys(rounds[0]).map((key) => [key, round(median(rounds.map((one) => one[key])))]),
  );

/** A peer that fails is left out of the rest of the run, and the report says why. Any other failure ends the figure. */
async function attempt(contestant, faults, work) {
  if (faults.has(contestant.key)) return null;
  try {
    return await work();
  } catch (error) {
    if (!contestant.isPeer) throw error;
    faults.set(contestant.key, error.message.split('\n')[0]);
    progress(`ingest: ${contestant.label} failed: ${error.message}`);
    return null;
  }
}

/** Each format has its own code, which V8 compiles while it runs. */
async function warmUp(contestants, faults, { warmUpSeconds }, format) {
  for (const contestant of contestants) {
    const { key, formats: taken, isSlow, server, path } = contestant;
    const seconds = isSlow ? 1 : warmUpSeconds(format, key);
    if (!taken.includes(format) || seconds === 0) continue;
    await attempt(contestant, faults, () => burst(server.url + path, goalConnections, seconds, format));
  }
}

/** Each round measures every server and starts with a different one. */
async function measureCell(contestants, faults, plan, format, connections) {
  const takes = contestants.filter((one) => one.formats.includes(format) && one.takes(connections));
  const raw = Object.fromEntries(takes.map(({ key }) => [key, []]));
  for (let i = 0; i < plan.rounds; i += 1) {
    const order = [...takes.slice(i % takes.length), ...takes.slice(0, i % takes.length)];
    for (const contestant of order) {
      const { isSlow } = contestant;
      const times = {
        seconds: plan.seconds(connections, format, isSlow),
        leadInSeconds: plan.leadInSeconds(connections, format, isSlow),
      };
      const found = await attempt(contestant, faults, () =>
        measured(contestant, format, connections, times, plan.waitsForIndex),
      );
      if (found) raw[contestant.key].push(found);
    }
  }
  const complete = takes.filter(({ key }) => raw[key].length === plan.rounds && !faults.has(key));
  const servers = Object.fromEntries(complete.map(({ key }) => [key, medians(raw[key])]));
  const ratios = raw.inlet.map((one, i) => round(one.perSecond / raw.bare[i].perSecond, 3));
  progress(
    `ingest: ${format}, ${connections} connections: ` +
      complete.map(({ key, label }) => `${label} ${servers[key].perSecond}/s`).join(', '),
  );
  return { format, connections, ratio: round(median(ratios), 3), ratios, servers, raw };
}

const inReadingOrder = (a, b) =>
  formats.indexOf(a.format) - formats.indexOf(b.format) || a.connections - b.connections;

/** What the disk and SQLite can do without a server, on one of Inlet's databases, with the same row and the same file. */
async function measureFloors(plan) {
  const dataDir = await temporaryFolder();
  try {
    const inlet = await startInlet(dataDir);
    const { formId, projectId } = await makeForm(inlet);
    await inlet.end();
    const words = [dataDir, formId, projectId, String(plan.rounds), String(plan.floorSeconds)];
    return JSON.parse(await runToEnd(process.execPath, [floorsEntry, ...words]));
  } finally {
    await removeFolder(dataDir);
  }
}

export async function run({ quick, peers: found }) {
  const plan = quick ? plans.quick : plans.full;
  const folder = await temporaryFolder();
  try {
    const floors = await measureFloors(plan);
    progress(
      `ingest: bare SQLite ${floors.oneByOne}/s one by one, ${floors.by64}/s by 64; files ${floors.files}/s`,
    );
    const { contestants, peers: present, end } = await startContestants(folder, found, plan.hasSlowPeers);
    const faults = new Map();
    try {
      progress(`ingest: load by ${loadGenerator}, warming up`);
      const inlet = contestants.find(({ key }) => key === 'inlet');
      const cells = [];
      for (const format of formats) {
        await warmUp(contestants, faults, plan, format);
        if (plan.waitsForIndex) await untilIdle(inlet.server.pid, 3_000, 100);
        for (const connections of plan.connections) {
          cells.push(await measureCell(contestants, faults, plan, format, connections));
        }
      }
      cells.sort(inReadingOrder);
      // Long enough for the search index to be written under load too; in the short rounds it waits for a quiet moment.
      const sustained =
        plan.sustainedSeconds === null
          ? null
          : await measured(inlet, 'json', goalConnections, { seconds: plan.sustainedSeconds }, false);
      if (sustained) progress(`ingest: sustained: ${sustained.perSecond}/s`);
      const shown = present.map((one) => (faults.has(one.key) ? { ...one, why: faults.get(one.key) } : one));
      const labels = Object.fromEntries(contestants.map(({ key, label }) => [key, label]));
      return {
        ...reportOf({ cells, sustained, floors, peers: shown, labels, goalConnections }),
        loadGenerator,
        bodyBytes: Object.fromEntries(
          formats.map((format) => [format, Buffer.byteLength(bodies[format].text)]),
        ),
        cells,
        sustained,
        floors,
      };
    } finally {
      await end();
    }
  } finally {
    await removeFolder(folder);
  }
}
