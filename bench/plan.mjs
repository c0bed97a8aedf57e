/**
 * The figures in the order in which they run, and how many seconds each takes on two idle cores: all of them in ten
 * minutes, `--quick` in about one. A figure that takes `patience` times as long is ended and reported as failed.
 */
export const plan = {
  ingest: { full: 235, quick: 22 },
  images: { full: 100, quick: 14 },
  delivery: { full: 85, quick: 11 },
  postgres: { full: 50, quick: 8 },
  'upload-memory': { full: 12, quick: 4 },
  growth: { full: 110, quick: 10 },
  memory: { full: 22, quick: 4 },
  'event-loop': { full: 40, quick: 8 },
  'start-up': { full: 10, quick: 5 },
};

export const names = Object.keys(plan);

const patience = 2;
const leastSeconds = 60;

export const expectedSeconds = (chosen, quick) =>
  chosen.reduce((sum, name) => sum + plan[name][quick ? 'quick' : 'full'], 0);

/**
 * How long one figure may take: never beyond the end of the whole run, and longer where the whole run was given more time,
 * as for a slow machine.
 */
export function limitSeconds(name, quick, leftSeconds, wholeSeconds) {
  const expected = expectedSeconds([name], quick);
  const share = (expected / expectedSeconds(names, quick)) * wholeSeconds;
  return Math.min(leftSeconds, Math.max(leastSeconds, patience * expected, share));
}
