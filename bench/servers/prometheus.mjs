/** Reads /metrics as numbers. */

/** Keys are names with their labels, as written: `inlet_ready{part="database"}`. */
export async function scrape(server) {
  const answer = await fetch(`${server.url}/metrics`, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`/metrics: ${answer.status}`);
  const numbers = new Map();
  for (const line of (await answer.text()).split('\n')) {
    const found = /^([a-zA-Z_]\w*(?:\{.*\})?) (\S+)$/.exec(line);
    if (found) numbers.set(found[1], Number(found[2]));
  }
  return numbers;
}

/** The cumulative counts of a histogram without labels of its own, in ascending order of their bounds. */
export function bucketsOf(numbers, name) {
  const buckets = [];
  for (const [key, count] of numbers) {
    const bound = key.startsWith(`${name}_bucket{le="`) ? /le="([^"]+)"/.exec(key)?.[1] : undefined;
    if (bound !== undefined)
      buckets.push({ bound: bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), count });
  }
  return buckets.sort((a, b) => a.bound - b.bound);
}

/** What was added between two scrapes of the same histogram. */
export const bucketsSince = (buckets, earlier) =>
  buckets.map(({ bound, count }, i) => ({ bound, count: count - (earlier[i]?.count ?? 0) }));

/** The lowest bound that covers this share, which is never less than the true quantile. */
export function quantileBound(buckets, share) {
  const all = buckets.at(-1)?.count ?? 0;
  const found = buckets.find(({ count }) => count >= all * share);
  return all === 0 || !found ? null : found.bound;
}
