/** Figure: durable JSON submissions a second, as a share of what bare node:http does with the same JSON. */
import { burst, loadGenerator, payload } from './load.mjs';
import { median, progress, round } from './numbers.mjs';
import {
  cpuSeconds,
  makeForm,
  removeFolder,
  startBare,
  startInlet,
  temporaryFolder,
  untilIdle,
} from './processes.mjs';

const goalRatio = 0.6;
const goalConnections = 64;

async function batches(server) {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const read = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return { entries: read('inlet_commit_batch_size_sum'), commits: read('inlet_commit_batch_size_count') };
}

/** One burst, with what it cost the server's process. */
async function measured(server, path, connections, seconds) {
  const before = cpuSeconds(server.pid);
  const result = await burst(server.url + path, connections, seconds);
  const after = cpuSeconds(server.pid);
  return {
    perSecond: round(result.perSecond, 0),
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuUsPerRequest: round(((after.all - before.all) * 1e6) / result.requests, 1),
    mainThreadUsPerRequest: round(((after.main - before.main) * 1e6) / result.requests, 1),
  };
}

async function measureInlet(server, path, connections, seconds) {
  const before = await batches(server);
  const result = await measured(server, path, connections, seconds);
  const after = await batches(server);
  return {
    ...result,
    averageBatch: round((after.entries - before.entries) / (after.commits - before.commits), 1),
  };
}

const medians = (rounds) =>
  Object.fromEntries(
    Object.keys(rounds[0]).map((key) => [key, round(median(rounds.map((one) => one[key])))]),
  );

export async function run({ quick }) {
  const rounds = 3;
  const seconds = quick ? 1 : 4;
  const dataDir = await temporaryFolder();
  const bare = await startBare();
  try {
    const inlet = await startInlet(dataDir);
    try {
      const { path } = await makeForm(inlet);
      progress(`ingest: load by ${loadGenerator}, warming up`);
      await burst(bare.url + path, goalConnections, quick ? 1 : 3);
      await burst(inlet.url + path, goalConnections, quick ? 2 : 4);
      const byConnections = {};
      for (const connections of [1, 16, goalConnections]) {
        const raw = { bare: [], inlet: [] };
        for (let i = 0; i < rounds; i += 1) {
          await untilIdle(inlet.pid, quick ? 800 : undefined);
          raw.bare.push(await measured(bare, path, connections, seconds));
          raw.inlet.push(await measureInlet(inlet, path, connections, seconds));
        }
        const ratios = raw.inlet.map((one, i) => round(one.perSecond / raw.bare[i].perSecond, 3));
        byConnections[connections] = {
          ratio: round(median(ratios), 3),
          ratios,
          bare: medians(raw.bare),
          inlet: medians(raw.inlet),
          raw,
        };
        const { ratio, bare: b, inlet: n } = byConnections[connections];
        progress(`ingest: ${connections} connections: ${n.perSecond}/s of ${b.perSecond}/s, ratio ${ratio}`);
      }
      // Long enough that the search index is written under load too; in the short rounds it waits for a quiet moment.
      await untilIdle(inlet.pid, quick ? 800 : undefined);
      const sustained = await measureInlet(inlet, path, goalConnections, quick ? 2 : 30);
      progress(`ingest: sustained: ${sustained.perSecond}/s`);
      return report(byConnections, sustained);
    } finally {
      await inlet.end();
    }
  } finally {
    await bare.end('SIGKILL');
    await removeFolder(dataDir);
  }
}

function report(byConnections, sustained) {
  const { ratio, bare } = byConnections[goalConnections];
  const rows = Object.entries(byConnections).map(([connections, { ratio, bare, inlet }]) => ({
    figure: `ingest, ${connections} connections`,
    value:
      `${ratio} of bare (${inlet.perSecond}/s of ${bare.perSecond}/s); p50 ${inlet.p50Ms} ms, ` +
      `p99 ${inlet.p99Ms} ms; batch ${inlet.averageBatch}; CPU ${inlet.cpuUsPerRequest} µs of ${bare.cpuUsPerRequest} µs`,
    goal: Number(connections) === goalConnections ? `>= ${goalRatio}` : '',
    met: Number(connections) === goalConnections ? ratio >= goalRatio : null,
  }));
  rows.push({
    figure: `ingest, ${goalConnections} connections, sustained with indexing`,
    value:
      `${round(sustained.perSecond / bare.perSecond, 3)} of bare (${sustained.perSecond}/s); ` +
      `p50 ${sustained.p50Ms} ms, p99 ${sustained.p99Ms} ms`,
    goal: '',
    met: null,
  });
  return { rows, sustained, ratio, loadGenerator, payloadBytes: Buffer.byteLength(payload), byConnections };
}
