import { describe, expect, it } from 'vitest';
import { allSeen, kindsIn } from '../../model/observed-field.js';
import { faultsOfRules } from './check-rules.js';
import { type FieldSample, suggestRule, typesMetBy } from './suggest.js';

/** A field with these values, one per submission. */
function sampleOf(values: readonly unknown[], settings: Partial<FieldSample> = {}): FieldSample {
  const met: Map<string, number> = new Map();
  for (const value of values) for (const type of typesMetBy(value)) met.set(type, (met.get(type) ?? 0) + 1);
  const bits = values.reduce<number>((sum, value) => {
    const data = JSON.stringify({ f: value });
    return sum | (allSeen({ formId: '', data, createdAt: 0 }, [])[0]?.kinds ?? 0);
  }, 0);
  return {
    ...{ name: 'f', kinds: kindsIn(bits), count: values.length, sampleSize: values.length },
    met: met as FieldSample['met'],
    ...{ choices: [], hasSeveralFiles: false },
    ...settings,
  };
}

const typeOf = (...values: unknown[]) => suggestRule(sampleOf(values))?.type;

describe('the type of a suggested rule', () => {
  it.each([
    ['email', ['ada@example.com', 'b@example.com']],
    ['url', ['https://example.com/a', 'http://x.example']],
    ['integer', ['1', 42, '-7']],
    ['number', ['1', 2.5]],
    ['date', ['2026-01-31', '2024-02-29']],
    ['time', ['23:59', '08:00:01']],
    ['boolean', ['on', true, 'false']],
    ['textarea', ['one\ntwo', 'three']],
    ['textarea', ['x'.repeat(151)]],
    ['text', ['x'.repeat(150)]],
    ['text', ['10115', '01234']],
    ['text', ['2026-01-31T10:00', '2026-01-31']],
    ['text', ['yes', '1']],
  ])('is %s for %j', (type, values) => {
    expect(typeOf(...values)).toBe(type);
  });

  it('is e-mail although a tenth of the addresses are wrong, and not if more are', () => {
    const addresses = Array.from({ length: 18 }, () => 'ada@example.com');
    expect(typeOf(...addresses, 'ada', 'bob')).toBe('email');
    expect(typeOf(...addresses, 'ada', 'bob', 'eve')).toBe('text');
  });

  it.each(['phone', 'Phone number', 'your_tel', 'mobile'])('is tel for a field called %s', (name) => {
    expect(suggestRule(sampleOf(['030 123'], { name }))?.type).toBe('tel');
  });

  it('is textarea for a field whose name promises prose, however little was written', () => {
    expect(suggestRule(sampleOf(['Hi'], { name: 'your-message' }))?.type).toBe('textarea');
  });

  it.each(['hotel', 'telling', 'microphones'])('is not tel for a field called %s', (name) => {
    expect(suggestRule(sampleOf(['030 123'], { name }))?.type).toBe('text');
  });

  it('is text for a field that never had a value', () => {
    expect(suggestRule(sampleOf([], { sampleSize: 50 }))).toEqual({ name: 'f', type: 'text', label: 'F' });
  });
});

it('takes choices, several if they came as lists', () => {
  expect(suggestRule(sampleOf(['a'], { choices: ['a', 'b'] }))).toMatchObject({
    type: 'choice',
    choices: ['a', 'b'],
  });
  expect(suggestRule(sampleOf([['a']], { choices: ['a', 'b'] }))).toMatchObject({ multiple: true });
});

it('takes one value that repeats, and a phone number, for no choice', () => {
  expect(suggestRule(sampleOf(['a'], { choices: ['a'] }))?.type).toBe('text');
  expect(suggestRule(sampleOf(['030 1'], { name: 'phone', choices: ['030 1', '030 2'] }))?.type).toBe('tel');
});

it('knows files, and several of them', () => {
  expect(suggestRule(sampleOf([], { kinds: ['file'] }))).toEqual({ name: 'f', type: 'file', label: 'F' });
  expect(suggestRule(sampleOf([], { kinds: ['file'], hasSeveralFiles: true }))).toMatchObject({
    multiple: true,
  });
});

it('requires what every one of ten submissions had', () => {
  const filled = Array.from({ length: 10 }, (_, i) => `text ${i}`);
  expect(suggestRule(sampleOf(filled))?.required).toBe(true);
  expect(suggestRule(sampleOf(filled.slice(1)))?.required).toBeUndefined();
  expect(suggestRule(sampleOf(filled, { sampleSize: 11 }))?.required).toBeUndefined();
  // Otherwise every visitor would have to tick the box.
  expect(suggestRule(sampleOf(filled.map(() => true)))).toEqual({ name: 'f', type: 'boolean', label: 'F' });
});

it.each([
  ['first_name', 'First name'],
  ['firstName', 'First name'],
  ['e-mail', 'E mail'],
  ['Straße', undefined],
  ['Topic', undefined],
  ['a.b', undefined],
])('labels %s as %s', (name, label) => {
  expect(suggestRule(sampleOf(['x'], { name }))?.label).toBe(label);
});

it.each([
  ['a list of anything', sampleOf([[1]])],
  ['text and files', sampleOf([], { kinds: ['text', 'file'] })],
  ['a blank name', sampleOf(['x'], { name: ' ' })],
  ['a long name', sampleOf(['x'], { name: 'n'.repeat(201) })],
  ['a reserved name', sampleOf(['x'], { name: '_subject' })],
])('suggests nothing for %s', (_, sample) => {
  expect(suggestRule(sample)).toBeNull();
});

it.each([
  [sampleOf(['a@example.com'])],
  [sampleOf(['a'], { choices: ['a', 'b'] })],
  [sampleOf([], { kinds: ['file'], hasSeveralFiles: true })],
])('contradicts nothing', (sample) => {
  const rule = suggestRule(sample);
  expect(rule && faultsOfRules([rule])).toEqual([]);
});
