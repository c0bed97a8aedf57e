import { expect, it } from 'vitest';
import { type ArrivedField, fieldsFor } from './fields.js';

const arrived = (name: string, share = 0.5): ArrivedField => ({ share, suggested: { name, type: 'text' } });
const names = (fields: ReturnType<typeof fieldsFor>) => fields.map(({ name }) => name);

it('takes the rules before what arrived, and a contact form without either', () => {
  const rule = { name: 'rule', type: 'text' } as const;
  expect(fieldsFor([rule], [arrived('arrived')], true)).toEqual([rule]);
  expect(names(fieldsFor([], [arrived('arrived')], true))).toEqual(['arrived']);
  expect(names(fieldsFor([], [], true))).toEqual(['name', 'email', 'message', 'file']);
  expect(names(fieldsFor([], [], false))).toEqual(['name', 'email', 'message']);
});

it('stays the contact form when that is what arrived, so that it keeps the file and what must be filled in', () => {
  const sent = ['name', 'email', 'message'].map((name) => arrived(name, 1));
  const offered = fieldsFor([], [], true);
  expect(offered.map(({ required }) => required ?? false)).toEqual([true, true, true, false]);
  expect(fieldsFor([], sent, true)).toEqual(offered);
  expect(names(fieldsFor([], sent.slice(0, 2), true))).toEqual(['name', 'email']);
  expect(names(fieldsFor([], [...sent, arrived('topic')], true))).toEqual([
    'name',
    'email',
    'message',
    'topic',
  ]);
});

it('leaves out what is rare, has no rule or is too much: visitors choose the names', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => arrived(`n${i}`));
  expect(fieldsFor([], many, true)).toHaveLength(50);
  const odd = [arrived('rare', 0.04), { share: 1, suggested: null }, arrived('kept')];
  expect(names(fieldsFor([], odd, true))).toEqual(['kept']);
});
