import { expect, it } from 'vitest';
import { fieldsFor, type SeenField } from './fields.js';

const seen = (name: string, kinds: SeenField['kinds'], more: Partial<SeenField> = {}): SeenField => ({
  ...{ name, kinds, share: 0.5, values: [] },
  ...more,
});
const names = (fields: ReturnType<typeof fieldsFor>) => fields.map(({ name }) => name);

it('takes the rules before what arrived, and a contact form without either', () => {
  const rule = { name: 'rule', type: 'text' } as const;
  expect(fieldsFor([rule], [seen('seen', ['text'])], true)).toEqual([rule]);
  expect(names(fieldsFor([], [seen('seen', ['text'])], true))).toEqual(['seen']);
  expect(names(fieldsFor([], [], true))).toEqual(['name', 'email', 'message', 'file']);
  expect(names(fieldsFor([], [], false))).toEqual(['name', 'email', 'message']);
});

it.each<[string, SeenField]>([
  ['email', seen('f', ['email'])],
  ['url', seen('f', ['url'])],
  ['number', seen('f', ['number'])],
  ['date', seen('f', ['date'])],
  ['boolean', seen('f', ['boolean'])],
  ['file', seen('f', ['file'])],
  ['text', seen('f', ['text', 'email'])],
  ['text', seen('f', [])],
  ['text', seen('f', ['list', 'choice'], { values: [{ value: 'a, b' }] })],
  ['textarea', seen('your-message', ['text'])],
  ['choice', seen('f', ['text', 'choice'], { values: [{ value: 'a' }] })],
])('makes %s of what arrived', (type, field) => {
  expect(fieldsFor([], [field], true)).toMatchObject([{ type }]);
});

it('requires what everybody filled in, except boxes to tick', () => {
  const always = { share: 1 };
  const fields = [seen('a', ['text'], always), seen('b', ['boolean'], always), seen('c', ['text'])];
  expect(fieldsFor([], fields, true).map(({ required }) => required)).toEqual([true, undefined, undefined]);
});

it('leaves out what is rare, blank or too much: visitors choose the names', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => seen(`n${i}`, ['text']));
  expect(fieldsFor([], many, true)).toHaveLength(50);
  const odd = [seen('rare', ['text'], { share: 0.04 }), seen('  ', ['text']), seen('kept', ['text'])];
  expect(names(fieldsFor([], odd, true))).toEqual(['kept']);
});
