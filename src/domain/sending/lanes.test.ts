import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneOf, originOf, type Queue, queues } from '../../model/delivery.js';
import type { QueueHead } from '../../ports/delivery-queue.js';
import { type Health, type LaneLimits, Lanes, laneLimits } from './lanes.js';

const limits: LaneLimits = {
  total: 8,
  unproven: 4,
  hanging: 2,
  perOrigin: 5,
  origins: { smtp: 2 },
  perDestinationAtFirst: 2,
  perDestination: 4,
  burst: 4,
};

const head = (lane: string, queue: Queue = queues.first, dueAt = 0): QueueHead => ({ lane, queue, dueAt });
/** The lane of a destination at this host. */
const host = (index: number, destination = 0): string =>
  laneOf(`https://host-${index}.test`, `${destination}`);
const hosts = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => host(from + i));

/** Returns what is picked, one head per place. */
function picksOf(lanes: Lanes, due: readonly QueueHead[]): readonly QueueHead[] {
  return lanes
    .pick(due)
    .flatMap(({ lane, queue, limit }) => Array.from({ length: limit }, () => head(lane, queue)));
}

function prove(lanes: Lanes, lane: string, times = 1): void {
  for (let i = 0; i < times; i += 1) {
    lanes.started(lane);
    lanes.ended(lane, 'answered');
  }
}

