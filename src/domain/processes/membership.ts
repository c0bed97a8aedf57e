/**
 * This process among the others that serve the same database: it says every few seconds that it is there, frees what one that
 * fell silent had leased, and knows whether it is the one that does upkeep.
 *
 * What must stay true:
 * - A silent process loses its leases at most `silentMs` and one beat after it was last heard.
 * - The leader stops being it before another can become it: its right lasts a beat less than the patience of the others.
 *   Two at once are still harmless, for clocks may differ; but they are not planned for.
 * - Losing the store for a while ends nothing here: beating goes on, and says once that it fails.
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
  /** One that fell silent was removed, by us. */
  freed(freed: Freed): void;
  /** We had been taken for gone, and what we had leased is others' by now. */
  returned(silentForMs: number): void;
  led(isLeader: boolean): void;
  /** Called once for each time that it stops working. */
  failed(error: unknown): void;
  recovered(): void;
}

export interface Membership {
  /** Resolves once the others can see us. */
  start(): Promise<void>;
  /** Whether upkeep is ours to do now. */
  isLeader(): boolean;
  /** Frees what is left of our own leases, and leaves. */
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
  /** Runs with every beat, before others' work is freed. */
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
  /** When each was first seen with the beat it still has: tells a silent one also after the clock was set back. */
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

  /** All or nothing: once its row is gone, its work is free. */
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
    // From before the beat is sent: the others count from what is written, which is no older.
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

/** The only process of a database that cannot be shared: nobody else is there, and nobody needs to hear from it. */
export function createLoneMembership(deps: {
  store: Store;
  self: Omit<ServingProcess, 'seenAt'>;
  clock: Clock;
  /** Called with how many webhooks an earlier process had not ended. */
  onFreed: (deliveries: number) => void;
}): Membership {
  const { store, self, clock } = deps;
  return {
    async start() {
      // Processes that are listed, or had leased something, have ended: we hold the lock.
      const now = clock.now();
      await store.processes.clear();
      deps.onFreed(await store.queue.recover(null, now));
      await store.processes.beat({ ...self, seenAt: now });
    },
    isLeader: () => true,
    stop: () => store.processes.leave(self.id),
  };
}
