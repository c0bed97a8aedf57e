/** The growth figures as table rows and as plots. */

import { mebibytes } from '../numbers.mjs';
import { pageNames } from './growth-pages.mjs';

const goalRows = 1_000_000;
const goalPageMs = 10;
const goalRatio = 0.9;
const goalFirstSeconds = 0.2;

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

export function rowsOf(sizes) {
  const goalAt = Math.min(goalRows, sizes.at(-1).rows);
  return sizes.flatMap((size) => {
    // Only this size has goals; smaller and larger sizes show the trend.
    const isGoal = size.rows === goalAt;
    const row = (figure, value, goal, met) => ({
      figure: `growth to ${grouped(size.rows)}, ${figure}`,
      value,
      goal: isGoal ? goal : '',
      met: isGoal && goal !== '' ? met : null,
    });
    const { ingest, disk, exported } = size;
    return [
      ...Object.entries(size.pages).map(([name, { p50Ms, p99Ms }]) =>
        row(
          name,
          `p50 ${p50Ms} ms, p99 ${p99Ms} ms`,
          pageNames[name] ? `p50 < ${goalPageMs} ms` : '',
          p50Ms < goalPageMs,
        ),
      ),
      ...Object.entries(exported).map(([format, one]) =>
        row(
          `export, ${format}`,
          one.firstSeconds === null
            ? 'not measured: its first line took too long'
            : `first line after ${one.firstSeconds} s, then ${grouped(one.rowsPerSecond)} rows/s, ` +
                `${one.mbPerSecond} MB/s; memory grew by ${mebibytes(one.grewBytes)} MiB`,
          `first line < ${goalFirstSeconds * 1000} ms`,
          one.firstSeconds !== null && one.firstSeconds < goalFirstSeconds,
        ),
      ),
      ...(ingest ? ingestRows(row, ingest) : []),
      row(
        'disk per submission',
        `${disk.bytesPerRow} bytes, and ${disk.indexBytesPerRow} bytes for the search`,
        '',
        null,
      ),
    ];
  });
}

const ingestRows = (row, ingest) => [
  row(
    'new submissions, 64 connections',
    `${ingest.ratio} of an empty store (${grouped(ingest.perSecond)}/s of ${grouped(ingest.emptyPerSecond)}/s)`,
    `>= ${goalRatio}`,
    ingest.ratio >= goalRatio,
  ),
  row(
    `CPU per submission${ingest.waitsForIndex ? ', indexing included' : ''}`,
    `${ingest.cpuUsPerSubmission} µs (empty store: ${ingest.emptyCpuUsPerSubmission} µs)`,
    '',
    null,
  ),
];

const stored = { label: 'submissions stored', log: true };

export function plotsOf(sizes) {
  const line = (label, measured) => ({
    label,
    points: sizes.map((size) => [size.rows, measured(size)]).filter(([, value]) => value !== undefined),
  });
  const page = (name) => line(name, ({ pages }) => pages[name].p50Ms);
  const names = Object.keys(pageNames).filter((name) => pageNames[name]);
  const of = (kind) => names.filter((name) => name.startsWith(kind)).map(page);
  return [
    {
      name: 'growth-list',
      title: 'One page of the list',
      x: stored,
      y: { label: 'median, ms' },
      lines: of('list'),
    },
    {
      name: 'growth-search',
      title: 'One page of a search',
      x: stored,
      y: { label: 'median, ms' },
      lines: of('search'),
    },
    {
      name: 'growth-ingest',
      title: 'New submissions on a store that has grown',
      x: stored,
      y: { label: 'submissions a second' },
      lines: [
        line('on the grown store', ({ ingest }) => ingest?.perSecond),
        line('on an empty store', ({ ingest }) => ingest?.emptyPerSecond),
      ],
    },
    {
      name: 'growth-cost',
      title: 'CPU time per submission, indexing included',
      x: stored,
      y: { label: 'µs' },
      lines: [
        line('on the grown store', ({ ingest }) => ingest?.cpuUsPerSubmission),
        line('on an empty store', ({ ingest }) => ingest?.emptyCpuUsPerSubmission),
      ],
    },
    {
      name: 'growth-export',
      title: 'Export, from its first line on',
      x: stored,
      y: { label: 'rows a second' },
      lines: [
        line('CSV', ({ exported }) => exported.csv.rowsPerSecond),
        line('JSON lines', ({ exported }) => exported.jsonl.rowsPerSecond),
      ],
    },
  ];
}
