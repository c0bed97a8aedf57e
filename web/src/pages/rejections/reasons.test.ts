import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../../../../src/contract/rejections.js';
import { foldExamples, reasonCounts, reasonWords, sentenceOf, stackOf, withoutHoneypot } from './reasons.js';

const day = (date: string, reasons: Record<string, number>) => ({
  day: date,
  total: Object.values(reasons).reduce((sum, count) => sum + count, 0),
  reasons,
});
const example = (seen: string, ip: string, at = '2026-11-15T08:00:00.000Z') => ({
  reason: 'origin',
  seen,
  ip,
  at,
  user_agent: '',
});

describe('reasons', () => {
  it('have words, all that the service knows', () => {
    for (const reason of rejectionReasons) expect(reasonWords(reason).title).not.toBe(reason);
    expect(reasonWords('new_one').title).toBe('new_one');
  });

  it('are counted, most frequent first, without those that did not happen', () => {
    const days = [day('2026-11-14', { origin: 1, rate: 0, size: 5 }), day('2026-11-15', { origin: 2 })];
    expect(reasonCounts(days)).toEqual([
      { reason: 'size', count: 5 },
      { reason: 'origin', count: 3 },
    ]);
  });
});

describe('sentenceOf', () => {
  it.each([
    [
      'origin',
      'Origin: https://staging.example.com',
      'Origin: https://staging.example.com is not in the list',
    ],
    ['origin', 'neither Origin nor Referer', 'Neither Origin nor Referer was sent'],
    ['sandbox', 'address 203.0.113.7', 'Address 203.0.113.7 is not registered'],
    ['blocked', 'address 203.0.113.7', 'Address 203.0.113.7 is blocked'],
    ['captcha', 'a wrong token', 'A wrong token'],
  ])('%s, %s', (reason, seen, expected) => {
    const [shown, sentence] = sentenceOf({ reason, seen });
    expect(renderToStaticMarkup(sentence(shown))).toBe(expected);
  });
});

describe('stackOf', () => {
  it('shows few kinds and adds up the others', () => {
    const reasons = { origin: 9, sandbox: 8, rate: 7, size: 6, captcha: 5, plan: 2, blocked: 1 };
    const { rows, series } = stackOf([day('2026-11-15', reasons)]);
    expect(series.map(({ name }) => name)).toEqual([
      'origin',
      'sandbox',
      'rate',
      'size',
      'captcha',
      'others',
    ]);
    expect(rows[0]).toEqual({
      day: '2026-11-15',
      origin: 9,
      sandbox: 8,
      rate: 7,
      size: 6,
      captcha: 5,
      others: 3,
    });
    expect(new Set(series.map(({ color }) => color)).size).toBe(6);
  });

  it('leaves out what is in quarantine', () => {
    const { rows, series } = stackOf(withoutHoneypot([day('2026-11-15', { honeypot: 1, origin: 3 })]));
    expect(series.map(({ name }) => name)).toEqual(['origin']);
    expect(rows).toEqual([{ day: '2026-11-15', origin: 3 }]);
  });
});

describe('foldExamples', () => {
  it('shows the same once, with its latest time', () => {
    const examples = [
      example('Origin: https://a.example', '203.0.113.7', '2026-11-15T09:00:00.000Z'),
      example('Origin: https://a.example', '203.0.113.7'),
      example('Origin: https://a.example', '203.0.113.8'),
      { ...example('x', '203.0.113.7'), reason: 'rate' },
    ];
    const folded = foldExamples(examples, 'origin');
    expect(folded.map(({ ip, times, at }) => [ip, times, at])).toEqual([
      ['203.0.113.7', 2, '2026-11-15T09:00:00.000Z'],
      ['203.0.113.8', 1, '2026-11-15T08:00:00.000Z'],
    ]);
  });
});
