/** The charts of the figures: what they draw matches the numbers, and any text in them is escaped. */
import { describe, expect, test } from 'vitest';
import { type Drawing, plot } from '../../bench/report/plot.mjs';

const drawing: Drawing = {
  title: 'Durable ingest',
  x: { label: 'connections', log: true },
  y: { label: 'requests a second' },
  lines: [
    {
      label: 'Inlet',
      points: [
        [1, 1_000],
        [16, 9_000],
        [256, 12_000],
      ],
    },
    {
      label: 'bare node:http',
      points: [
        [1, 2_000],
        [16, 14_000],
        [256, 15_000],
      ],
    },
  ],
};

const pathsOf = (svg: string) =>
  [...svg.matchAll(/<path class="line" d="(M[^"]*L[^"]*)"/g)].map((found) => found[1] ?? '');
const placesOf = (path: string) =>
  [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map((found) => [Number(found[1]), Number(found[2])] as const);
const words = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((found) => found[1]);

describe('plot', () => {
  test('draws one line for each, with its name, its axes and round ticks', () => {
    const svg = plot(drawing);
    expect(pathsOf(svg)).toHaveLength(2);
    expect(words(svg)).toEqual(
      expect.arrayContaining([
        'Durable ingest',
        'Inlet',
        'bare node:http',
        'connections',
        'requests a second',
      ]),
    );
    expect(words(svg)).toEqual(expect.arrayContaining(['1', '16', '256', '0', '5,000', '15k']));
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toContain('NaN');
  });

  test('more lies higher, and a power of ten is as far as the one before it', () => {
    const [path = ''] = pathsOf(
      plot({
        title: 'Powers',
        x: { label: 'rows', log: true },
        y: { label: 'ms', log: true },
        lines: [
          {
            label: 'list',
            points: [
              [1e4, 1],
              [1e5, 10],
              [1e6, 100],
            ],
          },
        ],
      }),
    );
    const [a, b, c] = placesOf(path);
    if (!a || !b || !c) throw new Error(`no three places in ${path}`);
    expect(b[0] - a[0]).toBeCloseTo(c[0] - b[0], 0);
    expect(a[1] - b[1]).toBeCloseTo(b[1] - c[1], 0);
    expect(c[1]).toBeLessThan(a[1]);
  });

  test('a missing number leaves a gap, nothing on a logarithmic axis too', () => {
    const gaps = plot({
      ...drawing,
      y: { label: 'ms', log: true },
      lines: [
        {
          label: 'one',
          points: [
            [1, 5],
            [2, 6],
            [4, null],
            [8, 0],
            [16, 7],
            [32, 8],
          ],
        },
      ],
    });
    expect(pathsOf(gaps)[0]?.match(/M/g)).toHaveLength(2);
    expect(gaps).not.toMatch(/NaN|Infinity/);
  });

  test('thins a long run without losing its peak', () => {
    const points = Array.from({ length: 20_000 }, (_, i) => [i, i === 12_345 ? 99 : i % 3] as const);
    const svg = plot({
      title: 'Long',
      x: { label: 's' },
      y: { label: 'ms' },
      lines: [{ label: 'delay', points }],
    });
    const [path = ''] = pathsOf(svg);
    const places = placesOf(path);
    expect(places.length).toBeLessThan(4_000);
    const lowest = Math.max(...places.map(([, y]) => y));
    expect(Math.min(...places.map(([, y]) => y))).toBeLessThan(lowest - 200);
  });

  test('words of any kind cannot leave their place', () => {
    const svg = plot({
      ...drawing,
      title: '</title><script>alert(1)</script>',
      goal: { value: 20_000, label: 'goal: < 20 "ms" & less' },
    });
    expect(svg).not.toContain('<script');
    expect(svg).toContain('goal: &lt; 20 &quot;ms&quot; &amp; less');
  });

  test('nothing measured, one point, and a level line are drawn too', () => {
    for (const points of [[], [[3, 7] as const], [[1, 5] as const, [2, 5] as const]]) {
      const svg = plot({
        title: 'Few',
        x: { label: 'x' },
        y: { label: 'y' },
        lines: [{ label: 'a', points }],
      });
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
