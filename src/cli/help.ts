/** The help texts, generated from the commands themselves. */
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
    'The form back-end you host yourself. Without a command, it starts the service.',
    '',
    'Commands:',
    ...indented(commands.map((command) => [command.words.join(' '), command.summary])),
    '',
    'Options:',
    ...indented([
      ['--help', 'Show this help, or the help of a command.'],
      ['--version', 'Show the version.'],
      ['--json', 'Print the result as one line of JSON. Every command has this option.'],
    ]),
    '',
    'Settings are environment variables. "inlet config" shows the current ones.',
  ];
}

export function commandHelp(command: Command): string[] {
  const { argument } = command;
  const argumentText = argument ? (argument.required ? ` ${argument.name}` : ` [${argument.name}]`) : '';
  const options = Object.entries(optionsOf(command)).map(([name, spec]) => {
    const value = spec.value === undefined ? '' : ` ${spec.choices?.join('|') ?? spec.value}`;
    const notes = [...(spec.required ? ['Required.'] : []), ...(spec.isRepeatable ? ['Repeatable.'] : [])];
    return [`--${name}${value}`, [spec.doc, ...notes].join(' ')];
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
