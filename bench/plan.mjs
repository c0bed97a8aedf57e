/**
 * The figures in the order in which they run, and how many seconds each takes on two idle cores: thirteen minutes in all, a
 * little more than one with `--quick`. A figure that takes `patience` times as long is stopped and reported as failed.
 */
const plan = {
  ingest: { full: 220, quick: 14 },
  images: { full: 108, quick: 10 },
  delivery: { full: 76, quick: 13 },
  fields: { full: 170, quick: 8 },
  postgres: { full: 36, quick: 6 },
  'upload-memory': { full: 10, quick: 2 },
  growth: { full: 110, quick: 4 },
  memory: { full: 13, quick: 3 },
  'event-loop': { full: 20, quick: 5 },
  'start-up': { full: 7, quick: 3 },
  scaling: { full: 110, quick: 30, isByHand: true },
};

export const names = Object.keys(plan);

/** The figures that run when none is named. */
export const usualNames = names.filter((name) => !plan[name].isByHand);

const patience = 2;
const leastSeconds = 60;

export const expectedSeconds = (chosen, quick) =>
  chosen.reduce((sum, name) => sum + plan[name][quick ? 'quick' : 'full'], 0);

/**
 * How long one figure may take: never beyond the end of the whole run, and longer when the whole run has more time, as on a
 * slow machine.
 */
export function limitSeconds(name, quick, leftSeconds, wholeSeconds) {
  const expected = expectedSeconds([name], quick);
  const share = (expected / expectedSeconds(usualNames, quick)) * wholeSeconds;
  return Math.min(leftSeconds, Math.max(leastSeconds, patience * expected, share));
}
