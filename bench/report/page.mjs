/** The page of one run, created from its results alone, so that anyone can repeat and compare it. */

import { clockText } from '../numbers.mjs';
import { about } from './about.mjs';
import { plot } from './plot.mjs';
import { allPlots, allRows, markdownTable, rowsTable } from './report.mjs';

const command = 'node bench/run.mjs publish';

/** The results file that a page names as its source, or null. */
export const resultsNamedBy = (page) =>
  new RegExp(`^<!-- ${command} (bench/results/[\\w.-]+\\.json) -->`).exec(page)?.[1] ?? null;

const imagePath = (name) => `images/bench-${name}.svg`;

function machine(results) {
  const versions = Object.entries(results.versions).map(([name, version]) => `${name} ${version}`);
  return markdownTable(
    ['', ''],
    [
      ['Processors', results.cpus],
      ['Memory', `${results.memoryGiB} GiB`],
      ['System', results.system],
      ['File system', results.fileSystem],
      ['Versions', versions.join(', ')],
      ['Sources', `revision ${results.revision}`],
      ['When, how long', `${results.at.slice(0, 10)}, ${clockText(results.tookSeconds)} minutes`],
      ['Load average', `${results.loadAverageBefore[0]} before, ${results.loadAverageAfter[0]} after`],
    ],
  );
}

const warnings = (results) =>
  [
    results.quick &&
      'This was a quick run: one short round of each. It shows that everything works; do not cite it.',
    results.fileSystem === 'tmpfs' &&
      'The data was in memory (tmpfs), where a sync costs nothing: the figures of durable writes are meaningless.',
    results.loadAverageBefore[0] > 1 &&
      `In the minute before the run the machine was busy (load average ${results.loadAverageBefore[0]}). If that continued during the run, these figures are worse than they should be, and the single rounds differ widely.`,
  ]
    .filter(Boolean)
    .map((text) => `> **Note.** ${text}\n\n`)
    .join('');

function peerSection({ label, versions, why, described, language }) {
  const state = why ? `did not run: ${why}` : versions;
  return `**${label}** (${state})\n\n\`\`\`${language} peer\n${described}\n\`\`\`\n\n`;
}

function section(name, figure) {
  const words = about[name] ?? { title: name, method: '', limits: '', bounded: '' };
  const isShort = figure.rows.some(({ met }) => met === false);
  const drawings = (figure.plots ?? []).map(
    ({ name: file, title }) => `![${title}](../${imagePath(file)})\n\n`,
  );
  const tables = (figure.tables ?? []).map(
    ({ title, columns, rows }) => `**${title}**\n\n${markdownTable(columns, rows)}\n`,
  );
  const peers = (figure.peers ?? []).map(peerSection);
  return [
    `## ${words.title}\n\n`,
    words.method && `${words.method}\n\n`,
    `${rowsTable(figure.rows)}\n`,
    isShort && words.bounded && `**Where a goal is not met.** ${words.bounded}\n\n`,
    ...drawings,
    ...tables,
    peers.length > 0 && 'The peers and their configuration:\n\n',
    ...peers,
    words.limits && `**Limits of this figure.** ${words.limits}\n\n`,
  ]
    .filter(Boolean)
    .join('');
}

function goals(results) {
  const held = allRows(results).filter(({ goal, met }) => goal !== '' || met === false);
  const met = held.filter((row) => row.met).length;
  return `${met} of ${held.length} goals are met.\n\n${rowsTable(held)}\n`;
}

const method = `Every figure is compared with a theoretical limit or with what you would use instead, measured in the same run on the same
machine. Absolute rates apply to this machine; ratios are more portable.

- Servers run in separate processes, with the same data, the same durability and the same number of connections.
- Each is warmed up. Then they are measured alternately, in three rounds or more. The ratio is computed per round; its median counts.
- Everything runs on one machine, over loopback, including the load generator.
- A peer that can't be installed, does not start or fails a single request is shown as "did not run", never as slow.
- All single rounds are in the results. If they differ widely, the run was disturbed.
`;

const limits = `- One machine, one disk, one afternoon. A sync takes 0.1 ms on some disks and 10 ms on others; sharing commits then matters more.
- No network: TLS, distance and slow clients are not included.
- A ratio shows how close Inlet is to the limit, not whether that is enough for you. Run the benchmarks where you will run Inlet.
`;

/** The generated files below docs/, by path. `file` is the path of the results from the root of the project. */
export function pageOf(results, file) {
  const text = `<!-- ${command} ${file} -->
# Benchmarks

The figures of one run of \`npm run bench\`. This page is generated from [its results](../../${file}), which include all single rounds.
[bench/README.md](../../bench/README.md) explains in detail how each figure is measured.

\`\`\`sh
npm run bench                 # all of it, thirteen minutes; installs the peers into your cache folder the first time
npm run bench -- --quick      # one minute, to check that it works
npm run bench -- ingest       # one figure
npm run bench -- --no-peers   # without other products
\`\`\`

${warnings(results)}## Goals

${goals(results)}## Machine

${machine(results)}
## Method

${method}
${Object.entries(results.figures)
  .map(([name, figure]) => section(name, figure))
  .join('')}## Limits of all figures

${limits}`;
  const files = { 'docs/explanation/benchmarks.md': text };
  for (const drawing of allPlots(results)) files[`docs/${imagePath(drawing.name)}`] = plot(drawing);
  return files;
}
