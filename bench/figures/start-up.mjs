/** Figure: the time from starting the process to its first response, on an empty folder and on existing data. */
import { median, progress, round } from '../numbers.mjs';
import { removeFolder, startInlet, temporaryFolder } from '../servers/processes.mjs';

const goalMs = 700;

async function starts(dataDir, runs) {
  const tookMs = [];
  const cpuMs = [];
  for (let i = 0; i < runs; i += 1) {
    const server = await startInlet(dataDir);
    tookMs.push(round(server.readyMs, 0));
    cpuMs.push(round(server.readyCpuMs, 0));
    await server.end();
  }
  return { medianMs: median(tookMs), tookMs, cpuMs };
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

export async function run({ quick, seeded, rows }) {
  const runs = quick ? 1 : 5;
  const folder = await seeded();
  await folder.growTo(Math.min(rows, Math.max(folder.rows, 50_000)));
  const emptyDir = await temporaryFolder();
  try {
    // The very first start creates the database. The goal applies to all later starts.
    const first = await starts(emptyDir, 1);
    const empty = await starts(emptyDir, runs);
    const full = await starts(folder.dataDir, runs);
    const row = (figure, { medianMs, tookMs, cpuMs }, hasGoal) => {
      progress(`start-up: ${figure}: ${tookMs.join(', ')} ms`);
      return {
        figure: `start-up, ${figure}`,
        value: `${medianMs} ms (${tookMs.join(', ')}); main thread computed ${median(cpuMs)} ms`,
        goal: hasGoal ? `< ${goalMs} ms` : '',
        met: hasGoal ? medianMs < goalMs : null,
      };
    };
    return {
      rows: [
        row('making a new database', first, false),
        row('no submissions', empty, true),
        row(`${grouped(folder.rows)} submissions`, full, true),
      ],
      first,
      empty,
      full: { rowCount: folder.rows, ...full },
    };
  } finally {
    await removeFolder(emptyDir);
  }
}
