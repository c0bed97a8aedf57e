/** Reports made from measurements: goals are judged as written, and missing peers are never shown as slow. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Cell, type Medians, reportOf } from '../../bench/figures/ingest-report.mjs';
import { expectedSeconds, limitSeconds, usualNames } from '../../bench/plan.mjs';
import { pageOf, resultsNamedBy } from '../../bench/report/page.mjs';
import {
  failedFigure,
  markdownTable,
  type Peer,
  type Results,
  type Row,
  tableMarkdown,
  writeReport,
} from '../../bench/report/report.mjs';

const found = (perSecond: number, p50Ms = 5, p99Ms = 10): Medians => ({
  perSecond,
  p50Ms,
  p99Ms,
  p999Ms: p99Ms * 2,
  cpuUsPerRequest: 50,
  averageBatch: 9,
});

function cell(format: string, connections: number, rates: Record<string, Medians>): Cell {
  const { inlet, bare } = rates;
  const ratio = (inlet?.perSecond ?? 0) / (bare?.perSecond ?? 1);
  const raw = Object.fromEntries(Object.entries(rates).map(([key, one]) => [key, [one, one, one]]));
  return { format, connections, ratio, ratios: [ratio, ratio, ratio], servers: rates, raw };
}

const peer = (key: string, label: string, why?: string): Peer => ({
  key,
  label,
  versions: `${key} 1.0.0`,
  described: 'synchronous = FULL',
  language: 'ini',
  ...(why ? { why } : {}),
});

const labels = { inlet: 'Inlet', bare: 'bare node:http', express: 'Express', directus: 'Directus' };

function report(json: Record<string, Medians>, peers: readonly Peer[]) {
  const rest = { inlet: found(1_000), bare: found(9_000) };
  return reportOf({
    cells: [
      cell('json', 1, rest),
      cell('json', 64, json),
      cell('urlencoded', 64, rest),
      cell('multipart', 64, rest),
    ],
    sustained: found(6_000),
    floors: { oneByOne: 5_000, by64: 40_000, files: 2_000 },
    peers,
    labels,
    goalConnections: 64,
  });
}

const rowOf = (rows: readonly Row[], figure: string): Row => {
  const row = rows.find((one) => one.figure === figure);
  if (!row) throw new Error(`no row ${figure}`);
  return row;
};

describe('the rows of ingest', () => {
  const both = [peer('express', 'Express'), peer('directus', 'Directus')];

  test('hold Inlet against the floor, its own median, and the best peer', () => {
    const { rows } = report(
      { inlet: found(7_500), bare: found(10_000), express: found(2_500), directus: found(70) },
      both,
    );
    expect(rowOf(rows, 'ingest, JSON, 64 connections')).toMatchObject({ goal: '>= 0.7', met: true });
    expect(rowOf(rows, 'ingest, JSON, 64 connections, latency')).toMatchObject({
      goal: '< 5 times',
      met: true,
    });
    const peers = rowOf(rows, 'ingest, JSON, 64 connections, beside peers');
    expect(peers.met).toBe(true);
    expect(peers.value).toBe('3 times Express (7500/s, 2500/s); Directus 70/s');
  });

  test('say no where a goal is missed', () => {
    const { rows } = report(
      { inlet: found(6_000, 5, 26), bare: found(10_000), express: found(2_500), directus: found(70) },
      both,
    );
    for (const which of ['', ', latency', ', beside peers']) {
      expect(rowOf(rows, `ingest, JSON, 64 connections${which}`).met).toBe(false);
    }
  });

  test('say why a peer is absent, and judge nothing without one', () => {
    const why = 'left out with --no-peers';
    const { rows } = report({ inlet: found(7_500), bare: found(10_000) }, [
      peer('express', 'Express', why),
      peer('directus', 'Directus', why),
    ]);
    expect(rowOf(rows, 'ingest, JSON, 64 connections, beside peers')).toMatchObject({
      value: `Express did not run: ${why}; Directus did not run: ${why}`,
      met: null,
    });
  });

  test('a drawing has only the points that were measured', () => {
    const { plots = [] } = report({ inlet: found(7_500), bare: found(10_000), express: found(2_500) }, both);
    expect(plots.map(({ name }) => name)).toEqual(['ingest-json-rate', 'ingest-json-p99']);
    expect(plots[0]?.lines).toEqual([
      {
        label: 'Inlet',
        points: [
          [1, 1_000],
          [64, 7_500],
        ],
      },
      {
        label: 'bare node:http',
        points: [
          [1, 9_000],
          [64, 10_000],
        ],
      },
      { label: 'Express', points: [[64, 2_500]] },
    ]);
  });
});

const results: Results = {
  at: '2026-11-15T10:20:30.000Z',
  revision: 'abc1234',
  quick: false,
  cpus: '2 x Something',
  memoryGiB: 8,
  system: 'Debian',
  fileSystem: 'ext4',
  versions: { 'Node.js': '20.20.2' },
  loadAverageBefore: [0.1, 0, 0],
  loadAverageAfter: [2, 1, 1],
  tookSeconds: 125,
  figures: {
    ingest: report({ inlet: found(7_500), bare: found(10_000), express: found(2_500) }, [
      peer('express', 'Express'),
      peer('directus', 'Directus', 'could not be installed: no such version'),
    ]),
    images: failedFigure('images', 'failed: no sharp\n    at somewhere'),
  },
};

describe('the page', () => {
  const file = 'bench/results/2026-11-15T10-20-30.000Z.json';
  const files = pageOf(results, file);
  const page = files['docs/explanation/benchmarks.md'] ?? '';

  test('names the results that it was made from', () => {
    expect(resultsNamedBy(page)).toBe(file);
    expect(resultsNamedBy('# Benchmarks')).toBeNull();
  });

  test('shows how each peer was set up, and why one did not run', () => {
    expect(page).toContain('**Express** (express 1.0.0)\n\n```ini peer\nsynchronous = FULL\n```');
    expect(page).toContain('**Directus** (did not run: could not be installed: no such version)');
  });

  test('shows a figure that failed among the goals, in one line', () => {
    expect(page).toContain('| images | failed: no sharp |  | **no** |');
  });

  test('has every drawing that it shows', () => {
    const shown = [...page.matchAll(/\]\(\.\.\/(images\/[^)]+)\)/g)].map((match) => `docs/${match[1]}`);
    expect(shown.length).toBeGreaterThan(0);
    expect(Object.keys(files).sort()).toEqual(['docs/explanation/benchmarks.md', ...shown].sort());
  });

  test('warns of what cannot be trusted', () => {
    expect(page).not.toContain('**Note.**');
    const doubtful = pageOf({ ...results, quick: true, fileSystem: 'tmpfs', loadAverageBefore: [3] }, file);
    expect(doubtful['docs/explanation/benchmarks.md']?.match(/\*\*Note\.\*\*/g)).toHaveLength(3);
  });
});

