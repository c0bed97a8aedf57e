/** Writes one run to disk: all numbers as JSON, next to a readable table and the charts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { plot } from './plot.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const resultsFolder = `${root}bench/results/`;

/** Takes the place of a figure that could not be measured. It has no number and never meets its goal. */
export const failedFigure = (name, why) => ({
  failed: true,
  rows: [{ figure: name, value: why.split('\n')[0], goal: '', met: false }],
});

const cell = (value) =>
  String(value ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');

export const markdownTable = (columns, rows) =>
  [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |\n`).join('');

const verdict = (met) => (met === null ? '' : met ? 'yes' : '**no**');

export const rowsTable = (rows) =>
  markdownTable(
    ['Figure', 'Measured', 'Goal', 'Met'],
    rows.map(({ figure, value, goal, met }) => [figure, value, goal, verdict(met)]),
  );

export const allRows = (results) => Object.values(results.figures).flatMap((figure) => figure.rows);

export const tableMarkdown = (results) => rowsTable(allRows(results));

export const allPlots = (results) => Object.values(results.figures).flatMap((figure) => figure.plots ?? []);

/** Failure messages may contain paths, which would reveal whose machine it was. */
const withoutFolders = (text) =>
  [root, homedir(), tmpdir()]
    .filter((folder) => folder.length > 1)
    .reduce((left, folder) => left.replaceAll(folder, '…/'), text);

/** Returns the path of the JSON. */
export function writeReport(results, folder = resultsFolder) {
  mkdirSync(folder, { recursive: true });
  const base = `${folder}${results.at.replaceAll(':', '-')}`;
  writeFileSync(`${base}.json`, `${withoutFolders(JSON.stringify(results, null, 2))}\n`);
  writeFileSync(`${base}.md`, withoutFolders(tableMarkdown(results)));
  for (const drawing of allPlots(results)) writeFileSync(`${base}-${drawing.name}.svg`, plot(drawing));
  return `${base}.json`;
}
