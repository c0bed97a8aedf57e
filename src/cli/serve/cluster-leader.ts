/**
 * `--processes N`: the process that starts the others, restarts those that die, and stops all of them in order. It serves
 * nothing itself and opens nothing, so that it has the least reason to die.
 */
import cluster, { type Worker } from 'node:cluster';
import { addUp, lastingOf } from '../../kernel/lasting-numbers.js';
import type { Logger } from '../../kernel/log.js';
import type { MetricsSnapshot } from '../../ports/peer-metrics.js';
import { CannotRun } from '../command.js';
import { isOurs, numbersWithinMs, type ToLeader, type ToProcess } from './cluster-messages.js';
import type { Ending } from './ending.js';
import type { Started, StartReport } from './welcome.js';

/** A process that lived this long did not die of its start. */
const settledMs = 30_000;
const firstDelayMs = 200;
const longestDelayMs = 10_000;

interface Seat {
  readonly number: number;
  worker: Worker;
  startedAt: number;
  isStarted: boolean;
  /** How many reports in a row it has missed. */
  silences: number;
  /** Deaths in a row, each soon after its start. */
  deaths: number;
  /** Why it could not start, as it reported. */
  reasons: readonly string[] | null;
}

/** A process that missed this many reports is frozen: systemd waits just as long for a single process. */
const mostSilences = 4;

/** Resolves with the exit code. */
export async function leadCluster(deps: {
  count: number;
  /** How often each process must report; one that misses too many is killed and restarted. null: no watchdog. */
  reportEveryMs: number | null;
  log: Logger;
  ending: Ending;
  report: StartReport;
}): Promise<number> {
  const { count, reportEveryMs, log, ending, report } = deps;
  const seats: Seat[] = [];
  const restarts = new Set<NodeJS.Timeout>();
  let isStopping = false;
  let isUp = false;
  let firstKey: string | null = null;
  let madeAccount = false;
  const arrivals: Started[] = [];
  let allUp = (): void => {};
  let giveUp = (_error: Error): void => {};
  const begun = new Promise<void>((resolve, reject) => {
    allUp = resolve;
    giveUp = reject;
  });
  const numbers = createNumbersDesk();

  const hear = (seat: Seat, worker: Worker, message: ToLeader): void => {
    switch (message.inlet) {
      case 'first-account':
        madeAccount = true;
        firstKey = message.apiKey;
        return;
      case 'alive':
        seat.silences = 0;
        return;
      case 'failed':
        seat.reasons = message.lines;
        return;
      case 'started':
        seat.isStarted = true;
        arrivals.push(message.started);
        if (isUp) log.info({ pid: worker.process.pid }, 'a process is up again');
        else if (seats.length === count && seats.every((one) => one.isStarted)) allUp();
        return;
      case 'numbers-wanted':
        numbers.gather(worker, message.id);
        return;
      case 'own-numbers':
        numbers.take(worker, message.id, message.numbers);
        return;
      case 'lasting-numbers':
        numbers.keep(worker, message.numbers);
    }
  };

  const start = (seat: Seat): void => {
    const worker = cluster.fork();
    const startedAt = performance.now();
    Object.assign(seat, { worker, startedAt, isStarted: false, silences: 0, reasons: null });
    worker.on('message', (message) => {
      if (isOurs(message)) hear(seat, worker, message as ToLeader);
    });
    numbers.join(worker);
    // Comes after its last message, unlike `exit`.
    worker.on('disconnect', () => numbers.leave(worker));
    // The channel broke: `exit` reports the end of the process.
    worker.on('error', () => {});
    worker.on('exit', (code, signal) => {
      if (isStopping) return;
      if (isUp) startAgain(seat, code, signal);
      else giveUp(new CannotRun(...(seat.reasons ?? [endOf(worker, code, signal)])));
    });
  };

  const startAgain = (seat: Seat, code: number, signal: string | null): void => {
    const isSettled = seat.isStarted && performance.now() - seat.startedAt > settledMs;
    seat.deaths = isSettled ? 1 : seat.deaths + 1;
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (seat.deaths - 1));
    const { pid } = seat.worker.process;
    log.error(
      { pid, code, signal, reasons: seat.reasons ?? undefined, delayMs },
      seat.isStarted ? 'a process died; another is started' : 'a process did not start; trying again',
    );
    const restart = setTimeout(() => {
      restarts.delete(restart);
      start(seat);
    }, delayMs);
    restarts.add(restart);
  };

  // Counted, not timed: this process may have been frozen itself, and then gets all messages of that time in its next cycles.
  const endFrozen = (): void => {
    for (const seat of seats) {
      if (isStopping || !seat.isStarted || seat.worker.isDead()) continue;
      seat.silences += 1;
      if (seat.silences < mostSilences) continue;
      log.error({ pid: seat.worker.process.pid }, 'a process is frozen; killed');
      seat.worker.process.kill('SIGKILL');
    }
  };

  const stopAll = async (): Promise<boolean> => {
    isStopping = true;
    for (const restart of restarts) clearTimeout(restart);
    const codes = await Promise.all(
      seats.map(({ worker }) => {
        if (worker.isDead()) return 0;
        const exit = new Promise<number>((resolve) => worker.once('exit', (code) => resolve(code ?? 1)));
        tell(worker, { inlet: 'stop' });
        return exit;
      }),
    );
    return codes.every((code) => code === 0);
  };

  // However this process ends, it must not leave the others behind without a leader.
  const killAll = (): void => {
    for (const { worker } of seats) if (!worker.isDead()) worker.process.kill('SIGKILL');
  };
  process.once('exit', killAll);
  // Each process accepts its own connections. If this process handed them out, a connection that a frozen process never
  // confirmed would stay open here forever, and its visitor would wait for the proxy's timeout.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const watch = reportEveryMs === null ? undefined : setInterval(endFrozen, reportEveryMs);
  try {
    for (let number = 0; number < count; number += 1) {
      const seat = { number, deaths: 0 } as Seat;
      seats.push(seat);
      start(seat);
    }
    const early = await Promise.race([begun, ending.asked]);
    if (early !== undefined) {
      await stopAll();
      return early;
    }
    isUp = true;
    const [first] = arrivals;
    if (first) report.started(ofAll(first, arrivals, count, madeAccount ? { apiKey: firstKey } : null));
    const code = await ending.asked;
    const endedWell = await stopAll();
    log.info('stopped');
    return code === 0 && !endedWell ? 1 : code;
  } catch (error) {
    if (firstKey !== null) report.keyOfFailedStart(firstKey);
    await stopAll();
    throw error;
  } finally {
    clearInterval(watch);
    process.off('exit', killAll);
  }
}

