/** docs/reference/cli.md: every command with its options, from the tables that the CLI itself uses. */

const introduction = `---
title: Command line
description: Every command of inlet with its options.
order: 1
---

<!-- Generated from src/cli by npm run docs; do not edit. -->

# Command line

Look up a command of \`inlet\` and its options.

| How you installed Inlet | The command |
|---|---|
| \`npx\` | \`npx inlet-forms\` |
| \`npm install --global inlet-forms\` | \`inlet\` |
| a clone | \`npx inlet\` |
| Docker | \`docker exec inlet inlet\` |
| systemd | \`inlet\`, a [script for root](../guides/going-live.md#the-command-inlet) |

Use \`npx inlet\` only in a clone: the npm package \`inlet\` is not ours.

- A command reads the settings of its own shell, not those of a running service. Give it the same settings, at least \`DATA_DIR\` and \`DATABASE_URL\`.
  Otherwise it works on another instance. Without \`SMTP_URL\`, for example, \`inlet doctor\` reports that mail is off.
- All commands except \`restore\` and \`copy\` work while the service runs.
- Every command takes \`--json\`, which prints the result as one line of JSON, and \`--help\`.
- Exit codes: 0 for success, 1 for a failure, 2 for a wrong command line.

Examples:

\`\`\`sh
inlet keys create --name "Website build" --scope read
inlet accounts create --name "Second account" --plan pro
inlet users create --account ID --email you@example.com     # "inlet accounts list" shows the ids
inlet backup --to /var/backups/inlet-2026-11-15
inlet doctor
\`\`\`

A new account has an API key, but no user: create one for each person who signs in to it. To restore a backup, see [Restore a backup](../guides/backup.md#restore-a-backup).`;

const cell = (text) => text.replace(/[|<>]/g, '\\$&');

const table = (head, rows) =>
  rows.length === 0
    ? []
    : ['', ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)];

function section({ words, summary, notes = [], argument, options }) {
  const name = words.join(' ');
  const argumentText = argument ? (argument.required ? ` ${argument.name}` : ` [${argument.name}]`) : '';
  const argumentRows = argument ? [[`\`${argument.name}\``, cell(argument.doc)]] : [];
  const optionRows = Object.entries(options).map(([option, { value, choices, required, doc }]) => [
    `\`--${option}${value === undefined ? '' : ` ${value}`}\``,
    cell(
      [
        doc,
        choices && !choices.every((choice) => doc.includes(choice)) && `One of: ${choices.join(', ')}.`,
        required && 'Required.',
      ]
        .filter(Boolean)
        .join(' '),
    ),
  ]);
  return [
    `## inlet ${name}`,
    '',
    summary,
    ...(notes.length > 0 ? ['', ...notes.map(cell)] : []),
    '',
    '```sh',
    `inlet ${name}${argumentText}${optionRows.length > 0 ? ' [options]' : ''}`,
    '```',
    ...table(['', 'Meaning'], [...argumentRows, ...optionRows]),
  ].join('\n');
}

const next = 'Next: [all settings](settings.md).';

/** The whole page. */
export const cliMarkdown = (commands) => `${[introduction, ...commands.map(section), next].join('\n\n')}\n`;
