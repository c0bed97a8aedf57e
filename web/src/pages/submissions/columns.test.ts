import { describe, expect, it } from 'vitest';
import { columnsOf, fieldsOf, labelOf, labelsOf, numbersIn, readChoice } from './columns.js';

const rows = (...data: Record<string, unknown>[]) => data.map((each) => ({ data: each }));

describe('the columns of a list', () => {
  it('begins with the name, the address and the message', () => {
    const fields = fieldsOf(rows({ budget: 1, Message: 'm', 'E-Mail': 'e', company: 'c', name: 'n' }));
    expect(fields).toEqual(['name', 'E-Mail', 'Message', 'company', 'budget']);
    expect(columnsOf(fields, null)).toEqual(['name', 'E-Mail', 'Message']);
  });

  it('then shows what most have, in the order it came', () => {
    expect(fieldsOf(rows({ b: 1, a: 1 }, { a: 1 }, { c: 1, b: 1, a: 1 }))).toEqual(['a', 'b', 'c']);
  });

  it('leaves out what one submission alone has, however telling its name is', () => {
    const usual = { name: 'n', email: 'e', message: 'm', budget: '' };
    const other = { name: 'n', first_name: 'f', last_name: 'l', email: '', message: '' };
    const fields = fieldsOf(rows(other, usual, usual, usual));
    expect(columnsOf(fields, null)).toEqual(['name', 'email', 'message']);
    expect(fields.at(-1)).toBe('budget');
  });

  it('shows the fullest where no field is common, the one that came first of equals', () => {
    const fields = fieldsOf(rows({ d: 1 }, { c: 1 }, { b: 1 }, { b: 1 }, { a: 1 }));
    expect(fields).toEqual(['b', 'a', 'c', 'd']);
  });

  it('ends, however many names visitors invent', () => {
    const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field ${n}`, n]));
    expect(fieldsOf(rows(data, { x: 1 })).length).toBeLessThanOrEqual(60);
  });

  it('takes hostile names for what they are: names', () => {
    const data = JSON.parse('{"__proto__":"x","constructor":"y","name":"n"}');
    expect(fieldsOf(rows(data))).toEqual(['name', '__proto__', 'constructor']);
  });

  it('keeps what was chosen', () => {
    expect(columnsOf(['a', 'b'], ['z', 'a'])).toEqual(['z', 'a']);
    expect(columnsOf(['a', 'b'], [])).toEqual([]);
  });

  it('forgets what cannot be read', () => {
    expect(readChoice(null)).toBeNull();
    expect(readChoice('{')).toBeNull();
    expect(readChoice('[1]')).toBeNull();
    expect(readChoice('["a"]')).toEqual(['a']);
  });
});

it('knows the columns that hold numbers only', () => {
  const rows = [
    { data: { age: 7, zip: '01234', size: '1.5', empty: '' } },
    { data: { age: '', zip: '10115', size: 2, empty: null } },
  ];
  expect(numbersIn(['age', 'zip', 'size', 'empty', 'none'], rows)).toEqual(['age', 'size']);
});

it('calls fields by the labels of their rules, and inherits none', () => {
  const labels = labelsOf({
    fields: [
      { name: 'a', type: 'text', label: 'Alpha' },
      { name: 'b', type: 'text' },
    ],
  });
  expect(['a', 'b', 'constructor', '__proto__'].map((field) => labelOf(labels, field))).toEqual([
    ...['Alpha', 'b', 'constructor', '__proto__'],
  ]);
  expect(labelsOf(null)).toEqual({});
});
