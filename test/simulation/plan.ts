/** What happens in a run. Everything that the program does not decide follows from the seed. */
import { type LaneLimits, laneLimits } from '../../src/domain/sending/lanes.js';
import type { DeliveryTrigger } from '../../src/model/delivery.js';
import type { Chance } from '../support/seeded.js';
import type { StoreTroubles } from './process.js';
import { makeReceiver, type Receiver } from './receivers.js';

export interface Plan {
  /** One process, as installed, or two that share a queue. */
  readonly processes: 1 | 2;
  /** Whether it is about endpoints that hang and others that must not notice. Then nothing else goes wrong. */
  readonly isAboutIsolation: boolean;
  readonly hanging: number;
  readonly receivers: readonly Receiver[];
  readonly arrivals: readonly { at: number; url: string; isWakeLost: boolean }[];
  readonly resends: readonly { at: number; arrival: number; trigger: DeliveryTrigger }[];
  readonly crashes: readonly { at: number; process: number; downMs: number; isNoticed: boolean }[];
  readonly freezes: readonly { at: number; process: number; ms: number }[];
  readonly clockSteps: readonly { at: number; ms: number }[];
  readonly troubles: StoreTroubles | null;
  /** From here on nothing goes wrong anymore. */
  readonly calmAt: number;
  readonly delays: readonly number[];
  readonly deadlineMs: number;
  readonly leaseMs: number;
  readonly limits: LaneLimits;
}

const several = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const delays = [4_000, 10_000, 20_000, 60_000] as const;

export function planIsolation(chance: Chance): Plan {
  const deadlineMs = chance.between(4_000, 15_000);
  const made = { chance, deadlineMs, healsAt: 0 };
  const hanging = several(chance.between(1, 40), (i) =>
    makeReceiver(`https://hangs-${i}.test/`, 'dead', { ...made, harm: 'hanging' }),
  );
  const healthy = several(chance.between(1, 4), (i) =>
    makeReceiver(`https://well-${i}.test/`, 'healthy', made),
  );
  const backlog = hanging.flatMap(({ url }) => several(8, () => ({ at: 0, url, isWakeLost: false })));
  const steady = healthy.flatMap(({ url }) =>
    several(20, () => ({ at: chance.between(0, 35_000), url, isWakeLost: false })),
  );
  return {
    processes: 1,
    isAboutIsolation: true,
    hanging: hanging.length,
    receivers: [...hanging, ...healthy],
    arrivals: [...backlog, ...steady],
    resends: [],
    crashes: [],
    freezes: [],
    clockSteps: [],
    troubles: null,
    calmAt: 40_000,
    delays,
    deadlineMs,
    leaseMs: deadlineMs + 45_000,
    limits: laneLimits,
  };
}

/** Clocks that are set forward repeatedly while sends are in progress, so that their leases expire first. */
export function planEarlyEnds(chance: Chance): Plan {
  const plan = planTroubles(chance);
  const { calmAt, deadlineMs, leaseMs } = plan;
  const when = (): number => chance.between(0, calmAt);
  // A hanging endpoint has only one place. The send in progress has it, so its lane is not looked at meanwhile.
  const receivers = (['slow', 'slow', 'hanging'] as const).map((harm, i) =>
    makeReceiver(`https://late-${i}.test/`, 'dead', { chance, deadlineMs, healsAt: calmAt, harm }),
  );
  const arrivals = several(chance.between(4, 24), (i) => ({
    at: when(),
    url: receivers[i % 3]?.url ?? '',
    isWakeLost: false,
  }));
  const isLosingAnswers = chance.next() < 0.5;
  return {
    ...plan,
    processes: 1,
    receivers,
    arrivals,
    resends: isLosingAnswers
      ? []
      : several(8, () => ({
          at: when(),
          arrival: chance.between(0, arrivals.length - 1),
          trigger: chance.next() < 0.5 ? 'manual' : 'replay',
        })),
    crashes: [],
    freezes: [],
    clockSteps: several(chance.between(6, 24), () => ({
      at: when(),
      ms: leaseMs + chance.between(0, 5_000),
    })),
    troubles: isLosingAnswers ? { refusal: 0.1, lostAnswer: 0.3, stall: 0, stallMs: 0 } : null,
  };
}

