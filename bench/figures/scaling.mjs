/**
 * Figure, manual only: submissions on PostgreSQL with one, two and three processes, each with a fixed share of a core.
 * Without that limit, a single process fills two cores together with the database and the load, and more processes only
 * compete with each other.
 */

import { burst } from '../load/load.mjs';
import { median, progress, round } from '../numbers.mjs';
import { createCpuShare } from '../servers/cpu-share.mjs';
import { startPostgres } from '../servers/postgres-server.mjs';
import { makeForm, removeFolder, startInlet, temporaryFolder } from '../servers/processes.mjs';
import { settingsOf } from './postgres.mjs';

const counts = [1, 2, 3];
const connections = 64;
/** Share of a core for each process. */
const coresEach = 0.25;
const sizes = {
  full: { rounds: 3, warmUpSeconds: 4, seconds: 3 },
  quick: { rounds: 1, warmUpSeconds: 1, seconds: 1 },
};

const figure = `postgres, ${counts.join(', ')} processes with ${coresEach} of a core each`;

/** Returns null when this machine or this user cannot limit CPU time. */
async function rateOf(server, folder, form, processes, { warmUpSeconds, seconds }) {
  const cpuShare = createCpuShare(processes * coresEach);
  if (!cpuShare) return null;
  try {
    const words = processes === 1 ? [] : ['--processes', String(processes)];
    const inlet = await startInlet(folder, settingsOf(server), [], words, { cpuShare });
    try {
      await burst(inlet.url + form.path, connections, warmUpSeconds);
      return round((await burst(inlet.url + form.path, connections, seconds)).perSecond, 0);
    } finally {
      await inlet.end();
    }
  } finally {
    await cpuShare.end();
  }
}

export async function run({ quick }) {
  const size = quick ? sizes.quick : sizes.full;
  const folder = await temporaryFolder();
  const server = await startPostgres();
  try {
    const inlet = await startInlet(folder, settingsOf(server));
    const form = await makeForm(inlet);
    await inlet.end();
    const raw = Object.fromEntries(counts.map((processes) => [processes, []]));
    for (let i = 0; i < size.rounds; i += 1) {
      for (const processes of counts) {
        const rate = await rateOf(server, folder, form, processes, size);
        if (rate === null) {
          const value = 'not run: control groups of Linux are needed, and the right to make one';
          return { rows: [{ figure, value, goal: 'rising', met: null }] };
        }
        raw[processes].push(rate);
      }
      progress(`scaling: round ${i + 1}: ${counts.map((processes) => `${raw[processes][i]}/s`).join(', ')}`);
    }
    const rates = counts.map((processes) => median(raw[processes]));
    const met = rates.every((rate, i) => i === 0 || rate > rates[i - 1]);
    return {
      rows: [{ figure, value: rates.map((rate) => `${rate}/s`).join(', '), goal: 'rising', met }],
      raw,
    };
  } finally {
    await server.end();
    await removeFolder(folder);
  }
}