/** One welcome message for all of them. */
const ofAll = (
  first: Started,
  all: readonly Started[],
  processes: number,
  firstAccount: Started['firstAccount'],
): Started => ({
  ...first,
  processes,
  firstAccount,
  setupToken: all.find((one) => one.setupToken !== null)?.setupToken ?? null,
});

const endOf = ({ process: { pid } }: Worker, code: number, signal: string | null): string =>
  `A process (${pid}) ended at its start ${signal ? `by ${signal}` : `with code ${code}`}; its last lines tell why.`;

function tell(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, undefined, () => {});
}

/** Gathers the metrics of all processes for the one that serves a request for them, and stores those of processes that ended. */
function createNumbersDesk() {
  interface Asking {
    readonly found: Map<Worker, MetricsSnapshot>;
    /** Processes that have not responded yet. */
    readonly missing: Set<Worker>;
    readonly done: () => void;
  }
  const askings = new Map<string, Asking>();
  /** The last report of each live process. */
  const latest = new Map<Worker, MetricsSnapshot>();
  let ended: MetricsSnapshot = [];

  const settle = (asking: Asking, worker: Worker): void => {
    if (asking.missing.delete(worker) && asking.missing.size === 0) asking.done();
  };

  return {
    join(worker: Worker): void {
      latest.set(worker, []);
    },
    leave(worker: Worker): void {
      ended = addUp(ended, latest.get(worker) ?? []);
      latest.delete(worker);
      for (const asking of [...askings.values()]) {
        // Its metrics are now part of `ended`, and must not count twice.
        asking.found.delete(worker);
        settle(asking, worker);
      }
    },
    keep(worker: Worker, numbers: MetricsSnapshot): void {
      latest.set(worker, numbers);
    },
    gather(asker: Worker, id: number): void {
      const asked = [...latest.keys()].filter((worker) => worker.isConnected());
      const key = `${asker.id} ${id}`;
      const done = (): void => {
        clearTimeout(late);
        const asking = askings.get(key);
        if (!asking) return;
        askings.delete(key);
        const living = [...latest].map(([worker, last]) => asking.found.get(worker) ?? lastingOf(last));
        tell(asker, { inlet: 'numbers', id, numbers: [...living, ended] });
      };
      const late = setTimeout(done, numbersWithinMs);
      askings.set(key, { found: new Map(), missing: new Set(asked), done });
      for (const worker of asked) tell(worker, { inlet: 'own-numbers-wanted', id: key });
    },
    take(worker: Worker, key: string, numbers: MetricsSnapshot): void {
      latest.set(worker, numbers);
      const asking = askings.get(key);
      if (!asking) return;
      asking.found.set(worker, numbers);
      settle(asking, worker);
    },
  };
}
