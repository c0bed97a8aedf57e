import { describe, expect, it } from 'vitest';
import { onlyStore } from '../../../test/support/ports.js';
import { seeded } from '../../../test/support/seeded.js';
import { VirtualTime } from '../../../test/support/virtual-time.js';
import type { Role, ServingProcess } from '../../model/process.js';
import type { TransactionStore } from '../../ports/store.js';
import { beatMs, createLoneMembership, createMembership, type Membership, silentMs } from './membership.js';

/** Lets the store calls of the last instant resolve. */
const reactions = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const epoch = 1_700_000_000_000;
const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

/** One database and the processes on it. Each may be frozen, cut off from the database, or killed. */
function aWorld(seed: number) {
  const chance = seeded(seed);
  const time = new VirtualTime(chance);
  const rows = new Map<string, ServingProcess>();
  const leases = new Map<string, number>();
  let clockShift = 0;
  const told: { readonly by: string; readonly what: string; readonly at: number }[] = [];
  const now = (): number => epoch + clockShift + time.now;

  const parts: Pick<TransactionStore, 'processes' | 'queue'> = {
    processes: {
      async beat(process) {
        const isKnown = rows.has(process.id);
        rows.set(process.id, process);
        return isKnown;
      },
      leave: async (id) => void rows.delete(id),
      list: async () => [...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      remove: async (id, seenAt) => rows.get(id)?.seenAt === seenAt && rows.delete(id),
      clear: async () => rows.clear(),
    },
    queue: {
      ...({} as TransactionStore['queue']),
      async recover(owner) {
        const held = leases.get(owner ?? '') ?? 0;
        leases.delete(owner ?? '');
        return held;
      },
    },
  };

  interface Member {
    readonly membership: Membership;
    freeze(): void;
    thaw(): void;
    cutOff(isCut: boolean): void;
  }
  const members = new Map<string, Member>();

  const join = async (id: string, role: Role = 'all'): Promise<Member> => {
    let isFrozen = false;
    let isCut = false;
    const held: (() => void)[] = [];
    const say = (what: string): void => void told.push({ by: id, what, at: time.now });
    /** Calls of a frozen process run when it thaws. Calls of a cut-off process are rejected. */
    const pass = (): Promise<void> =>
      new Promise((resolve, reject) => {
        const go = (): void => (isCut ? reject(new Error('no database')) : resolve());
        if (isFrozen) held.push(go);
        else go();
      });
    const guarded = <T extends object>(part: T): T =>
      Object.fromEntries(
        Object.entries(part).map(([name, method]) => [
          name,
          async (...args: unknown[]) => {
            await pass();
            return (method as (...given: unknown[]) => unknown)(...args);
          },
        ]),
      ) as T;
    const bound = {
      processes: guarded(parts.processes),
      queue: guarded(parts.queue),
    };
    const membership = createMembership({
      store: onlyStore({
        ...bound,
        tx: <T>(work: (store: TransactionStore) => Promise<T>) =>
          pass().then(() => work(bound as TransactionStore)),
      }),
      self: { id, role, host: 'here', pid: 1, version: '1', startedAt: now() },
      clock: { now },
      timers: {
        after: (ms, call) =>
          time.after(ms, () => {
            if (isFrozen) held.push(call);
            else call();
          }),
      },
      now: () => time.now,
      observer: {
        freed: ({ process, deliveries }) => say(`freed ${process.id}: ${deliveries}`),
        returned: () => say('returned'),
        led: (isLeader) => say(isLeader ? 'leads' : 'leads no more'),
        failed: () => say('failed'),
        recovered: () => say('recovered'),
      },
      onBeat: async () => {},
    });
    const member: Member = {
      membership,
      freeze: () => {
        isFrozen = true;
      },
      thaw() {
        isFrozen = false;
        for (const call of held.splice(0)) call();
      },
      cutOff: (cut) => {
        isCut = cut;
      },
    };
    members.set(id, member);
    await membership.start();
    return member;
  };

  return {
    time,
    leases,
    rows,
    join,
    async pass(ms: number): Promise<void> {
      let isOver = false;
      time.after(ms, () => {
        isOver = true;
      });
      await time.run(Number.POSITIVE_INFINITY, () => isOver);
      await reactions();
    },
    shiftClock: (ms: number) => {
      clockShift += ms;
    },
    said: (what: string) => told.filter((line) => line.what === what),
    told,
    leaders: () => [...members].filter(([, { membership }]) => membership.isLeader()).map(([id]) => id),
  };
}

describe.each(seeds)('processes that share a database (seed %i)', (seed) => {
  it('have one leader: the lowest of those who work', async () => {
    const world = aWorld(seed);
    await world.join('a', 'api');
    expect(world.leaders()).toEqual([]);
    await world.join('c');
    expect(world.leaders()).toEqual(['c']);
    await world.join('b', 'worker');
    await world.pass(2 * beatMs);
    expect(world.leaders()).toEqual(['b']);
  });

  it('hand leadership over when the leader leaves, within a beat', async () => {
    const world = aWorld(seed);
    const first = await world.join('a');
    await world.join('b');
    await world.pass(beatMs);
    world.leases.set('a', 3);
    await first.membership.stop();
    expect(world.leases.has('a'), 'its own leases are free').toBe(false);
    expect(world.leaders()).toEqual([]);
    await world.pass(beatMs + 1);
    expect(world.leaders()).toEqual(['b']);
    expect(world.said('freed a: 3'), 'it freed them itself').toEqual([]);
  });

  it('free what a dead one had leased, once, in time', async () => {
    const world = aWorld(seed);
    const dead = await world.join('a');
    await world.join('b');
    await world.join('c', 'worker');
    await world.pass(beatMs);
    world.leases.set('a', 5);
    world.leases.set('b', 2);
    dead.freeze();
    const diedAt = world.time.now;
    await world.pass(silentMs + 2 * beatMs);
    const [freed, ...more] = world.said('freed a: 5');
    expect(more).toEqual([]);
    expect((freed?.at ?? Number.POSITIVE_INFINITY) - diedAt).toBeLessThanOrEqual(silentMs + beatMs + 1);
    expect([...world.leases]).toEqual([['b', 2]]);
    expect([...world.rows.keys()].sort()).toEqual(['b', 'c']);
    expect(world.leaders()).toEqual(['b']);
  });

  it('never have two leaders while one is frozen and thaws', async () => {
    const world = aWorld(seed);
    const first = await world.join('a');
    await world.join('b');
    for (let round = 0; round < 4; round += 1) {
      await world.pass(2 * beatMs);
      expect(world.leaders()).toEqual(['a']);
      first.freeze();
      for (let slept = 0; slept < silentMs + 2 * beatMs; slept += 500) {
        await world.pass(500);
        expect(world.leaders().length).toBeLessThanOrEqual(1);
      }
      expect(world.leaders()).toEqual(['b']);
      first.thaw();
      expect(world.leaders(), 'before it has asked').toEqual(['b']);
      await world.pass(2 * beatMs);
    }
    expect(world.said('returned')).toHaveLength(4);
    expect(world.rows.has('a')).toBe(true);
  });

  it('free nothing of one that sleeps for less than the patience of the others', async () => {
    const world = aWorld(seed);
    const first = await world.join('a');
    await world.join('b');
    await world.pass(beatMs);
    first.freeze();
    await world.pass(silentMs - beatMs - 1);
    first.thaw();
    await world.pass(beatMs);
    expect(world.told.filter(({ what }) => what.startsWith('freed'))).toEqual([]);
    expect(world.said('returned')).toEqual([]);
  });

  it('say once that the database is unavailable, and go on when it is back', async () => {
    const world = aWorld(seed);
    const only = await world.join('a');
    only.cutOff(true);
    await world.pass(5 * silentMs);
    expect(world.said('failed')).toHaveLength(1);
    expect(world.leaders()).toEqual([]);
    only.cutOff(false);
    await world.pass(beatMs + 1);
    expect(world.said('recovered')).toHaveLength(1);
    expect(world.leaders()).toEqual(['a']);
  });

  it('tell a dead one also when the clock of the database was set back an hour', async () => {
    const world = aWorld(seed);
    const dead = await world.join('a');
    await world.join('b');
    await world.pass(2 * beatMs);
    dead.freeze();
    world.shiftClock(-60 * 60_000);
    await world.pass(silentMs + 3 * beatMs);
    expect([...world.rows.keys()]).toEqual(['b']);
    expect(world.leaders()).toEqual(['b']);
  });

  it('leave silent ones to those who work', async () => {
    const world = aWorld(seed);
    const dead = await world.join('a', 'worker');
    await world.join('b', 'api');
    dead.freeze();
    await world.pass(3 * silentMs);
    expect([...world.rows.keys()]).toEqual(['a', 'b']);
    expect(world.leaders()).toEqual([]);
  });
});

describe('the one process of an embedded database', () => {
  it('is alone, even if others are still listed, and leads', async () => {
    const rows = new Map<string, ServingProcess>();
    let freed = 0;
    const self = { id: 'b', role: 'all', host: 'here', pid: 1, version: '1', startedAt: epoch } as const;
    rows.set('a', { ...self, id: 'a', seenAt: epoch });
    const lone = createLoneMembership({
      store: onlyStore({
        processes: {
          ...({} as TransactionStore['processes']),
          beat: async (process) => void rows.set(process.id, process) === undefined,
          leave: async (id) => void rows.delete(id),
          clear: async () => rows.clear(),
        },
        queue: { recover: async (owner) => (owner === null ? 3 : 0) },
      }),
      self,
      clock: { now: () => epoch },
      onFreed: (deliveries) => {
        freed = deliveries;
      },
    });
    await lone.start();
    expect(freed).toBe(3);
    expect([...rows.keys()]).toEqual(['b']);
    expect(lone.isLeader()).toBe(true);
    await lone.stop();
    expect(rows.size).toBe(0);
  });
});
