/**
 * Figure: one data folder is grown from ten thousand submissions to a million (or more, with --rows), and at each size
 * everything that could become slower with it is measured: pages, searches, exports, new submissions, disk.
 */

import { progress, round } from '../numbers.mjs';
import { startInlet, untilIdle } from '../servers/processes.mjs';
import { measureExport } from './growth-export.mjs';
import { measureIngest } from './growth-ingest.mjs';
import { measurePages } from './growth-pages.mjs';
import { plotsOf, rowsOf } from './growth-report.mjs';

/** A store with fewer is as fast as an empty one, beside which each is measured. */
const worthIngestRows = 100_000;

/** Most is asked where the goals stand: of the largest. */
const plans = {
  quick: {
    restMs: 0,
    requests: () => 10,
    exportSeconds: () => 0.5,
    ingest: () => null,
  },
  full: {
    restMs: 3_000,
    requests: (isLargest) => (isLargest ? 100 : 50),
    exportSeconds: (isLargest) => (isLargest ? 2 : 1),
    ingest: (isLargest, rows) =>
      rows < worthIngestRows ? null : { rounds: 3, seconds: isLargest ? 2 : 1, waitsForIndex: true },
  },
};

/** Each ten times the one before; the last is what was asked for. */
function sizesTo(most) {
  const sizes = [];
  for (let rows = 10_000; rows < most; rows *= 10) sizes.push(rows);
  return [...sizes, most];
}

async function measureAt(folder, { restMs, requests, exportSeconds, ingest: plan }, isLargest) {
  const { rows, dataBytes, indexBytes } = folder;
  const server = await startInlet(folder.dataDir);
  try {
    if (restMs > 0) await untilIdle(server.pid, restMs);
    const pages = await measurePages(server, folder, requests(isLargest));
    for (const [name, { p50Ms, p99Ms }] of Object.entries(pages))
      progress(`growth: ${rows} rows: ${name}: p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
    const load = plan(isLargest, rows);
    const ingest = load && (await measureIngest(server, load));
    if (ingest)
      progress(
        `growth: ${rows} rows: ${ingest.perSecond}/s of ${ingest.emptyPerSecond}/s, ratio ${ingest.ratio}`,
      );
    const exported = {};
    for (const format of ['csv', 'jsonl']) {
      exported[format] = await measureExport(server, folder, format, exportSeconds(isLargest));
      const { firstSeconds, rowsPerSecond } = exported[format];
      progress(
        `growth: ${rows} rows: ${format}: first line after ${firstSeconds} s, then ${rowsPerSecond} rows/s`,
      );
    }
    const disk = { bytesPerRow: round(dataBytes / rows, 0), indexBytesPerRow: round(indexBytes / rows, 0) };
    return { rows, pages, exported, ingest, disk };
  } finally {
    await server.end();
  }
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
