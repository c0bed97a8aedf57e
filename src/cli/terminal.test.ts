import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { alignedRows, barText, createTerminal, printable, shellWord, sizeText, table } from './terminal.js';

function screen(options: { isTTY: boolean; env?: NodeJS.ProcessEnv; json?: boolean }) {
  const written = { stdout: '', stderr: '' };
  let now = 0;
  const output = (name: keyof typeof written) => ({
    isTTY: options.isTTY,
    write(text: string) {
      written[name] += text;
    },
  });
  const terminal = createTerminal({
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: options.env ?? {},
    json: options.json ?? false,
    now: () => now,
  });
  return {
    terminal,
    written,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('columns', () => {
  it('align, and leave no blanks at the end', () => {
    expect(alignedRows([['a', 'long name', 'x'], ['bcd', 'é', ''], []])).toEqual([
      'a    long name  x',
      'bcd  é',
      '',
    ]);
  });

  it('carry no escape sequence out of a name', () => {
    const { terminal } = screen({ isTTY: false });
    expect(table(terminal, ['NAME'], [['\x1b[2Jx\ny\u202e']])).toEqual(['NAME', '\ufffd[2Jx\ufffdy[U+202E]']);
    expect(printable('Zoë 日本')).toBe('Zoë 日本');
  });
});

describe('colour', () => {
  it.each([
    [{ isTTY: true }, '\x1b[31mno\x1b[39m'],
    [{ isTTY: false }, 'no'],
    [{ isTTY: true, env: { NO_COLOR: '1' } }, 'no'],
    [{ isTTY: true, env: { NO_COLOR: '' } }, '\x1b[31mno\x1b[39m'],
    [{ isTTY: true, env: { TERM: 'dumb' } }, 'no'],
  ])('%j', (options, text) => {
    expect(screen(options).terminal.styled('red', 'no')).toBe(text);
  });
});

describe('progress', () => {
  it('shows after two seconds, not more than ten times a second, and is wiped', () => {
    const { terminal, written, pass } = screen({ isTTY: true });
    pass(1_999);
    terminal.progress.show('1 %');
    expect(written.stderr).toBe('');
    pass(1);
    terminal.progress.show('2 %');
    pass(99);
    terminal.progress.show('3 %');
    pass(1);
    terminal.progress.show('4 %');
    expect(written.stderr).toBe('\r\x1b[K2 %\r\x1b[K4 %');
    terminal.progress.clear();
    expect(written.stderr).toBe('\r\x1b[K2 %\r\x1b[K4 %\r\x1b[K');
    expect(written.stdout).toBe('');
  });

  it('tells of long work in a line every five seconds where nobody watches', () => {
    const { terminal, written, pass } = screen({ isTTY: false });
    for (const text of ['1 %', '2 %', '3 %', '4 %']) {
      pass(2_500);
      terminal.progress.tell(text);
    }
    expect(written).toEqual({ stdout: '', stderr: '2 %\n4 %\n' });
    const watched = screen({ isTTY: true });
    watched.pass(2_000);
    watched.terminal.progress.tell('1 %');
    expect(watched.written.stderr).toBe('\r\x1b[K1 %');
  });

  it('draws a bar that is never longer than its frame', () => {
    expect(barText('Rows', 0, '0 of 9')).toBe(`Rows  ${'░'.repeat(24)}  0 %  0 of 9`);
    expect(barText('Rows', 0.999, '')).toBe(`Rows  ${'█'.repeat(23)}░  99 %  `);
    expect(barText('Rows', 1.5, '')).toBe(`Rows  ${'█'.repeat(24)}  100 %  `);
  });

  it('says nothing where nobody watches', () => {
    const { terminal, written, pass } = screen({ isTTY: false });
    pass(10_000);
    terminal.progress.show('1 %');
    terminal.progress.clear();
    expect(written.stderr).toBe('');
  });
});

describe('results', () => {
  it('are lines for people and one line for programs', () => {
    const { terminal, written } = screen({ isTTY: false });
    terminal.say('one', 'two');
    terminal.sayJson({ text: 'a\nb' });
    terminal.note('beside');
    expect(written).toEqual({ stdout: 'one\ntwo\n{"text":"a\\nb"}\n', stderr: 'beside\n' });
  });
});

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [10 * 1024 ** 2, '10.0 MiB'],
  [200.4 * 1024 ** 3, '200 GiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it.each(['/var/backups/inlet', 'my backup', "Ada's $HOME", '~', '`date`'])(
  'a shell reads %s back',
  (text) => {
    const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
    expect(stdout).toBe(text);
  },
);
