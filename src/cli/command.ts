/** A command: its words, options, optional argument, and work. Help and parsing are derived from it. */
import type { Terminal } from './terminal.js';

export interface OptionSpec {
  /** The word for its value in the help, such as ID. Without it the option is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
  readonly doc: string;
}

/** The options as given; all are checked against the command's table before it runs. */
export interface Arguments {
  text(option: string): string | null;
  /** For an option that is marked required. */
  required(option: string): string;
  isOn(option: string): boolean;
  /** The values of a repeatable option, in the order given. */
  all(option: string): readonly string[];
  readonly argument: string | null;
}

export interface CommandInput {
  readonly args: Arguments;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
}

export interface Command {
  readonly words: readonly string[];
  readonly summary: string;
  /** Further lines of the help. */
  readonly notes?: readonly string[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly argument?: { readonly name: string; readonly required: boolean; readonly doc: string };
  /** Resolves with the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** The command line itself is wrong: exit code 2, with a pointer to the help. */
export class WrongUsage extends Error {
  constructor(
    message: string,
    /** The command whose help to point to. */
    readonly words: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The command cannot do its work for a reason that the operator can act on: exit code 1, no stack trace. */
export class CannotRun extends Error {
  readonly lines: readonly string[];

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}
