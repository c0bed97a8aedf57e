import { AggregatorRegistry, Histogram, type MetricObject, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { FastHistogram } from './histogram.js';

const options = { name: 'took_seconds', help: 'How long it took', buckets: [0.01, 0.1, 1] };
const values = [0, 0.005, 0.01, 0.010001, 0.5, 1, 7];

describe('a histogram', () => {
  it('is written exactly as the library writes its own', async () => {
    const ours = new Registry();
    const theirs = new Registry();
    const fast = new FastHistogram(ours, options);
    const plain = new Histogram({ ...options, buckets: [...options.buckets], registers: [theirs] });
    expect(await ours.metrics()).toBe(await theirs.metrics());
    for (const value of values) {
      fast.observe(value);
      plain.observe(value);
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  });

  it('has a line for each value of its label, from the first that is counted', async () => {
    const ours = new Registry();
    const theirs = new Registry();
    const fast = new FastHistogram(ours, { ...options, label: 'outcome' });
    const plain = new Histogram({
      ...options,
      buckets: [...options.buckets],
      labelNames: ['outcome'],
      registers: [theirs],
    });
    expect(await ours.metrics()).toBe(await theirs.metrics());
    for (const [index, value] of values.entries()) {
      const outcome = index % 2 === 0 ? 'sent' : 'failed';
      fast.observe(value, outcome);
      plain.observe({ outcome }, value);
    }
    expect(await ours.metrics()).toBe(await theirs.metrics());
  });

  it('is added up over several processes', async () => {
    const snapshots = await Promise.all(
      [1, 2].map(async (times) => {
        const registry = new Registry();
        const fast = new FastHistogram(registry, options);
        for (let i = 0; i < times; i += 1) fast.observe(0.05);
        return (await registry.getMetricsAsJSON()) as unknown as MetricObject;
      }),
    );
    const text = await AggregatorRegistry.aggregate(snapshots).metrics();
    expect(text).toContain('took_seconds_bucket{le="0.1"} 3');
    expect(text).toContain('took_seconds_count 3');
  });
});
