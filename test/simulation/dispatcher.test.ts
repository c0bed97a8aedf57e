/**
 * The delivery engine against thousands of generated histories: processes that die or freeze, a store that stalls, refuses or loses its
 * responses, clocks that are set, endpoints of every kind. `SIM_SEEDS=50000` runs more of them, `SIM_SEED=17` repeats that one.
 */
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/model/delivery.js';
import type { AttemptRecord, CycleOutcome, DeliveryQueue } from '../../src/ports/delivery-queue.js';
import { noteFaults } from '../support/fault-counts.js';
import { MemoryQueue, type MemoryRow } from '../support/memory-queue.js';
import { type Parts, simulate } from './simulation.js';

const only = process.env.SIM_SEED;
const count = Number(process.env.SIM_SEEDS ?? 1_000);
const seeds = only === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(only)];
/** Only a hang reaches it. */
const timeout = 3_600_000;

describe('the dispatcher, simulated', () => {
  it('loses nothing, is never early and keeps receivers apart, whatever happens', { timeout }, async () => {
    const failed: string[] = [];
    for (const seed of seeds) {
      const faults = await simulate(seed);
      if (faults.length > 0) failed.push(`SIM_SEED=${seed}\n  ${faults.join('\n  ')}`);
      if (failed.length >= 5) break;
    }
    noteFaults('simulation', { faults: seeds.length, acknowledged: 0, lost: failed.length });
    expect(failed.join('\n')).toBe('');
  });

  it('is the same again with the same seed', async () => {
    const early: Parts = { delaysOf: (delays) => delays.map((ms) => ms / 2) };
    const faults = await Promise.all([simulate(3, early), simulate(3, early)]);
    expect(faults[1]).toEqual(faults[0]);
  });
});

class UnfencedQueue extends MemoryQueue {
  protected override holds(): boolean {
    return true;
  }
}

class SharedClaimsQueue extends MemoryQueue {
  protected override mayClaim({ state }: MemoryRow): boolean {
    return state === 'pending';
  }
}

class HastyClaimsQueue extends MemoryQueue {
  protected override mayClaim(row: MemoryRow, now: number): boolean {
    return row.leaseToken === null || super.mayClaim(row, now);
  }
}

class UnsortedQueue extends MemoryQueue {
  protected override compare(a: MemoryRow, b: MemoryRow): number {
    return -super.compare(a, b);
  }
}

class LeaklessQueue extends MemoryQueue {
  /** A dead process keeps what it had claimed: its leases never expire. */
  override async recover(): Promise<number> {
    return 0;
  }
  protected override mayClaim(row: MemoryRow, now: number): boolean {
    return row.leaseToken === null && super.mayClaim(row, now);
  }
}

/** Replaces nothing but `runCycle`. */
const cyclingBy = (queue: DeliveryQueue, runCycle: DeliveryQueue['runCycle']): DeliveryQueue => ({
  heads: () => queue.heads(),
  recover: (owner, now) => queue.recover(owner, now),
  takeIn: (now) => queue.takeIn(now),
  listWaiting: (after) => queue.listWaiting(after),
  pullBack: (rows) => queue.pullBack(rows),
  runCycle,
});

/** As if results that could not be recorded were dropped. */
function forgetful(queue: DeliveryQueue): DeliveryQueue {
  const tried = new Set<AttemptRecord['attempt']>();
  return cyclingBy(queue, async (cycle) => {
    const records = cycle.records.filter(({ attempt }) => !tried.has(attempt));
    for (const { attempt } of records) tried.add(attempt);
    // Every third cycle fails before anything is written.
    if (records.length > 0 && tried.size % 3 === 0) throw new Error('not recorded');
    return queue.runCycle({ ...cycle, records });
  });
}

const withDue = (
  outcome: CycleOutcome,
  dueOf: (due: readonly Delivery[]) => readonly Delivery[],
): CycleOutcome => ({
  ...outcome,
  found: outcome.found.map(({ due, nextDueAt }) => ({ due: dueOf(due), nextDueAt })),
});

/** As if a send in progress did not get the new token when its row is claimed again. */
const unadopted = (queue: DeliveryQueue): DeliveryQueue =>
  cyclingBy(queue, async (cycle) =>
    withDue(await queue.runCycle(cycle), (due) => due.filter(({ isInFlight }) => !isInFlight)),
  );

/** As if claims whose response was lost were left until their lease expires. */
const unhearing = (queue: DeliveryQueue): DeliveryQueue =>
  cyclingBy(queue, (cycle) => queue.runCycle({ ...cycle, unconfirmed: [] }));

/** As if a row were read first and claimed afterwards, whatever happened to it in between. */
const stale = (queue: DeliveryQueue): DeliveryQueue => {
  const seen = new Map<string, Delivery>();
  return cyclingBy(queue, async (cycle) =>
    withDue(await queue.runCycle(cycle), (due) =>
      due.map((delivery) => {
        const known = seen.get(delivery.id) ?? delivery;
        seen.set(delivery.id, delivery);
        return known;
      }),
    ),
  );
};

describe('the simulation', () => {
  const broken: readonly (readonly [string, Parts])[] = [
    ['results that count although the lease is lost', { makeQueue: () => new UnfencedQueue() }],
    ['rows that two can claim', { makeQueue: () => new SharedClaimsQueue() }],
    ['rows that are claimed before they are due', { makeQueue: () => new HastyClaimsQueue() }],
    ['rows that are claimed in any order', { makeQueue: () => new UnsortedQueue() }],
    ['rows that are sent as they were when they were claimed before', { wrapQueue: stale }],
    ['a send whose row has a new token that it does not hear of', { wrapQueue: unadopted }],
    ['a claim whose answer was lost and that waits for its lease', { wrapQueue: unhearing }],
    ['leases that never end', { makeQueue: () => new LeaklessQueue() }],
    ['results that are not kept', { wrapQueue: forgetful }],
    ['retries that come a tenth too early', { delaysOf: (delays) => delays.map((ms) => ms * 0.9) }],
    ['a sixth automatic attempt', { delaysOf: (delays) => [...delays, 1_000] }],
    ['one automatic attempt too few', { delaysOf: (delays) => delays.slice(1) }],
    [
      'receivers that hang and may take all places',
      { limitsOf: (limits) => ({ ...limits, total: 24, unproven: 24, hanging: 24 }) },
    ],
    ['one place too many for a receiver', { limitsOf: (limits) => ({ ...limits, perDestination: 40 }) }],
  ];

  it.each(broken)('notices %s', { timeout }, async (_, parts) => {
    const seen: string[] = [];
    for (let seed = 1; seed <= 1_000 && seen.length === 0; seed += 1)
      seen.push(...(await simulate(seed, parts)));
    expect(seen).not.toEqual([]);
  });
});
