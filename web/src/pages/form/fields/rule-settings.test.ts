import { expect, it } from 'vitest';
import { changedRule, faultAt, maxRules, missingRules, moved } from './rule-settings.js';

it('leaves out what is empty', () => {
  const rule = { name: 'a', type: 'text', label: 'A', max_length: 5, required: true } as const;
  expect(changedRule(rule, { label: '', max_length: undefined, required: false })).toEqual({
    name: 'a',
    type: 'text',
  });
  expect(changedRule(rule, { name: '' })).toEqual({ ...rule, name: '' });
  expect(changedRule({ name: 'n', type: 'number' }, { min: 0 })).toEqual({
    name: 'n',
    type: 'number',
    min: 0,
  });
});

it('drops the settings that another type does not have', () => {
  const rule = { name: 'a', type: 'choice', choices: ['x'], multiple: true, help: 'h' } as const;
  expect(changedRule({ ...rule, choices: ['x'] }, { type: 'date' })).toEqual({
    ...{ name: 'a', type: 'date', help: 'h' },
  });
});

it('has a number of files only where there can be several', () => {
  const rule = { name: 'a', type: 'file', multiple: true, max_files: 3 } as const;
  expect(changedRule(rule, { max_files: 2 })).toEqual({ ...rule, max_files: 2 });
  expect(changedRule(rule, { multiple: false })).toEqual({ name: 'a', type: 'file' });
});

it.each([
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, 1, 'abc'],
])('moves the entry %i to %i', (from, to, result) => {
  expect(moved([...'abc'], from, to).join('')).toBe(result);
});

it('suggests rules for fields without one, up to the most that a form has', () => {
  const of = (name: string) => ({ suggested: { name, type: 'text' as const } });
  const rule = { name: 'b', type: 'email' } as const;
  expect(missingRules([of('a'), of('b'), {}], [rule])).toEqual([{ name: 'a', type: 'text' }]);
  const many = Array.from({ length: 300 }, (_, i) => of(`n${i}`));
  expect(missingRules(many, [rule])).toHaveLength(maxRules - 1);
});

it('finds a fault below a path, and not beside it', () => {
  const errors = { 'fields.1.choices.0': 'Too long', 'fields.10.min': 'Other' };
  expect(faultAt(errors, 'fields.1.choices')).toBe('Too long');
  expect(faultAt(errors, 'fields.1')).toBe('Too long');
  expect(faultAt(errors, 'fields.1.min')).toBeUndefined();
});
