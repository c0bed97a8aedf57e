/** One sample per second of a running server: its memory and descriptors, its queue, and the delay of its event loop. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { mebibytes, round } from '../numbers.mjs';
import { residentBytes } from '../servers/processes.mjs';
import { scrape } from '../servers/prometheus.mjs';

const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const threadsOf = (pid) =>
  Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);

/** Throws when the server is not running or does not respond in time. */
export async function sampleOf(server, dataDir) {
  const numbers = await scrape(server);
  const queueAge = numbers.get('inlet_queue_age_seconds');
  const held = (cause) =>
    round((numbers.get(`inlet_event_loop_blocked_seconds_max{cause="${cause}"}`) ?? 0) * 1000, 1);
  const rssMiB = mebibytes(residentBytes(server.pid));
  return {
    rssMiB,
    // V8's heap varies by 80 MiB between two collections, a minute or two apart. Everything else should be constant.
    besideHeapMiB: round(rssMiB - mebibytes(numbers.get('nodejs_heap_size_total_bytes') ?? 0), 1),
    heapMiB: mebibytes(numbers.get('nodejs_heap_size_used_bytes') ?? 0),
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
    threads: threadsOf(server.pid),
    walMiB: mebibytes(sizeOf(join(dataDir, 'inlet.db-wal'))),
    databaseMiB: mebibytes(sizeOf(join(dataDir, 'inlet.db'))),
    // NaN when the service could not determine it in time.
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
