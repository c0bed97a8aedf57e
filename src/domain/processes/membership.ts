/**
 * This process among the others that serve the same database: it sends a heartbeat every few seconds, frees the leases of
 * processes that fell silent, and knows whether it is the leader, which does upkeep.
 *
 * What must stay true:
 * - A silent process loses its leases at most `silentMs` plus one heartbeat after it was last seen.
 * - The leader steps down before another process can take over: its leadership lasts one heartbeat less than the timeout of the
 *   others. Clocks may differ: two leaders at once are still harmless, but not planned for.
 * - A temporary loss of the store ends nothing here: heartbeats continue, and the failure is reported once.
 */
import type { Clock, Timers } from '../../kernel/clock.js';
import { type ServingProcess, works } from '../../model/process.js';
import type { Store } from '../../ports/store.js';

export const beatMs = 3_000;
export const silentMs = 12_000;

export interface Freed {
  readonly process: ServingProcess;
  readonly deliveries: number;
}

export interface MembershipObserver {
  /** This process has removed one that fell silent. */
  freed(freed: Freed): void;
  /** Other processes had removed this one, and its leases are theirs now. */
  returned(silentForMs: number): void;
  led(isLeader: boolean): void;
  /** Called once each time that heartbeats begin to fail. */
  failed(error: unknown): void;
  recovered(): void;
}

export interface Membership {
  /** Resolves once the other processes can see this one. */
  start(): Promise<void>;
  /** Whether this process does upkeep now. */
  isLeader(): boolean;
  /** Frees this process's remaining leases, and leaves. */
  stop(): Promise<void>;
}

export function createMembership(deps: {
  store: Store;
  self: Omit<ServingProcess, 'seenAt'>;
  clock: Clock;
  timers: Timers;
  /** Monotonic. */
  now: () => number;
  observer: MembershipObserver;
  /** Runs with every heartbeat, before leases of other processes are freed. */
  onBeat: () => Promise<void>;
}): Membership {
  const { store, self, clock, timers, observer } = deps;
  let heardAt: number | null = null;
  let leaderId: string | null = null;
  let wasLeader = false;
  let isFailing = false;
  let beating: Promise<void> | null = null;
  let stopping = false;
  let callOff = (): void => {};
  /** When each process was first seen with its current heartbeat. Detects silent ones even after the clock was set back. */
  let lastBeats = new Map<string, { readonly seenAt: number; readonly since: number }>();

  const isLeader = (): boolean =>
    leaderId === self.id && heardAt !== null && deps.now() - heardAt < silentMs - beatMs;

  const tellLeadership = (): void => {
    if (isLeader() === wasLeader) return;
    wasLeader = !wasLeader;
    observer.led(wasLeader);
  };

  const isSilent = ({ id, seenAt }: ServingProcess): boolean => {
    if (clock.now() - seenAt > silentMs) return true;
    const known = lastBeats.get(id);
    return known !== undefined && known.seenAt === seenAt && deps.now() - known.since > silentMs;
  };

  /** Atomic: once its row is gone, its leases are free. */
  const free = async (process: ServingProcess): Promise<void> => {
    const freed = await store.tx(async (tx) => {
      if (!(await tx.processes.remove(process.id, process.seenAt))) return null;
      const now = clock.now();
      return { process, deliveries: await tx.queue.recover(process.id, now) };
    });
    if (freed) observer.freed(freed);
  };

  const look = async (): Promise<void> => {
    const all = await store.processes.list();
    const others = all.filter((process) => process.id !== self.id);
    const silent = others.filter(isSilent);
    const live = others.filter((process) => !silent.includes(process));
    const workers = [...live, self].filter((process) => works(process.role)).map(({ id }) => id);
    leaderId = workers.sort()[0] ?? null;
    lastBeats = new Map(
      live.map(({ id, seenAt }) => {
        const known = lastBeats.get(id);
        return [id, known?.seenAt === seenAt ? known : { seenAt, since: deps.now() }];
      }),
    );
    if (!works(self.role)) return;
    for (const process of silent) await free(process);
  };

  const beat = async (): Promise<void> => {
    // Taken before the heartbeat is sent: the others count from the written time, which is no earlier.
    const startedAt = deps.now();
    const isKnown = await store.processes.beat({ ...self, seenAt: clock.now() });
    if (!isKnown && heardAt !== null) observer.returned(startedAt - heardAt);
    heardAt = startedAt;
    await deps.onBeat();
    await look();
    if (isFailing) observer.recovered();
    isFailing = false;
  };

  const beatAgain = (): void => {
    callOff = timers.after(beatMs, () => {
      beating = beat()
        .catch((error: unknown) => {
          if (!isFailing) observer.failed(error);
          isFailing = true;
        })
        .finally(() => {
          beating = null;
          tellLeadership();
          if (!stopping) beatAgain();
        });
    });
  };

  return {
    async start() {
      await beat();
      tellLeadership();
      beatAgain();
    },
    isLeader,
    async stop() {
      stopping = true;
      callOff();
      await beating;
      leaderId = null;
      await store.tx(async (tx) => {
        await tx.queue.recover(self.id, clock.now());
        await tx.processes.leave(self.id);
      });
    },
  };
}

/** The only process of a database that cannot be shared: it needs no heartbeat. */
export function createLoneMembership(deps: {
  store: Store;
  self: Omit<ServingProcess, 'seenAt'>;
  clock: Clock;
  /** Called with the number of deliveries that an earlier process left unfinished. */
  onFreed: (deliveries: number) => void;
}): Membership {
  const { store, self, clock } = deps;
  return {
    async start() {
      // This process has the lock of the database, so processes that are listed, or have leases, have ended.
      const now = clock.now();
      await store.processes.clear();
      deps.onFreed(await store.queue.recover(null, now));
      await store.processes.beat({ ...self, seenAt: now });
    },
    isLeader: () => true,
    stop: () => store.processes.leave(self.id),
  };
}
