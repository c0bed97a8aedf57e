/** How a running server stands, once a second: what it holds, what waits, how late its event loop is. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mebibytes, round } from '../numbers.mjs';
import { residentBytes } from '../servers/processes.mjs';
import { scrape } from '../servers/prometheus.mjs';

const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const threadsOf = (pid) =>
  Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);

/** Throws when the server is not there, or does not answer in time. */
export async function sampleOf(server, dataDir) {
  const numbers = await scrape(server);
  const queueAge = numbers.get('inlet_queue_age_seconds');
  const held = (cause) =>
    round((numbers.get(`inlet_event_loop_blocked_seconds_max{cause="${cause}"}`) ?? 0) * 1000, 1);
  const rssMiB = mebibytes(residentBytes(server.pid));
  return {
    rssMiB,
    // V8's heap swings by 80 MiB between two collections, a minute or two apart; all else should stand still.
    besideHeapMiB: round(rssMiB - mebibytes(numbers.get('nodejs_heap_size_total_bytes') ?? 0), 1),
    heapMiB: mebibytes(numbers.get('nodejs_heap_size_used_bytes') ?? 0),
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
    threads: threadsOf(server.pid),
    walMiB: mebibytes(sizeOf(join(dataDir, 'inlet.db-wal'))),
    databaseMiB: mebibytes(sizeOf(join(dataDir, 'inlet.db'))),
    // Not a number where the service could not find out in time.
    queueAgeSeconds: Number.isFinite(queueAge) ? queueAge : null,
    loopMs: held('all'),
    loopWorkMs: held('work'),
    loopGcMs: held('gc'),
  };
}

/** By least squares: how much `value` grows for each unit of `at`. */
export function slopeOf(points) {
  if (points.length < 2) return 0;
  const mean = (pick) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const meanX = mean(([x]) => x);
  const meanY = mean(([, y]) => y);
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
