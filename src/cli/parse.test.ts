import { describe, expect, it } from 'vitest';
import { type Command, WrongUsage } from './command.js';
import { commands } from './commands.js';
import { findCommand, parseInvocation } from './parse.js';

const probe: Command = {
  words: ['probe', 'send'],
  summary: 'For this test.',
  argument: { name: 'ID', required: false, doc: 'An id.' },
  options: {
    name: { value: 'NAME', required: true, doc: 'A name.' },
    size: { value: 'SIZE', choices: ['small', 'large'], doc: 'A size.' },
    quick: { doc: 'A switch.' },
  },
  run: async () => 0,
};

const parse = (...words: string[]) => parseInvocation(probe, words).args;

function complaint(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof WrongUsage) return error.message;
    throw error;
  }
  throw new Error('Nothing was refused');
}

describe('findCommand', () => {
  const found = (...words: string[]) => {
    const { command, rest } = findCommand(commands, words);
    return [command.words.join(' '), ...rest];
  };

  it('serves when no command is named', () => {
    expect(found()).toEqual(['serve']);
    expect(found('--role', 'all')).toEqual(['serve', '--role', 'all']);
  });

  it('takes one word or two', () => {
    expect(found('doctor', '--json')).toEqual(['doctor', '--json']);
    expect(found('accounts', 'set-plan', 'x', '--plan', 'pro')).toEqual([
      'accounts set-plan',
      'x',
      '--plan',
      'pro',
    ]);
  });

  it('keeps each name for one command', () => {
    const names = commands.map((command) => command.words.join(' '));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('parseInvocation', () => {
  it('hands over what was given', () => {
    const args = parse('x1', '--name', 'Ada', '--size=large', '--quick');
    expect([args.argument, args.required('name'), args.text('size')]).toEqual(['x1', 'Ada', 'large']);
    expect([args.isOn('quick'), args.isOn('json'), args.text('other')]).toEqual([true, false, null]);
  });

  it.each([
    [['--size', 'small'], '--name is missing.'],
    [['--name', ' '], '--name is empty.'],
    [['--name', 'a', '--size', 'huge'], '--size "huge" is not one of the choices: small, large.'],
    [['--name', 'a', '--frob=1'], 'There is no option --frob.'],
    [['--name', 'a', '-x'], 'There is no option -x.'],
    [['--name', 'a', 'x', 'y'], '"y" is one word too many.'],
    [['--name'], "Option '--name <value>' argument missing."],
  ])('refuses %j', (words, message) => {
    expect(complaint(() => parse(...words))).toBe(message);
  });

  it('asks for nothing when help is wanted', () => {
    expect(parse('--help').isOn('help')).toBe(true);
    expect(parse('-h').isOn('help')).toBe(true);
  });
});
