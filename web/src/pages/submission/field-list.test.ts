import { expect, it } from 'vitest';
import { textsInList } from './field-list.js';

it('lists a choice of several, and nothing that would be longer than a single text', () => {
  expect(textsInList(['red', 'green'])).toEqual(['red', 'green']);
  expect(textsInList(['red', 2])).toBeNull();
  expect(textsInList('red')).toBeNull();
  expect(textsInList(new Array(51).fill(''))).toBeNull();
  expect(textsInList(new Array(50).fill('x'.repeat(40)))).toHaveLength(50);
  expect(textsInList(new Array(50).fill('x'.repeat(41)))).toBeNull();
});
