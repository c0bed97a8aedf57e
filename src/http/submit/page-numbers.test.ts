import { describe, expect, it } from 'vitest';
import { type Language, languageTags } from '../../kernel/language.js';
import { pageNumbers } from './page-numbers.js';

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');
const MiB = 1024 * 1024;

describe('when', () => {
  it.each([
    ['en', 'in 1 second', 'in 42 seconds', 'in 1 minute', 'in 2 minutes'],
    ['de', 'in 1 Sekunde', 'in 42 Sekunden', 'in 1 Minute', 'in 2 Minuten'],
    ['fr', 'dans 1 seconde', 'dans 42 secondes', 'dans 1 minute', 'dans 2 minutes'],
    ['es', 'dentro de 1 segundo', 'dentro de 42 segundos', 'dentro de 1 minuto', 'dentro de 2 minutos'],
    ['zh', '1秒钟后', '42秒钟后', '1分钟后', '2分钟后'],
  ] as const)('in %s has the right plural', (language, ...expected) => {
    const { when } = pageNumbers(language);
    expect([1, 42, 60, 120].map((seconds) => plain(when(seconds)))).toEqual(expected);
  });

  it('never names a time that is too early', () => {
    const { when } = pageNumbers('en');
    expect([0, 0.2, 59, 59.5, 61, 119, 121].map(when)).toEqual([
      'in 1 second',
      'in 1 second',
      'in 59 seconds',
      'in 1 minute',
      'in 2 minutes',
      'in 2 minutes',
      'in 3 minutes',
    ]);
  });
});

describe('size', () => {
  it.each([
    [10 * MiB, '10 MB'],
    [10_000_000, '10 MB'],
    [MiB, '1 MB'],
    [1.5 * MiB, '1.5 MB'],
    [2 * MiB - 1, '1.9 MB'],
    [5 * 1024 * MiB, '5 GB'],
    [1_000_000_000, '1 GB'],
    [64 * 1024, '64 kB'],
    [256, '256 bytes'],
    [1, '1 byte'],
  ])('of %d bytes is %s', (bytes, expected) => {
    expect(plain(pageNumbers('en').size(bytes))).toBe(expected);
  });

  it.each([
    ['de', '1,5 MB', '256 Byte'],
    ['fr', '1,5 Mo', '256 octets'],
    ['es', '1,5 MB', '256 bytes'],
    ['zh', '1.5 MB', '256字节'],
  ] as const)('is written as in %s', (language, large, small) => {
    const { size } = pageNumbers(language);
    expect([plain(size(1.5 * MiB)), plain(size(256))]).toEqual([large, small]);
  });
});

it('counts are grouped as the language does', () => {
  const counts = (Object.keys(languageTags) as Language[]).map((language) =>
    pageNumbers(language).count(20_000),
  );
  expect(counts.map(plain)).toEqual(['20,000', '20.000', '20 000', '20.000', '20,000']);
});
