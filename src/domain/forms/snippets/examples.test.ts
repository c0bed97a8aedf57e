import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FieldRule, fieldTypes } from '../../../contract/field-rule.js';
import { compileRules } from '../../fields/rules.js';
import { exampleJson } from './examples.js';

const anyRule = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 20 }),
    type: fc.constantFrom(...fieldTypes.filter((type) => type !== 'file')),
    low: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    span: fc.double({ min: 1, max: 1e3, noNaN: true }),
    choices: fc.uniqueArray(
      fc.string({ minLength: 1 }).filter((text) => /\S/.test(text)),
      { minLength: 1 },
    ),
    multiple: fc.boolean(),
  })
  .map(({ name, type, low, span, choices, multiple }): FieldRule => {
    const rule: FieldRule = { name, type, required: true };
    if (type === 'number' || type === 'integer') return { ...rule, min: low, max: low + span };
    if (type === 'choice') return { ...rule, choices, multiple };
    const least = Math.floor(Math.abs(low) % 900);
    if (['text', 'textarea', 'tel', 'hidden'].includes(type))
      return { ...rule, min_length: least, max_length: least + Math.floor(span) };
    return rule;
  });

it('is accepted by the rules that it is made for', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyRule, { minLength: 1, maxLength: 5, selector: ({ name }) => name }),
      (rules) => {
        expect(compileRules(rules, 'reject')?.judge(JSON.parse(exampleJson(rules)), [])).toEqual([]);
      },
    ),
  );
});
