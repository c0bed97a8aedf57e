import { describe, expect, it } from 'vitest';
import { isPersonIn, needleOf, personKey, searchFor } from './person.js';

const isFound = (q: string, ...stored: readonly (string | null)[]): boolean => {
  const key = personKey(q);
  if (!key) throw new Error(`too vague: ${q}`);
  const hash = (token: string) => `#${token}#`;
  const plain = isPersonIn(stored, key);
  // Hashes must give the same result.
  expect(isPersonIn(stored, { ...key, tokens: key.tokens.map(hash) }, hash)).toBe(plain);
  return plain;
};

describe('a person is found by an e-mail address', () => {
  it.each([
    'ann@example.com',
    'ANN@Example.Com',
    '{"email":"ann@example.com"}',
    '{"email":"ann\\u0040example.com"}',
    '{"ann@example.com":1}',
    '[["deep",{"x":["to: Ann@example.com."]}]]',
    'Ann <ann@example.com>, Bob <bob@example.com>',
    'mailto:ann@example.com?subject=x',
    'https://example.com/?email=ann%40example.com&x=1',
    'https://example.com/?email=ann@example.com',
    '"{\\"inner\\":\\"ann@example.com\\"}"',
    'no such user "ann@example.com"; bye',
  ])('in %s', (stored) => expect(isFound('ann@example.com', stored)).toBe(true));

  it.each([
    'joann@example.com',
    'jo.ann@example.com',
    'jo-ann@example.com',
    'ann+x@example.com',
    'ann@example.com.au',
    'ann@example.community',
    'ann example.com',
    '',
    null,
  ])('and not in %s', (stored) => expect(isFound('ann@example.com', stored)).toBe(false));
});

describe('a person is found by a phone number', () => {
  it.each([
    '+49 170 1234567',
    '0049-170-1234567',
    '49 (170) 123 45 67',
    'tel. +49.170/1234567!',
    '491701234567',
  ])('in %s', (stored) => expect(isFound('+49 170 1234567', stored)).toBe(true));
  it('as a number of JSON, and beside other digits', () => {
    expect(isFound('0170 1234567', '{"tel":"on 2026-11-18 0170 1234567"}')).toBe(true);
    expect(isFound('491701234567', '{"tel":491701234567}')).toBe(true);
  });
  it.each(['+49 170 12345678', '170 1234567', '1 49 170 123456'])('and not in %s', (stored) =>
    expect(isFound('+49 170 1234567', stored)).toBe(false),
  );
});

describe('a person is found by words', () => {
  it.each(['Zoë Möller', 'dear ZOE  MOLLER,', '{"first":"x","name":"Möller: Zoë-Möller"}'])(
    'in %s',
    (stored) => expect(isFound('zoe möller', stored)).toBe(true),
  );
  it('across the pieces of a long text', () => {
    for (const before of [16_380, 16_384, 16_388, 40_000])
      expect(isFound('zoe möller', `${'x '.repeat(before / 2)}Zoë-Möller ${'x '.repeat(9_000)}`)).toBe(true);
  });
  it.each(['Zoëy Möller', 'Möller Zoë', '{"first":"Zoë","last":"Möller"}'])('and not in %s', (stored) =>
    expect(isFound('zoe möller', stored)).toBe(false),
  );
});

describe('a text that somebody made to cost time', () => {
  it.each([
    ['lists', `${'['.repeat(100_000)}"ann@example.com, +49 170 1234567"${']'.repeat(100_000)}`],
    ['objects', `${'{"a":'.repeat(100_000)}"ann@example.com, +49 170 1234567"${'}'.repeat(100_000)}`],
    ['a long name', `${'a'.repeat(500_000)}( ann@example.com, +49 170 1234567`],
    ['many signs', `${'@'.repeat(500_000)} ann@example.com, +49 170 1234567`],
    ['many addresses', `${'a@b-'.repeat(250_000)} ann@example.com, +49 170 1234567`],
    ['groups of digits', `${'1 '.repeat(500_000)}, ann@example.com, +49 170 1234567`],
  ])('of %s is looked through like any other', (_, text) => {
    for (const q of ['ann@example.com', '+49 170 1234567']) {
      const key = personKey(q);
      expect(key && isPersonIn([text], key)).toBe(true);
    }
  });
});

/** How often the search let other work run, and how many tokens it spelt at most in between. */
function effortOf(q: string, text: string): { steps: number; mostSpelt: number } {
  const key = personKey(q);
  if (!key) throw new Error(`too vague: ${q}`);
  let spelt = 0;
  const spell = (token: string): string => {
    spelt += 1;
    return `#${token}#`;
  };
  const search = searchFor([text], { ...key, tokens: key.tokens.map(spell) }, spell);
  for (let steps = 0, mostSpelt = 0; ; steps += 1) {
    spelt = 0;
    if (search.next().done) return { steps, mostSpelt };
    mostSpelt = Math.max(mostSpelt, spelt);
  }
}

describe('a text that somebody made to cost time, looked through by hashes, lets others work', () => {
  it.each([
    ['digits', '+49 170 1234567', '1 '.repeat(5_000)],
    ['addresses', 'ann@example.com', `${'='.repeat(63)}a@b.c,`.repeat(200)],
    ['words', 'ann smith', 'word '.repeat(5_000)],
  ])('after each of its %s', (_, q, text) => {
    const { steps, mostSpelt } = effortOf(q, text);
    expect(mostSpelt).toBe(1);
    expect(steps).toBeGreaterThanOrEqual(5_000);
  });
});

it('only addresses that end like the one that is looked for are taken apart', () => {
  const key = personKey('ann@example.com');
  const text = `${'='.repeat(63)}a@b.c,`.repeat(200);
  // Each address is searched twice, as the value and as a text within a text, in two steps: its @ and itself.
  expect(key && [...searchFor([text], key)].length).toBeLessThan(1_000);
  expect(key && isPersonIn([`${text}x=y=ann@example.com`], key)).toBe(true);
});

it('two searches at the same time do not disturb each other', () => {
  const [key, other] = [personKey('ann@example.com'), personKey('bob@example.com')];
  if (!key || !other) throw new Error('too vague');
  const text = 'x@example.org, y@example.org, ann@example.com';
  const searches = [searchFor([text], key), searchFor([`${' '.repeat(9)}${text}`], other)];
  const results = searches.map(() => false);
  for (let left = searches.length; left > 0; ) {
    left = 0;
    for (const [index, search] of searches.entries()) {
      const { done, value } = search.next();
      if (!done) left += 1;
      else results[index] ||= value === true;
    }
  }
  expect(results).toEqual([true, false]);
});

it.each(['', '  ', 'a', '--', '12', '@'])('%j is too little', (q) => expect(personKey(q)).toBeNull());

it('an address is looked for by its longer half', () => {
  const needle = (q: string) => needleOf(personKey(q) ?? { kind: 'text', tokens: [] });
  expect(needle('Ann@Example.com')).toBe('example.com');
  expect(needle('zoë@a.de')).toBe('a.de');
  expect(needle('+49 170 1234567')).toBeNull();
});
