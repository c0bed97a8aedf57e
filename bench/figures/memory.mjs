/** Figure: the server's resident memory when idle, under load, and some time after it. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { burst } from '../load/load.mjs';
import { progress, round } from '../numbers.mjs';
import {
  makeForm,
  removeFolder,
  residentBytes,
  startInlet,
  temporaryFolder,
  untilIdle,
} from '../servers/processes.mjs';

const goalIdleBytes = 120e6;

const megabytes = (bytes) => round(bytes / 1e6, 1);
const connections = 64;
const sizes = {
  full: { restMs: 3_000, loadSeconds: 3, idleWithinMs: 10_000, afterMs: 5_000 },
  quick: { restMs: 500, loadSeconds: 1, idleWithinMs: 0, afterMs: 500 },
};

/** Resident memory by kind: programs and libraries (shared with other processes), and the process's own. */
function partsOf(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1');
  const kilobytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return {
    residentBytes: kilobytes('VmRSS'),
    ownBytes: kilobytes('RssAnon'),
    fileBytes: kilobytes('RssFile'),
    threads: Number(/^Threads:\s+(\d+)/m.exec(text)?.[1] ?? 0),
  };
}

/** The JavaScript heap of the main thread, as reported by the server. */
async function heapOf(server) {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const read = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    heapUsedBytes: read('nodejs_heap_size_used_bytes'),
    heapTotalBytes: read('nodejs_heap_size_total_bytes'),
    externalBytes: read('nodejs_external_memory_bytes'),
  };
}

/** The highest resident memory while the work runs. */
async function highestDuring(pid, work) {
  let highest = residentBytes(pid);
  let isRunning = true;
  const sampling = (async () => {
    while (isRunning) {
      await pause(50);
      highest = Math.max(highest, residentBytes(pid));
    }
  })();
  try {
    await work();
  } finally {
    isRunning = false;
    await sampling;
  }
  return highest;
}

export async function run({ quick }) {
  const { restMs, loadSeconds, idleWithinMs, afterMs } = quick ? sizes.quick : sizes.full;
  const dataDir = await temporaryFolder();
  const server = await startInlet(dataDir);
  try {
    await pause(restMs);
    // Read before /metrics is requested: the response needs code that an idle server has not loaded and compiled.
    const idle = partsOf(server.pid);
    const idleHeap = await heapOf(server);
    progress(`memory: idle ${megabytes(idle.residentBytes)} MB`);
    const { path } = await makeForm(server);
    const loadedBytes = await highestDuring(server.pid, () =>
      burst(server.url + path, connections, loadSeconds),
    );
    const loadedHeap = await heapOf(server);
    progress(`memory: under load ${megabytes(loadedBytes)} MB`);
    await untilIdle(server.pid, idleWithinMs);
    await pause(afterMs);
    const after = partsOf(server.pid);
    const afterHeap = await heapOf(server);
    progress(`memory: after ${megabytes(after.residentBytes)} MB`);
    const heapText = (heap) =>
      `JavaScript ${megabytes(heap.heapUsedBytes)} of ${megabytes(heap.heapTotalBytes)} MB in the main thread`;
    return {
      rows: [
        {
          figure: 'memory, idle',
          value:
            `${megabytes(idle.residentBytes)} MB, of which ${megabytes(idle.fileBytes)} MB are program and libraries; ` +
            `${idle.threads} threads; ${heapText(idleHeap)}`,
          goal: `< ${megabytes(goalIdleBytes)} MB`,
          met: idle.residentBytes < goalIdleBytes,
        },
        {
          figure: `memory, ${connections} connections`,
          value: `at most ${megabytes(loadedBytes)} MB; ${heapText(loadedHeap)}`,
          goal: '',
          met: null,
        },
        {
          figure: `memory, ${quick ? 'shortly' : '5 s'} after the load`,
          value: `${megabytes(after.residentBytes)} MB; ${megabytes(loadedBytes - after.residentBytes)} MB were given back`,
          goal: '',
          met: null,
        },
      ],
      idle: { ...idle, ...idleHeap },
      loaded: { residentBytes: loadedBytes, ...loadedHeap },
      after: { ...after, ...afterHeap },
    };
  } finally {
    await server.end();
    await removeFolder(dataDir);
  }
}
