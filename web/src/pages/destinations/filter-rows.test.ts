import { describe, expect, it } from 'vitest';
import {
  draftOf,
  type FilterRow,
  filterOf,
  type Match,
  noFilter,
  operators,
  problemOf,
  seenType,
} from './filter-rows.js';

const row = (
  field: string,
  operator: FilterRow['operator'],
  value = '',
  type: FilterRow['type'] = 'text',
) => ({
  field,
  operator,
  value,
  type,
});
const rows = (match: Match, ...each: FilterRow[]) => ({ mode: 'rows' as const, match, rows: each });
const data = (fields: unknown) => ({ submission: { data: fields } });

describe('filterOf', () => {
  it.each([
    [rows('all'), null],
    [rows('all', row('topic', 'is', 'sales')), data({ topic: 'sales' })],
    [rows('all', row('topic', 'is_not', 'sales')), { $not: data({ topic: 'sales' }) }],
    [rows('all', row('topic', 'one_of', 'a, b ,')), data({ topic: { $in: ['a', 'b'] } })],
    [rows('all', row('age', 'above', '17', 'number')), data({ age: { $gt: 17 } })],
    [rows('all', row('age', 'above', '17')), data({ age: { $gt: '17' } })],
    [rows('all', row('agreed', 'is', 'true', 'boolean')), data({ agreed: true })],
    [rows('all', row('age', 'is', 'many', 'number')), data({ age: 'many' })],
    [rows('all', row('note', 'empty')), { $not: data({ note: { $neq: '' } }) }],
    [
      rows('all', row('topic', 'is', 'sales'), row('country', 'starts', 'D')),
      data({ topic: 'sales', country: { $startsWith: 'D' } }),
    ],
    [
      rows('all', row('topic', 'contains', 'a'), row('topic', 'contains', 'b')),
      { $and: [data({ topic: { $in: 'a' } }), data({ topic: { $in: 'b' } })] },
    ],
    [
      rows('any', row('topic', 'is', 'sales'), row('country', 'lacks', 'D')),
      { $or: [data({ topic: 'sales' }), { $not: data({ country: { $in: 'D' } }) }] },
    ],
  ])('%j makes %j', (draft, filter) => {
    expect(filterOf(draft)).toEqual({ filter });
  });

  it('takes JSON as it is, and says where it is none', () => {
    expect(filterOf({ mode: 'json', text: '{"a":1}' })).toEqual({ filter: { a: 1 } });
    expect(filterOf({ mode: 'json', text: ' ' })).toEqual({ filter: null });
    expect(problemOf({ mode: 'json', text: '{"a":' })).toMatch(/^This is not valid JSON: /);
  });
});

describe('draftOf', () => {
  it.each(operators.map(({ name, takes }) => [name, takes] as const))(
    'reads back what %s makes',
    (name, takes) => {
      const value = { value: 'x', list: 'x, y', nothing: '' }[takes];
      const draft = rows('all', row('topic', name, value), row('country', 'is', 'DE'));
      const made = filterOf(draft);
      expect('filter' in made && draftOf(made.filter)).toEqual(draft);
    },
  );

  it('keeps the type of a value', () => {
    const draft = rows('any', row('age', 'is', '5', 'number'), row('age', 'is', '5'));
    const made = filterOf(draft);
    expect('filter' in made && draftOf(made.filter)).toEqual(draft);
  });

  it.each([
    { form: { slug: 'contact' } },
    { submission: { data: { age: { $gt: 1, $lt: 5 } } } },
    { submission: { data: { address: { city: 'Bonn' } } } },
    { submission: { data: {}, files: [] } },
    { submission: { data: { a: null } } },
    { $and: [] },
    { $or: [{ submission: { data: { a: 1 } } }], $and: [] },
    { submission: { data: { topic: { $in: ['a,b'] } } } },
    'text',
    {},
  ])('leaves %j as JSON', (filter) => {
    const draft = draftOf(filter);
    expect(draft.mode).toBe('json');
    expect(filterOf(draft)).toEqual({ filter });
  });

  it('has no rows for no filter', () => {
    expect(draftOf(null)).toBe(noFilter);
  });
});

it('does not save a condition that is not complete', () => {
  expect(problemOf(rows('all', row('topic', 'is')))).toBe('Complete every condition, or remove it');
  expect(problemOf(rows('all', row('topic', 'filled')))).toBeNull();
});

it('knows what a field has held', () => {
  const seen = [{ data: { age: 5, name: 'Ada', mixed: 1 } }, { data: { age: 6, mixed: 'x' } }];
  expect(['age', 'name', 'mixed', 'constructor'].map((field) => seenType(field, seen))).toEqual([
    'number',
    'text',
    'text',
    'text',
  ]);
});