/** A clock that is set back while wake-ups are lost: only a regular look at the queue finds what arrived then. */
export function planSetBack(chance: Chance): Plan {
  const plan = planTroubles(chance);
  return {
    ...plan,
    processes: 1,
    arrivals: plan.arrivals.map((arrival) => ({ ...arrival, isWakeLost: true })),
    crashes: [],
    freezes: [],
    clockSteps: [{ at: chance.between(0, plan.calmAt), ms: -chance.between(60_000, 7_200_000) }],
    troubles: null,
  };
}

export function planTroubles(chance: Chance): Plan {
  const maybe = <T>(probability: number, most: number, make: () => T): T[] =>
    chance.next() < probability ? several(chance.between(1, most), make) : [];
  const processes = chance.next() < 0.35 ? 2 : 1;
  const calmAt = chance.between(5_000, 90_000);
  const deadlineMs = chance.between(1_000, 8_000);
  const when = (): number => chance.between(0, calmAt);
  const kinds = ['healthy', 'healthy', 'dead', 'healing', 'flapping'] as const;
  const receivers = several(chance.between(1, 5), (i) =>
    // Three origins: from the fourth endpoint on they are shared.
    makeReceiver(`https://host-${i % 3}.test/${i}`, kinds[chance.between(0, 4)] ?? 'healthy', {
      chance,
      deadlineMs,
      healsAt: calmAt,
    }),
  );
  const losesWakes = chance.next() < 0.3;
  const arrivals = several(chance.between(1, 25), () => ({
    at: when(),
    url: receivers[chance.between(0, receivers.length - 1)]?.url ?? '',
    isWakeLost: losesWakes && chance.next() < 0.5,
  }));
  const isTroubled = chance.next() < 0.5;
  const isStalling = chance.next() < 0.5;
  return {
    processes,
    isAboutIsolation: false,
    hanging: 0,
    receivers,
    arrivals,
    resends: maybe(0.25, 6, () => ({
      at: when(),
      arrival: chance.between(0, arrivals.length - 1),
      trigger: chance.next() < 0.5 ? 'manual' : 'replay',
    })),
    crashes: maybe(0.5, 6, () => ({
      at: when(),
      process: chance.between(0, processes - 1),
      downMs: chance.between(0, 4_000),
      isNoticed: chance.next() < 0.5,
    })),
    freezes: maybe(0.3, 3, () => ({
      at: when(),
      process: chance.between(0, processes - 1),
      ms: chance.next() < 0.5 ? chance.between(10, 3_000) : chance.between(3_000, 150_000),
    })),
    clockSteps: maybe(0.3, 3, () => {
      const ms = chance.next() < 0.5 ? chance.between(1, 60_000) : chance.between(60_000, 7_200_000);
      return { at: when(), ms: chance.next() < 0.5 ? ms : -ms };
    }),
    troubles: isTroubled
      ? {
          refusal: chance.next() * 0.25,
          lostAnswer: chance.next() * 0.15,
          stall: isStalling ? 0.05 : 0,
          stallMs: chance.next() < 0.8 ? 5_000 : 100_000,
        }
      : null,
    calmAt,
    delays,
    deadlineMs,
    leaseMs: deadlineMs + 20_000,
    limits:
      chance.next() < 0.5
        ? laneLimits
        : {
            ...laneLimits,
            total: 5,
            unproven: 3,
            hanging: 2,
            perOrigin: 4,
            perDestinationAtFirst: 2,
            perDestination: 3,
          },
  };
}
