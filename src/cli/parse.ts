/** Words of the command line → a command with checked options, or a message that says what is wrong. */
import { parseArgs } from 'node:util';
import { type Arguments, type Command, type OptionSpec, WrongUsage } from './command.js';

/** Options that every command has. */
const commonOptions = {
  json: { doc: 'Print the result as one line of JSON.' },
  help: { doc: 'Show this help.' },
} as const satisfies Record<string, OptionSpec>;

export const optionsOf = (command: Command): Readonly<Record<string, OptionSpec>> => ({
  ...command.options,
  ...commonOptions,
});

export interface Invocation {
  readonly command: Command;
  readonly args: Arguments;
}

const wordsOf = (command: Command): string => command.words.join(' ');

/** The command named by the first words, and the words after it. `serve` when there is none. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: readonly string[] } {
  const named = words.findIndex((word) => word.startsWith('-'));
  const leading = named === -1 ? words : words.slice(0, named);
  if (leading.length === 0) return { command: commandNamed(commands, 'serve'), rest: words };
  for (const length of [2, 1]) {
    const text = leading.slice(0, length).join(' ');
    const command = commands.find((candidate) => wordsOf(candidate) === text);
    if (command) return { command, rest: words.slice(command.words.length) };
  }
  const [group = ''] = leading;
  const inGroup = commands.filter((command) => command.words[0] === group);
  if (inGroup.length === 0) throw new WrongUsage(`There is no command "${group}".`);
  const choices = inGroup.map((command) => command.words[1] ?? '').join(', ');
  const wrong = leading[1] === undefined ? 'needs one more word' : `has no "${leading[1]}"`;
  throw new WrongUsage(`"inlet ${group}" ${wrong}: ${choices}.`, [group]);
}

function commandNamed(commands: readonly Command[], text: string): Command {
  const command = commands.find((candidate) => wordsOf(candidate) === text);
  if (!command) throw new Error(`No command "${text}"`);
  return command;
}

export function parseInvocation(command: Command, words: readonly string[]): Invocation {
  const options = optionsOf(command);
  const wrong = (message: string): WrongUsage => new WrongUsage(message, command.words);
  const { values, positionals } = parseStrictly(command, words, wrong);
  if (values.help !== true) {
    for (const [name, spec] of Object.entries(options)) requireFit(name, spec, values[name], wrong);
    const { argument } = command;
    const most = argument ? 1 : 0;
    if (positionals.length > most) throw wrong(`"${positionals[most]}" is one word too many.`);
    if (argument?.required && positionals.length === 0) throw wrong(`${argument.name} is missing.`);
  }
  const text = (name: string): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    command,
    args: {
      text,
      required(name) {
        const value = text(name);
        if (value === null) throw wrong(`--${name} is missing.`);
        return value;
      },
      isOn: (name) => values[name] === true,
      all(name) {
        const value = values[name];
        return typeof value === 'object' ? value : [];
      },
      argument: positionals[0] ?? null,
    },
  };
}

type Value = string | boolean | readonly string[] | undefined;
type Values = Readonly<Record<string, Value>>;

function parseStrictly(
  command: Command,
  words: readonly string[],
  wrong: (message: string) => WrongUsage,
): { values: Values; positionals: readonly string[] } {
  const table = Object.entries(optionsOf(command)).map(
    ([name, spec]) =>
      [
        name,
        {
          type: spec.value === undefined ? ('boolean' as const) : ('string' as const),
          multiple: spec.isRepeatable === true,
        },
      ] as const,
  );
  const options = { ...Object.fromEntries(table), help: { type: 'boolean' as const, short: 'h' } };
  try {
    const parsed = parseArgs({ args: [...words], options, strict: true, allowPositionals: true });
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (error) {
    throw wrong(sentenceOf(error as Error & { code?: string }));
  }
}

/** Node's own text continues with hints that do not apply here; its first sentence does. */
function sentenceOf(error: Error & { code?: string }): string {
  if (!error.code?.startsWith('ERR_PARSE_ARGS_')) throw error;
  const unknown = /'(-[^']*)'/.exec(error.message)?.[1];
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && unknown) return `There is no option ${unknown}.`;
  const [first = ''] = error.message.split(/[.\n]/);
  return `${first}.`;
}

function requireFit(
  name: string,
  spec: OptionSpec,
  value: Value,
  wrong: (message: string) => WrongUsage,
): void {
  if (value === undefined) {
    if (spec.required) throw wrong(`--${name} is missing.`);
    return;
  }
  if (typeof value === 'object') {
    for (const one of value) requireFit(name, spec, one, wrong);
    return;
  }
  if (typeof value !== 'string') return;
  if (value.trim() === '') throw wrong(`--${name} is empty.`);
  if (spec.choices && !spec.choices.includes(value)) {
    throw wrong(`--${name} "${value}" is not one of the choices: ${spec.choices.join(', ')}.`);
  }
}
