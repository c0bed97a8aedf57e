/**
 * Figure: one data folder grows from ten thousand submissions to a million (or more, with --rows). At each size, measures
 * everything that could slow down: pages, searches, exports, new submissions, disk.
 */

import { progress, round } from '../numbers.mjs';
import { startInlet, untilIdle } from '../servers/processes.mjs';
import { measureExport } from './growth-export.mjs';
import { measureIngest } from './growth-ingest.mjs';
import { measurePages } from './growth-pages.mjs';
import { plotsOf, rowsOf } from './growth-report.mjs';

/** A smaller store is as fast as the empty one it is compared with. */
const worthIngestRows = 100_000;

/** The largest size is measured most thoroughly, because it has the goals. */
const plans = {
  quick: {
    restMs: 0,
    requests: () => 10,
    exportSeconds: () => 0.5,
    ingest: () => null,
  },
  full: {
    restMs: 3_000,
    requests: (isLargest) => (isLargest ? 100 : 30),
    exportSeconds: (isLargest) => (isLargest ? 2 : 0.5),
    ingest: (isLargest, rows) =>
      rows < worthIngestRows ? null : { rounds: 3, seconds: isLargest ? 2 : 1, waitsForIndex: true },
  },
};

/** Each size is ten times the one before; the last is `most`. */
function sizesTo(most) {
  const sizes = [];
  for (let rows = 10_000; rows < most; rows *= 10) sizes.push(rows);
  return [...sizes, most];
}

/** Measured on a freshly started server, like the empty one beside it. */
async function ingestAt(folder, plan) {
  const server = await startInlet(folder.dataDir);
  try {
    const ingest = await measureIngest(server, plan);
    const { perSecond, emptyPerSecond, ratio } = ingest;
    progress(`growth: ${folder.rows} rows: ${perSecond}/s of ${emptyPerSecond}/s, ratio ${ratio}`);
    return ingest;
  } finally {
    await server.end();
  }
}

async function readsAt(folder, { restMs, requests, exportSeconds }, isLargest) {
  const { rows } = folder;
  const server = await startInlet(folder.dataDir);
  try {
    if (restMs > 0) await untilIdle(server.pid, restMs);
    const pages = await measurePages(server, folder, requests(isLargest));
    for (const [name, { p50Ms, p99Ms }] of Object.entries(pages))
      progress(`growth: ${rows} rows: ${name}: p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
    const exported = {};
    for (const format of ['csv', 'jsonl']) {
      exported[format] = await measureExport(server, folder, format, exportSeconds(isLargest));
      const { firstSeconds, rowsPerSecond } = exported[format];
      progress(
        `growth: ${rows} rows: ${format}: first line after ${firstSeconds} s, then ${rowsPerSecond} rows/s`,
      );
    }
    return { pages, exported };
  } finally {
    await server.end();
  }
}

async function measureAt(folder, plan, isLargest) {
  const { rows, dataBytes, indexBytes } = folder;
  const { pages, exported } = await readsAt(folder, plan, isLargest);
  const load = plan.ingest(isLargest, rows);
  const ingest = load && (await ingestAt(folder, load));
  const disk = { bytesPerRow: round(dataBytes / rows, 0), indexBytesPerRow: round(indexBytes / rows, 0) };
  return { rows, pages, exported, ingest, disk };
}

export async function run({ quick, rows, seeded }) {
  const folder = await seeded();
  const sizes = [];
  for (const size of sizesTo(rows)) {
    await folder.growTo(size);
    sizes.push(await measureAt(folder, plans[quick ? 'quick' : 'full'], size === rows));
  }
  return { rows: rowsOf(sizes), plots: plotsOf(sizes), sizes };
}
