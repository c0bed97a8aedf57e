/** The few figures of the landing page, from the results that docs/explanation/benchmarks.md shows. */
import { markdownTable } from './report.mjs';

const MiB = 1024 * 1024;
const millionRows = 1_000_000;

export function landingFigures({ figures }) {
  const { ratio, servers } = figures.ingest.cells.find(
    ({ format, connections }) => format === 'json' && connections === 64,
  );
  const { pages } = figures.growth.sizes.find(({ rows }) => rows === millionRows);
  const rate = Math.round(servers.inlet.perSecond / 100) * 100;
  return markdownTable(
    ['Measurement', 'Result'],
    [
      [
        'Durable JSON submissions per second, 64 connections',
        `${rate.toLocaleString('en')}, or ${ratio.toFixed(2)} of a bare \`node:http\` server that stores nothing`,
      ],
      [
        'The same, relative to a hand-written endpoint with Express, multer and SQLite',
        `${(servers.inlet.perSecond / servers.express.perSecond).toFixed(1)} times`,
      ],
      [
        'First page of a form with a million submissions',
        `${pages['list, first page'].p50Ms.toFixed(1)} ms (median)`,
      ],
      [
        'From the response to a submission to the first byte at its webhook',
        `${figures.delivery.firstByte.answered.p50Ms.toFixed(1)} ms (median)`,
      ],
      [
        'Growth of memory during an upload of 1 GiB',
        `${Math.round(figures['upload-memory'].growthBytes / MiB)} MiB`,
      ],
      ['From start to the first response', `${(figures['start-up'].empty.medianMs / 1000).toFixed(1)} s`],
    ],
  );
}
