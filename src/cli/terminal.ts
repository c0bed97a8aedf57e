/**
 * What a user or a script sees. Results go to standard output, everything else to standard error, so that `--json`
 * leaves only JSON on standard output. Colour is used only on a terminal and never alone: a word says the same.
 */
import { styleText } from 'node:util';
import { shownCharacters } from '../kernel/hidden-characters.js';

export type Colour = 'green' | 'yellow' | 'red' | 'bold' | 'dim';

export interface Terminal {
  readonly json: boolean;
  /** Lines of the result, for humans. */
  say(...lines: readonly string[]): void;
  /** The result, for programs: one line. */
  sayJson(value: unknown): void;
  /** Lines that are not part of the result. */
  note(...lines: readonly string[]): void;
  /** Styles what `say` prints. */
  styled(colour: Colour, text: string): string;
  /** A line that the next one overwrites; only `tell` also writes where there is no terminal. */
  readonly progress: Progress;
}

export interface Progress {
  show(text: string): void;
  /** For long work: without a terminal, a line every few seconds shows that it continues. */
  tell(text: string): void;
  clear(): void;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface TerminalOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly json: boolean;
  readonly now: () => number;
}

/** Work that ends sooner needs no progress line. */
const progressAfterMs = 2_000;
const progressEveryMs = 100;
const lineEveryMs = 5_000;

export function createTerminal({ stdout, stderr, env, json, now }: TerminalOptions): Terminal {
  const plain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return {
    json,
    say: (...lines) => void stdout.write(lines.map((line) => `${line}\n`).join('')),
    sayJson: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    note: (...lines) => void stderr.write(lines.map((line) => `${line}\n`).join('')),
    styled: (colour, text) =>
      stdout.isTTY && !plain ? styleText(colour, text, { validateStream: false }) : text,
    progress: createProgress(stderr, now),
  };
}

function createProgress(stderr: Output, now: () => number): Progress {
  const startedAt = now();
  let shownAt: number | null = null;
  let toldAt = startedAt;
  const show = (text: string): void => {
    if (
      !stderr.isTTY ||
      now() - (shownAt ?? startedAt + progressAfterMs - progressEveryMs) < progressEveryMs
    ) {
      return;
    }
    shownAt = now();
    stderr.write(`\r\x1b[K${text}`);
  };
  return {
    show,
    tell(text) {
      if (stderr.isTTY) return show(text);
      if (now() - toldAt < lineEveryMs) return;
      toldAt = now();
      stderr.write(`${text}\n`);
    },
    clear() {
      if (shownAt !== null) stderr.write('\r\x1b[K');
      shownAt = null;
    },
  };
}

/** Columns as wide as their widest cell; the last one is not padded. */
export function alignedRows(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, index) =>
        index === row.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell)),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** A table with a header. User input is sanitized first. */
export function table(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const [first = '', ...rest] = alignedRows([head, ...rows.map((row) => row.map(printable))]);
  return [terminal.styled('bold', first), ...rest];
}

/** Names are user input: neither an escape sequence nor a character that reorders the line may reach the terminal. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  shownCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\ufffd');

/** Quoted for a shell: lines meant to be copied may contain any path. */
export const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const widthOf = (text: string): number => [...text].length;

const barCells = 24;

/** `name  ████████░░░░░░░░  33 %  amount`; `part` is 0 to 1. */
export function barText(name: string, part: number, amount: string): string {
  const full = Math.floor(Math.min(1, part) * barCells);
  const bar = '█'.repeat(full) + '░'.repeat(barCells - full);
  return `${name}  ${bar}  ${Math.floor(100 * Math.min(1, part))} %  ${amount}`;
}

const sizeUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < sizeUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizeUnits[unit]}`;
}
