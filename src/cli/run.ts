/** From the words of the command line to an exit code: 0 done, 1 failed, 2 wrong usage. */
import { createLogger } from '../kernel/log.js';
import { type Command, WrongUsage } from './command.js';
import { commands } from './commands.js';
import { reportFailure } from './failure.js';
import { commandHelp, overview } from './help.js';
import { findCommand, parseInvocation } from './parse.js';
import { writesToJournal } from './serve/journal.js';
import { createTerminal, type Terminal } from './terminal.js';
import { readVersion } from './version.js';

export async function runCommandLine(words: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { stdout, stderr } = process;
  const json = words.includes('--json');
  const terminal = createTerminal({ stdout, stderr, env, json, now: () => Date.now() });
  // `inlet keys list | head -1`: the reader has seen enough, but the command must still finish its work.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    return await dispatch(words, env, terminal);
  } catch (error) {
    const log = !json && writesToJournal(env) ? createLogger('fatal') : null;
    return reportFailure(error, terminal, log);
  }
}

async function dispatch(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<number> {
  const [first] = words.filter((word) => word !== '--json');
  if (first === '--version' || first === '-v') return sayVersion(terminal);
  if (first === '--help' || first === '-h' || first === 'help') {
    return sayHelp(first === 'help' ? words.slice(words.indexOf('help') + 1) : [], terminal);
  }
  const group = groupAsked(words);
  if (group) return sayHelp([group], terminal);
  const found = findCommand(commands, words);
  const { command, args } = parseInvocation(found.command, found.rest);
  if (args.isOn('help')) {
    terminal.say(...commandHelp(command));
    return 0;
  }
  return command.run({ args, env, terminal });
}

/** `inlet accounts --help`: a group is not a command, but asking for its help is not a mistake. */
function groupAsked(words: readonly string[]): string | null {
  const [group, ...options] = words;
  const isGroup = commands.some((command) => command.words.length === 2 && command.words[0] === group);
  return isGroup && options.some((word) => word === '--help' || word === '-h') && options[0]?.startsWith('-')
    ? (group ?? null)
    : null;
}

function sayHelp(words: readonly string[], terminal: Terminal): number {
  const named = words.filter((word) => !word.startsWith('-'));
  const fits = (command: Command): boolean => named.every((word, index) => command.words[index] === word);
  const matching = commands.filter(fits);
  const [only] = matching;
  if (!only) throw new WrongUsage(`There is no command "${named.join(' ')}".`);
  terminal.say(...(matching.length === 1 ? commandHelp(only) : overview(matching)));
  return 0;
}

async function sayVersion(terminal: Terminal): Promise<number> {
  const version = await readVersion();
  if (terminal.json) terminal.sayJson({ version });
  else terminal.say(`inlet ${version}`);
  return 0;
}
