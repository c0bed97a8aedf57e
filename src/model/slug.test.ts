import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeSlug, slugOf } from './slug.js';

const names = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', 'Z', '9', '-', ' ', 'é', 'ß', '例'), minLength: 50, maxLength: 90 }),
);

describe('slugOf', () => {
  it('is one to sixty of a-z, 0-9 and inner dashes, whatever the name is', () => {
    fc.assert(
      fc.property(names, (name) => {
        const slug = slugOf(name);
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(60);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves a slug as it is', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(slugOf(slugOf(name))).toBe(slugOf(name));
      }),
    );
  });

  it.each([
    ['Contact Form', 'contact-form'],
    ['  Über uns!  ', 'uber-uns'],
    ['Café №5', 'cafe-no5'],
    ['a--b__c', 'a-b-c'],
    ['例え', 'untitled'],
    ['', 'untitled'],
    [`${'x'.repeat(59)} y`, 'x'.repeat(59)],
  ])('makes of %j the slug %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });
});

describe('freeSlug', () => {
  it('never gives one that is taken, and the plain one when that is free', () => {
    const suffixes = fc.uniqueArray(fc.integer({ min: 0, max: 12 }));
    fc.assert(
      fc.property(fc.constantFrom('a', 'form', 'x-2'), suffixes, (slug, numbers) => {
        const taken = new Set(numbers.map((number) => (number === 0 ? slug : `${slug}-${number}`)));
        const free = freeSlug(slug, taken);
        expect(taken.has(free)).toBe(false);
        expect(free === slug || free.startsWith(`${slug}-`)).toBe(true);
        if (!taken.has(slug)) expect(free).toBe(slug);
      }),
    );
  });

  it('counts from two and fills gaps', () => {
    expect(freeSlug('form', new Set(['form']))).toBe('form-2');
    expect(freeSlug('form', new Set(['form', 'form-2', 'form-4']))).toBe('form-3');
  });
});
