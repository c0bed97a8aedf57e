/** The help texts, made from the commands themselves. */
import type { Command } from './command.js';
import { optionsOf } from './parse.js';
import { alignedRows } from './terminal.js';

const indented = (rows: readonly (readonly string[])[]): string[] =>
  alignedRows(rows).map((line) => `  ${line}`);

/** All commands, or those of one group. */
export function overview(commands: readonly Command[]): string[] {
  return [
    'Usage: inlet [command] [options]',
    '',
    'The form back-end that you run yourself. Without a command it serves.',
    '',
    'Commands:',
    ...indented(commands.map((command) => [command.words.join(' '), command.summary])),
    '',
    'Options:',
    ...indented([
      ['--help', 'Show this help, or that of a command.'],
      ['--version', 'Show the version.'],
      ['--json', 'Print the result as JSON on one line; for every command.'],
    ]),
    '',
    'Settings are environment variables; "inlet config" shows those in force.',
  ];
}

export function commandHelp(command: Command): string[] {
  const { argument } = command;
  const argumentText = argument ? (argument.required ? ` ${argument.name}` : ` [${argument.name}]`) : '';
  const options = Object.entries(optionsOf(command)).map(([name, spec]) => {
    const value = spec.value === undefined ? '' : ` ${spec.choices?.join('|') ?? spec.value}`;
    return [`--${name}${value}`, spec.required ? `${spec.doc} Required.` : spec.doc];
  });
  return [
    `Usage: inlet ${command.words.join(' ')}${argumentText} [options]`,
    '',
    command.summary,
    ...(command.notes ? ['', ...command.notes] : []),
    ...(argument ? ['', 'Argument:', ...indented([[argument.name, argument.doc]])] : []),
    '',
    'Options:',
    ...indented(options),
  ];
}
