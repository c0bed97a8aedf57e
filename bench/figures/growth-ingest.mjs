/**
 * Durable submissions a second on a store that has many, beside one that has none, in turns. The one that was measured
 * first is stopped meanwhile (SIGSTOP), so that nothing it does behind its answers disturbs the other.
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
/** Indexing begins up to 1.25 s after the last submission; then it is seen as work. */
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
    /** All that the rounds cost the process, the indexing behind them included where it was waited for. */
    async cpuUsPerSubmission() {
      await untilIndexed();
      const requests = rounds.reduce((sum, one) => sum + one.requests, 0);
      return round(((cpuSeconds(server.pid).all - cpuBefore) * 1e6) / requests, 1);
    },
    stop: () => process.kill(server.pid, 'SIGSTOP'),
    goOn: () => process.kill(server.pid, 'SIGCONT'),
  };
}

/** `server` runs on the grown folder; its new rows go to a form of their own, in a project of their own. */
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
        // Who begins changes from round to round: a machine that slows down meanwhile slows both.
        const [first, second] = i % 2 === 0 ? [grown, empty] : [empty, grown];
        await first.measure(seconds);
        first.stop();
        await second.measure(seconds);
        first.goOn();
        // A server that comes back takes the time that it was stopped for a quiet moment, and would index in its next round.
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
