import { expect, it } from 'vitest';
import type { FieldRule } from '../../contract/field-rule.js';
import { faultsOfRules, maxRulesLength } from './check-rules.js';

const paths = (...rules: FieldRule[]) => faultsOfRules(rules).map(({ path }) => path);

it.each<[string, FieldRule, string, RegExp]>([
  ['bounds', { name: 'a', type: 'number', min: 2, max: 1 }, 'min', /min contradicts max/],
  ['integers', { name: 'a', type: 'integer', min: 1.2, max: 1.8 }, 'min', /min contradicts max/],
  [
    'lengths',
    { name: 'a', type: 'text', min_length: 2, max_length: 1 },
    'min_length',
    /contradicts max_length/,
  ],
  [
    'no room',
    { name: 'a', type: 'text', required: true, max_length: 0 },
    'max_length',
    /contradicts required/,
  ],
  ['type', { name: 'a', type: 'date', min: 2 }, 'min', /min contradicts type/],
  ['choices', { name: 'a', type: 'text', choices: ['a'] }, 'choices', /choices contradicts type/],
  ['no choices', { name: 'a', type: 'choice' }, 'choices', /choices contradicts type/],
  ['files', { name: 'a', type: 'file', max_files: 2 }, 'max_files', /max_files contradicts multiple/],
  ['multiple', { name: 'a', type: 'date', multiple: true }, 'multiple', /multiple contradicts type/],
  ['reserved', { name: '_gotcha', type: 'text' }, 'name', /reserved/],
])('names both settings that contradict each other: %s', (_, rule, setting, message) => {
  expect(faultsOfRules([{ name: 'first', type: 'text' }, rule])).toEqual([
    { path: `fields.1.${setting}`, message: expect.stringMatching(message) },
  ]);
});

it('names both rules of one name', () => {
  const [fault] = faultsOfRules([
    { name: '__proto__', type: 'text' },
    { name: '__proto__', type: 'email' },
  ]);
  expect(fault).toEqual({
    path: 'fields.1.name',
    message: 'name contradicts fields.0.name, which is the same',
  });
});

it('accepts what can be meant, and a setting that is off', () => {
  expect(
    paths(
      { name: 'a', type: 'number', min: 1, max: 1 },
      { name: 'b', type: 'date', multiple: false },
      { name: 'c', type: 'file', multiple: true, max_files: 3, accept: ['.pdf'], max_bytes: 1 },
    ),
  ).toEqual([]);
});

it('limits all rules together', () => {
  const help = 'x'.repeat(500);
  const rules = Array.from({ length: 140 }, (_, i) => ({ name: `f${i}`, type: 'text' as const, help }));
  expect(JSON.stringify(rules).length).toBeGreaterThan(maxRulesLength);
  expect(paths(...rules)).toEqual(['fields']);
});
