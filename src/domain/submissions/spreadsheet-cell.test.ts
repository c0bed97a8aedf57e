import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, quotesMatter, quotesMeanNothing } from '../../../test/support/csv.js';
import { safeCell, unsafeCell } from './spreadsheet-cell.js';

const formula = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;

describe('a text that stays as it is', () => {
  it.each([
    '-12.5',
    '+3',
    '-0',
    '-.5',
    '-1,234.56',
    '-1.234,56',
    '-1e5',
    '+1E-10',
    '12-5',
    '-',
    '+49 170 1234567',
    '+1 (555) 123-4567',
    '+1 555-123-4567',
    '+49 (0)89 123456',
    '+(49) 170-1234567',
    '+15551234567',
    'a;b\tc',
    'one\ntwo; three',
    'a-b;c=d',
    'Zoë',
  ])('%s', (text) => expect(safeCell(text)).toBe(text));
});

describe('a text that gets an apostrophe', () => {
  it.each([
    '=1+1',
    '+1-1',
    '+1-2',
    '+1-555-123-4567',
    '+49-170-1234567',
    '+49/170/1234567',
    '+49 - 170 - 1234567',
    '+(49)-(170)-1234567',
    '+1 234/5678',
    '+44.20.7946.0958',
    '-1+2',
    '-2+3+cmd|x!A0',
    '+A1',
    '@SUM(1)',
    '--5',
    '-1,2,3',
    '-5 EUR',
    '+',
    '+1 (555) 123-4567+1',
    '+49 170 1234567 =1',
    '+1 23456',
    '+1 234567890 123456',
    '－5',
    '＋49 170 1234567',
    ' -5',
    '-5\n',
    '"=1+1"',
  ])('%s', (text) => expect(safeCell(text)).toBe(`'${text}`));

  it.each([
    ['a;=1', "a;'=1"],
    ['a\t@x', "a\t'@x"],
    ['a\r\n=1\r\n-2', "a\r\n'=1\r\n'-2"],
    ['a; "=1"', `a; "'=1"`],
    ['a;\u200b＝1', "a;\u200b'＝1"],
    ['a;;\n;+1', "a;;\n;'+1"],
    [';=1', ";'=1"],
    ['\n=1', "'\n'=1"],
    ['\t-5', "'\t'-5"],
  ])('inside: %j', (text, cell) => expect(safeCell(text)).toBe(cell));
});

it('nothing is lost but NUL, and no reader finds a formula at the beginning of a cell', () => {
  const unit = fc.constantFrom(
    ...['=', '+', '-', '@', '\t', '\r', '\n', '\0', '"', "'", ',', ';', ' ', 'x', '1', '＝', '\u202e'],
  );
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit }));
  fc.assert(
    fc.property(fc.array(fc.array(value, { minLength: 2, maxLength: 2 }), { maxLength: 3 }), (rows) => {
      for (const text of rows.flat()) {
        expect(safeCell(text).replaceAll("'", '')).toBe(text.replace(/[\0']/g, ''));
      }
      const csv = rows
        .map((row) => ['id', ...row].map((text) => `"${safeCell(text).replaceAll('"', '""')}"`).join())
        .join('\r\n');
      for (const separator of [';', '\t', '|']) {
        for (const reader of [quotesMatter, quotesMeanNothing]) {
          for (const cell of cellsOf(csv, separator, reader)) expect(cell).not.toMatch(formula);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

it.each([
  ['line breaks', '\n'],
  ['quotes', '"'],
  ['groups', '1 '],
  ['groups, unfinished', '1  '],
])('takes no longer than its length for a text of nothing but %s', (_, unit) => {
  // Quadratic work would be 10^12 steps: the test would not end.
  expect(safeCell(`+${unit.repeat(1_000_000)}`)).toHaveLength(unit.length * 1_000_000 + 2);
});

it.each([
  ['semicolons', ';'],
  ['line breaks', '\n'],
  ['apostrophes', "'"],
  ['what a formula got in front of it', ";'="],
])('reads a cell of nothing but %s in no more time than its length takes', (_, unit) => {
  const cell = `a'${unit.repeat(500_000)}`;
  expect(unsafeCell(cell)).toHaveLength(cell.length - (unit === ";'=" ? 500_000 : 0));
});
