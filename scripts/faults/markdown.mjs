/** The tables of docs/explanation/faults.md, from the last results. */
import { areas } from '../sabotage/list.mjs';
import { casedFaults, countedFaults } from './list.mjs';

const count = (value) => (value === undefined ? '–' : value.toLocaleString('en-US'));
const cell = (text) => text.replaceAll('|', '\\|');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const verdicts = {
  noticed: 'noticed',
  missed: '**not noticed**',
  'other reason': '**failed for another reason**',
};

export function faultTables({ measured, faults }) {
  const counted = countedFaults.map(({ id, title, command }) => {
    const done = faults[id];
    const isHistory = id === 'simulation';
    return [
      title,
      count(done?.faults),
      isHistory ? '–' : count(done?.acknowledged),
      isHistory ? '–' : count(done?.unanswered),
      done?.lost === undefined ? '–' : `**${count(done.lost)}**`,
      `\`${command}\``,
    ];
  });
  const cased = casedFaults.map(({ id, title, command }) => {
    const done = faults[id];
    return [
      title,
      count(done?.cases),
      done === undefined ? '–' : `**${count(done.failed)}**`,
      `\`${command}\``,
    ];
  });
  const where = measured
    ? `Last run: ${measured.on}, Node ${measured.node.slice(1)}, ${measured.platform}, ${measured.processors} processors.`
    : 'Not run yet.';
  return [
    where,
    '',
    table(
      ['Fault, under load', 'Times', 'Acknowledged', 'Not acknowledged', 'Lost', 'Repeat it, for longer'],
      counted,
    ),
    '',
    table(['Fault, case by case', 'Cases', 'Failed', 'Repeat it'], cased),
  ].join('\n');
}

export function sabotageTables({ sabotages }) {
  return areas
    .map(({ title, sabotages: all }) => {
      const rows = all.map(({ name, breaks, test }) => [
        breaks,
        `\`${name}\``,
        `${test.file}: “${test.name}”`,
        verdicts[sabotages[name]?.verdict] ?? 'not run yet',
      ]);
      return `### ${title}\n\n${table(['Promise', 'Broken by', 'Test that must fail', 'Last run'], rows)}`;
    })
    .join('\n\n');
}
