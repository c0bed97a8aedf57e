/** The report of a soak: the numbers, charts of them, and a page that explains them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plot } from '../report/plot.mjs';

const drawings = [
  {
    name: 'memory',
    title: 'Memory over the soak',
    label: 'MiB',
    lines: { rssMiB: 'resident', besideHeapMiB: 'of it beside the heap', heapMiB: 'heap in use' },
  },
  {
    name: 'descriptors',
    title: 'Descriptors and threads',
    label: 'open',
    lines: { descriptors: 'descriptors', threads: 'threads' },
  },
  {
    name: 'database',
    title: 'Write-ahead log and database',
    label: 'MiB',
    lines: { walMiB: 'write-ahead log', databaseMiB: 'database' },
  },
  {
    name: 'queue',
    title: 'How long the oldest due webhook has waited, of all receivers',
    label: 'seconds',
    lines: { queueAgeSeconds: 'oldest due' },
  },
  {
    name: 'event-loop',
    title: 'Longest hold-up of the event loop in each second',
    label: 'ms',
    lines: { loopMs: 'all', loopWorkMs: 'our own work', loopGcMs: 'garbage' },
  },
];

const verdict = (holds) => (holds === null ? 'told only' : holds ? 'yes' : '**NO**');

/** Returns the paths of the written files, the page first. */
export function writeReport(folder, result) {
  mkdirSync(folder, { recursive: true });
  const stem = `soak-${result.at.replaceAll(':', '-')}`;
  const inMinutes = result.seconds >= 300;
  const images = drawings.map(({ name, title, label, lines }) => {
    const svg = plot({
      title,
      x: { label: inMinutes ? 'minutes' : 'seconds' },
      y: { label },
      lines: Object.entries(lines).map(([field, words]) => ({
        label: words,
        points: result.samples.map((sample) => [sample.at / (inMinutes ? 60 : 1), sample[field] ?? null]),
      })),
    });
    const file = `${stem}-${name}.svg`;
    writeFileSync(join(folder, file), svg);
    return { title, file };
  });
  const text = `# Soak of ${result.at}

${result.seconds} seconds at ${result.ratesTotal} requests a second, ${result.restarts.length} restarts by SIGTERM in the first half, none in the second.
Revision ${result.revision}, Node ${result.node}, ${result.cpus}. Repeat it: \`${result.command}\`

At most ${result.keep} submissions are kept: the oldest that were delivered are deleted through the API, so that neither the disk nor
the lists grow for ever. Receivers: one healthy; one each that refuses, hangs, answers 500, answers after a second, cuts the connection.
Webhooks get ${result.webhookTimeout} and are tried again after ${result.retryDelays}.

| what must hold | found | holds |
| --- | --- | --- |
${result.checks.map(({ name, found, holds }) => `| ${name} | ${found} | ${verdict(holds)} |`).join('\n')}

${images.map(({ title, file }) => `![${title}](${file})`).join('\n\n')}

| answer | how many |
| --- | --- |
${Object.entries(result.answers)
  .sort()
  .map(([name, count]) => `| ${name} | ${count} |`)
  .join('\n')}
`;
  const page = join(folder, `${stem}.md`);
  writeFileSync(page, text);
  const numbers = join(folder, `${stem}.json`);
  writeFileSync(numbers, `${JSON.stringify(result)}\n`);
  return [page, numbers, ...images.map(({ file }) => join(folder, file))];
}
