/**
 * Durable submissions per second on a store with many submissions, in turns with an empty store. The server measured first
 * is stopped (SIGSTOP) while the other is measured, so that its background work does not disturb it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { burst } from '../load/load.mjs';
import { median, round } from '../numbers.mjs';
import {
  cpuSeconds,
  makeForm,
  removeFolder,
  startInlet,
  temporaryFolder,
  untilIdle,
} from '../servers/processes.mjs';

const connections = 64;
/** Indexing begins up to 1.25 s after the last submission. From then on, `untilIdle` sees it. */
const indexingBeginsMs = 1_300;

async function contestant(server, waitsForIndex) {
  const untilIndexed = async () => {
    if (!waitsForIndex) return;
    await pause(indexingBeginsMs);
    await untilIdle(server.pid, 5_000);
  };
  const { path } = await makeForm(server);
  const rounds = [];
  let cpuBefore = 0;
  return {
    rounds,
    async warmUp(seconds) {
      await burst(server.url + path, connections, seconds);
    },
    indexed: untilIndexed,
    async ready() {
      await untilIndexed();
      cpuBefore = cpuSeconds(server.pid).all;
    },
    async measure(seconds) {
      const { perSecond, requests, p50Ms, p99Ms } = await burst(server.url + path, connections, seconds);
      rounds.push({ perSecond: round(perSecond, 0), requests, p50Ms, p99Ms });
    },
    /** The CPU time of all rounds, including the indexing after them if `waitsForIndex`. */
    async cpuUsPerSubmission() {
      await untilIndexed();
      const requests = rounds.reduce((sum, one) => sum + one.requests, 0);
      return round(((cpuSeconds(server.pid).all - cpuBefore) * 1e6) / requests, 1);
    },
    stop: () => process.kill(server.pid, 'SIGSTOP'),
    goOn: () => process.kill(server.pid, 'SIGCONT'),
  };
}

/** `server` runs on the grown folder. Its new rows go to a new form in a new project. */
export async function measureIngest(server, { rounds, seconds, waitsForIndex }) {
  const emptyDir = await temporaryFolder();
  try {
    const other = await startInlet(emptyDir);
    const empty = await contestant(other, waitsForIndex);
    const grown = await contestant(server, waitsForIndex);
    try {
      for (const one of [empty, grown]) await one.warmUp(1);
      await Promise.all([empty.ready(), grown.ready()]);
      for (let i = 0; i < rounds; i += 1) {
        // The order alternates, so that a machine that slows down affects both.
        const [first, second] = i % 2 === 0 ? [grown, empty] : [empty, grown];
        await first.measure(seconds);
        first.stop();
        await second.measure(seconds);
        first.goOn();
        // A resumed server takes its stopped time for a quiet moment, and would index in its next round.
        if (i < rounds - 1) await Promise.all([empty.indexed(), grown.indexed()]);
      }
      const costs = await Promise.all([grown.cpuUsPerSubmission(), empty.cpuUsPerSubmission()]);
      const ratios = grown.rounds.map((one, i) => round(one.perSecond / empty.rounds[i].perSecond, 3));
      return {
        ratio: round(median(ratios), 3),
        ratios,
        perSecond: median(grown.rounds.map((one) => one.perSecond)),
        emptyPerSecond: median(empty.rounds.map((one) => one.perSecond)),
        cpuUsPerSubmission: costs[0],
        emptyCpuUsPerSubmission: costs[1],
        waitsForIndex,
        added: grown.rounds.reduce((sum, one) => sum + one.requests, 0),
        rounds: { grown: grown.rounds, empty: empty.rounds },
      };
    } finally {
      empty.goOn();
      grown.goOn();
      await other.end();
    }
  } finally {
    await removeFolder(emptyDir);
  }
}