describe('lanes', () => {
  it('never give more places than there are: in all, by destination and by origin', () => {
    const step = fc.record({
      due: fc.array(fc.tuple(fc.nat(5), fc.nat(2), fc.constantFrom<Queue>(...Object.values(queues))), {
        maxLength: 12,
      }),
      ends: fc.array(
        fc.tuple(fc.nat(20), fc.constantFrom<Health | null>('answered', 'refused', 'unresponsive', null)),
        {
          maxLength: 6,
        },
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const lanes = new Lanes(limits);
        const underWay: string[] = [];
        for (const { due: added, ends } of steps) {
          const due = added.map(([h, path, queue]) => head(host(h, path), queue, h + path));
          const unique = [...new Map(due.map((one) => [`${one.queue} ${one.lane}`, one])).values()];
          for (const { lane } of picksOf(lanes, unique)) {
            lanes.started(lane);
            underWay.push(lane);
          }
          expect(lanes.sending).toBe(underWay.length);
          expect(underWay.length).toBeLessThanOrEqual(limits.total);
          for (const lane of underWay) {
            expect(underWay.filter((one) => one === lane).length).toBeLessThanOrEqual(limits.perDestination);
            const origin = originOf(lane);
            expect(underWay.filter((one) => originOf(one) === origin).length).toBeLessThanOrEqual(5);
          }
          for (const [which, health] of ends) {
            const [lane] = underWay.splice(which % Math.max(1, underWay.length), 1);
            if (lane !== undefined) lanes.ended(lane, health);
          }
        }
      }),
    );
  });

  it('fill the places when there is enough to send', () => {
    const lanes = new Lanes(limits);
    for (const lane of hosts(3)) prove(lanes, lane, 3);
    expect(
      picksOf(
        lanes,
        hosts(3).map((lane) => head(lane)),
      ),
    ).toHaveLength(limits.total);
  });

  it('let what is sent by hand go before all', () => {
    const lanes = new Lanes({ ...limits, total: 1 });
    const due = [
      head(host(0), queues.first, 0),
      head(host(1), queues.later, 0),
      head(host(2), queues.manual, 99),
    ];
    for (let i = 0; i < 10; i += 1) expect(picksOf(lanes, due)).toEqual([head(host(2), queues.manual)]);
  });

  it('give retries and replays each a fifth beside endless first attempts', () => {
    const lanes = new Lanes({ ...limits, total: 1 });
    const due = [head(host(0)), head(host(1), queues.later, 9), head(host(2), queues.replay, 9)];
    const picked = Array.from({ length: 50 }, () => picksOf(lanes, due)[0]?.queue);
    const count = (queue: Queue): number => picked.filter((one) => one === queue).length;
    expect([count(queues.first), count(queues.later), count(queues.replay)]).toEqual([30, 10, 10]);
  });

  it('let no lane starve at one destination either', () => {
    const lanes = new Lanes({ ...limits, total: 1 });
    const due = [queues.first, queues.later, queues.replay].map((queue) => head(host(0), queue));
    expect(new Set(Array.from({ length: 5 }, () => picksOf(lanes, due)[0]?.queue)).size).toBe(3);
  });

  it('share the places of those that are not known, and leave the rest to those that respond', () => {
    const lanes = new Lanes(limits);
    prove(lanes, host(9), 5);
    const newcomers = hosts(6).map((lane) => head(lane));
    const picked = picksOf(lanes, newcomers);
    expect(picked).toHaveLength(limits.unproven);
    for (const { lane } of picked) lanes.started(lane);
    expect(picksOf(lanes, [...newcomers, head(host(9), queues.first, 99)])).toEqual(
      Array.from({ length: 4 }, () => head(host(9))),
    );
  });

  it('give one that is new its chance, however many hang and however long they have waited', () => {
    const lanes = new Lanes(limits);
    for (const lane of hosts(20)) {
      lanes.started(lane);
      lanes.ended(lane, 'unresponsive');
    }
    const waiting = hosts(20).map((lane) => head(lane, queues.first, 0));
    const picked = picksOf(lanes, waiting);
    expect(picked).toHaveLength(limits.hanging);
    for (const { lane } of picked) lanes.started(lane);
    expect(picksOf(lanes, [...waiting, head(host(30), queues.first, 99)]).map(({ lane }) => lane)).toEqual([
      host(30),
    ]);
  });

  it('leave room when busy destinations begin to hang at the same moment', () => {
    const lanes = new Lanes();
    const busy = hosts(20);
    for (const lane of busy) prove(lanes, lane, 200);
    for (const lane of busy) for (const pick of picksOf(lanes, [head(lane)])) lanes.started(pick.lane);
    expect(lanes.sending).toBeLessThanOrEqual(
      laneLimits.burst + busy.length * laneLimits.perDestinationAtFirst,
    );
    const quick = host(99);
    expect(picksOf(lanes, [head(quick)])).toHaveLength(1);
  });

  it('give those that respond slowly a part of the places, and let none of them grow', () => {
    const lanes = new Lanes();
    const slow = hosts(100);
    for (const lane of slow) {
      prove(lanes, lane, 20);
      lanes.started(lane);
      lanes.ended(lane, 'slow');
    }
    const picked = picksOf(
      lanes,
      slow.map((lane) => head(lane)),
    );
    expect(picked.length).toBeLessThanOrEqual(laneLimits.hanging);
  });

  it('remember those that respond, however many others are heard of', () => {
    const lanes = new Lanes();
    const quick = host(0);
    prove(lanes, quick, 5);
    for (let index = 1; index <= 12_000; index += 1) {
      lanes.started(host(index));
      lanes.ended(host(index), 'unresponsive');
      if (index % 1_000 === 0) prove(lanes, quick, 1);
    }
    expect(picksOf(lanes, [head(quick)]).length).toBeGreaterThan(laneLimits.perDestinationAtFirst);
  });

  it('give a destination that hangs one place, and more again when it responds', () => {
    const lanes = new Lanes(limits);
    const room = (): number => picksOf(lanes, [head(host(0))]).length;
    expect(room(), 'not known yet').toBe(1);
    prove(lanes, host(0), 1);
    expect(room()).toBe(limits.perDestinationAtFirst);
    prove(lanes, host(0), 9);
    expect(room()).toBe(limits.perDestination);
    lanes.started(host(0));
    lanes.ended(host(0), 'unresponsive');
    expect(room()).toBe(1);
    prove(lanes, host(0), 2);
    expect(room()).toBe(3);
    lanes.started(host(0));
    lanes.ended(host(0), 'refused');
    expect(room()).toBe(2);
  });

  it('give places first to who has the fewest', () => {
    const lanes = new Lanes(limits);
    for (const lane of hosts(2)) prove(lanes, lane, 9);
    for (let i = 0; i < 3; i += 1) lanes.started(host(0));
    const picked = picksOf(lanes, [head(host(0), queues.first, 0), head(host(1), queues.first, 9)]);
    expect(picked.filter(({ lane }) => lane === host(1))).toHaveLength(4);
  });

  it('keep their books right through changes of standing', () => {
    const lanes = new Lanes(limits);
    prove(lanes, host(0), 4);
    for (let i = 0; i < 4; i += 1) lanes.started(host(0));
    for (let i = 0; i < 4; i += 1) lanes.ended(host(0), i % 2 === 0 ? 'unresponsive' : 'answered');
    for (const lane of hosts(2, 1)) {
      lanes.started(lane);
      lanes.ended(lane, null);
    }
    expect(lanes.sending).toBe(0);
    expect(
      picksOf(
        lanes,
        hosts(4, 5).map((lane) => head(lane)),
      ),
    ).toHaveLength(limits.unproven);
  });

  it('have more places for those that respond than for those that hang', () => {
    expect(laneLimits.unproven).toBeLessThanOrEqual(laneLimits.total / 2);
    expect(laneLimits.hanging).toBeLessThan(laneLimits.unproven);
  });
});
