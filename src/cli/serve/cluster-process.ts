/** One of the processes of `--processes N`, and its side of the connection to the leader. */
import cluster from 'node:cluster';
import type { MetricsSnapshot, OwnMetrics, PeerMetrics } from '../../ports/peer-metrics.js';
import {
  isOurs,
  numbersEveryMs,
  numbersWithinMs,
  type ToLeader,
  type ToProcess,
} from './cluster-messages.js';

export interface ClusterProcess {
  readonly peerMetrics: PeerMetrics;
  tell(message: ToLeader): void;
  /** Reports to the leader what this process has counted; resolves when that is sent. */
  leaveNumbers(): Promise<void>;
  /** Calls back when the leader requests a stop, or has exited. */
  onStop(callback: () => void): void;
}

/** Returns null when this process serves alone. */
export function joinCluster(): ClusterProcess | null {
  const { worker } = cluster;
  if (!worker) return null;
  // Otherwise the end of the leader would end this process at once, with its requests in flight.
  worker.exitedAfterDisconnect = true;
  let own: OwnMetrics = { all: async () => [], lasting: async () => [] };
  let stop = (): void => {};
  let isStopped = false;
  const waiting = new Map<number, (numbers: readonly MetricsSnapshot[]) => void>();
  let asked = 0;

  const tell = (message: ToLeader): Promise<void> =>
    new Promise((resolve) => {
      // A leader that has ended receives nothing; `disconnect` handles that.
      if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const leaveNumbers = async (): Promise<void> =>
    tell({ inlet: 'lasting-numbers', numbers: await own.lasting() });
  const endSoon = (): void => {
    isStopped = true;
    stop();
  };
  const hear = (message: ToProcess): void => {
    switch (message.inlet) {
      case 'stop':
        endSoon();
        return;
      case 'own-numbers-wanted':
        void own.all().then((numbers) => tell({ inlet: 'own-numbers', id: message.id, numbers }));
        return;
      case 'numbers':
        waiting.get(message.id)?.(message.numbers);
    }
  };
  process.on('message', (message) => {
    if (isOurs(message)) hear(message as ToProcess);
  });
  process.once('disconnect', endSoon);

  return {
    tell: (message) => void tell(message),
    leaveNumbers,
    onStop(callback) {
      stop = callback;
      if (isStopped) callback();
    },
    peerMetrics: {
      offer(numbers) {
        own = numbers;
        setInterval(() => void leaveNumbers().catch(() => {}), numbersEveryMs).unref();
      },
      async gather() {
        const id = asked++;
        const answer = new Promise<readonly MetricsSnapshot[] | null>((resolve) => {
          const late = setTimeout(() => resolve(null), numbersWithinMs + 500);
          waiting.set(id, (numbers) => {
            clearTimeout(late);
            resolve(numbers);
          });
        });
        void tell({ inlet: 'numbers-wanted', id });
        const numbers = await answer;
        waiting.delete(id);
        return numbers ?? [await own.all()];
      },
    },
  };
}
