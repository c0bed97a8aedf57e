import { expect, it } from 'vitest';
import { addUp } from './lasting-numbers.js';

const counter = (value: number, outcome: string) => ({
  ...{ name: 'answers', type: 'counter', help: 'Answers', aggregator: 'sum' },
  values: [{ labels: { outcome }, value }],
});

it('adds counters up by their labels, and keeps what only one of them has', () => {
  const [sum] = addUp([counter(2, 'good')], [counter(3, 'good')]);
  expect(sum).toEqual(counter(5, 'good'));
  const [both] = addUp([counter(2, 'good')], [counter(3, 'bad')]);
  expect(both).toMatchObject({
    values: [
      { labels: { outcome: 'good' }, value: 2 },
      { labels: { outcome: 'bad' }, value: 3 },
    ],
  });
});

it('adds histograms up line by line, whatever the order of the labels', () => {
  const histogram = (labels: object) => ({
    ...{ name: 'took', type: 'histogram' },
    values: [
      { metricName: 'took_bucket', labels: { le: 1, ...labels }, value: 1 },
      { metricName: 'took_count', labels, value: 1 },
    ],
  });
  const [sum] = addUp([histogram({ a: 'x', b: 'y' })], [histogram({ b: 'y', a: 'x' })]);
  expect(sum).toMatchObject({
    values: [
      { metricName: 'took_bucket', value: 2 },
      { metricName: 'took_count', value: 2 },
    ],
  });
});

it('keeps no gauge: it ends with its process', () => {
  const gauge = { name: 'memory', type: 'gauge', values: [{ labels: {}, value: 1 }] };
  expect(addUp([gauge], [gauge])).toEqual([]);
});
