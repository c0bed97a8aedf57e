import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SubmissionEvent } from '../../../ports/destination-kind.js';
import { cellsOf, columnLetters, idColumn, missingColumns, rangeIn, readRow, rowOf } from './row.js';

const id = '01937c0e-0000-7000-8000-000000000003';

const eventOf = (data: string, template: string | null = null): SubmissionEvent => ({
  form: { id: 'f', publicId: 'p', slug: 's', name: 'Contact', fields: [] },
  project: { id: 'p', accountId: 'a', slug: 's', name: 'Site' },
  submission: {
    id,
    formId: 'f',
    projectId: 'p',
    data,
    metadata: { ip: '', userAgent: '', submittedFrom: '', controlFields: null },
    createdAt: 0,
  },
  files: [],
  isTest: false,
  body: () => '{}',
  fields: () => JSON.parse(data),
  link: '',
  fileLink: () => '',
  renderText: () => null,
  renderJson: () => template,
  once: (_, make) => make(),
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }), fc.nat({ max: 40_000 }))
    .map(([unit, times]) => unit.repeat(times)),
);
const anyFields = fc.oneof(
  fc.dictionary(anyText, fc.oneof(anyText, fc.jsonValue())),
  fc
    .tuple(fc.nat({ max: 1_000 }), anyText)
    .map(([count, text]) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, text.slice(0, 2_000)])),
    ),
);

describe('rowOf', () => {
  it('stays within what a sheet takes, whatever is submitted', () => {
    fc.assert(
      fc.property(anyFields, fc.array(anyText, { maxLength: 3 }), (fields, header) => {
        const row = rowOf(eventOf(JSON.stringify(fields)));
        expect(readRow(JSON.stringify(row))).toEqual(row);
        expect(new Set(row.columns).size).toBe(row.columns.length);
        expect(row.columns.length).toBeLessThanOrEqual(499);
        const names = [...header, ...missingColumns(row, header)];
        const cells = cellsOf(row, names);
        expect(cells[names.indexOf(idColumn)]).toBe(id);
        expect(cells.join('').length).toBeLessThan(1_600_000);
        for (const text of [...row.columns, ...cells]) {
          if (text === null) continue;
          expect(text.length).toBeLessThanOrEqual(50_000);
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toMatch(/[^\P{Cc}\t\n\r]/u);
        }
        expect(missingColumns(row, names)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('is the same for the same submission', () => {
    const data = '{"b":1.50,"a":"x","a":"y"}';
    expect(rowOf(eventOf(data))).toEqual(rowOf(eventOf(data)));
    expect(rowOf(eventOf(data))).toEqual({
      columns: ['Submission', 'Submitted at', 'b', 'a'],
      values: [id, '1970-01-01T00:00:00.000Z', '1.50', 'y'],
      rest: [],
    });
  });

  it('has the columns of a template that is an object', () => {
    const columns = (template: string) => rowOf(eventOf('{"a":"x"}', template)).columns.slice(2);
    expect(columns('{"Name":"x","Total":7}')).toEqual(['Name', 'Total']);
    expect(columns('["x"]')).toEqual(['a']);
  });
});

describe('readRow', () => {
  it.each([
    'null',
    '[]',
    '{}',
    '{"columns":[1],"values":[],"rest":[]}',
    '{"columns":[],"values":[],"rest":[["a"]]}',
  ])('rejects %s', (body) => {
    expect(() => readRow(body)).toThrow('not a row');
  });
});

describe('cellsOf', () => {
  it('fills the first of two columns with the same name, and leaves other columns alone', () => {
    const row = { columns: ['a', 'b'], values: ['1', '2'], rest: [] };
    expect(cellsOf(row, ['b', 'mine', 'a', 'a'])).toEqual(['2', null, '1', null]);
  });
});

describe('A1 notation', () => {
  it.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [51, 'AZ'],
    [52, 'BA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [18_277, 'ZZZ'],
  ])('has column %i as %s', (index, letters) => {
    expect(columnLetters(index)).toBe(letters);
  });

  it.each(["It's", 'a/b?c#d', 'Sheet!A1:B2', '100 %', '../x', '\ud800'])('quotes the name %j', (name) => {
    const url = new URL(`https://x/values/${rangeIn(name, 'A1')}:append?q=1`);
    const path = decodeURIComponent(url.pathname);
    expect(path).toBe(`/values/'${name.toWellFormed().replaceAll("'", "''")}'!A1:append`);
  });
});