describe('a report on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-report-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('keeps all numbers, beside them the table and the drawings, and no folder of the machine', () => {
    const why = `failed: ${homedir()}/secret/place is missing`;
    const all = { ...results, figures: { ...results.figures, images: failedFigure('images', why) } };
    const path = writeReport(all, `${folder}/`);
    expect(readdirSync(folder).sort()).toEqual([
      '2026-11-15T10-20-30.000Z-ingest-json-p99.svg',
      '2026-11-15T10-20-30.000Z-ingest-json-rate.svg',
      '2026-11-15T10-20-30.000Z.json',
      '2026-11-15T10-20-30.000Z.md',
    ]);
    expect(JSON.parse(readFileSync(path, 'utf8')).figures.ingest).toEqual(results.figures.ingest);
    expect(readFileSync(path, 'utf8')).not.toContain(`${homedir()}/secret`);
  });
});

test('a bar in a value does not break the table', () => {
  expect(markdownTable(['a'], [['x|y']])).toBe('| a |\n| --- |\n| x\\|y |\n');
  expect(tableMarkdown(results).split('\n')[0]).toBe('| Figure | Measured | Goal | Met |');
});

describe('the time of a run', () => {
  test('all figures are planned within thirteen minutes, and the quick ones within 70 seconds', () => {
    expect(expectedSeconds(usualNames, false)).toBeLessThanOrEqual(780);
    expect(expectedSeconds(usualNames, true)).toBeLessThanOrEqual(70);
  });

  test('no figure may take more than what is left', () => {
    expect(limitSeconds('ingest', false, 40, 600)).toBe(40);
    expect(limitSeconds('start-up', true, 180, 180)).toBe(60);
  });

  test('a run that was given more time gives more to each', () => {
    const usual = limitSeconds('ingest', false, 600, 600);
    expect(limitSeconds('ingest', false, 36_000, 36_000)).toBeGreaterThan(usual);
  });
});
