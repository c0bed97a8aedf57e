/**
 * The load: as many POSTs of one JSON body as the server takes, or GETs of one address, over a fixed number of connections.
 * It is made by wrk where that is installed (it leaves most of the second core to the server), else by autocannon, in a
 * process of its own. Beside that, POSTs at a fixed pace well below what the server takes.
 */
import { spawnSync } from 'node:child_process';
import { unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './processes.mjs';

export const payload = JSON.stringify({
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  message: 'I would like to know more about the analytical engine and what it could do for us.',
  age: 36,
  topics: ['engines', 'poetry'],
});

const autocannonEntry = fileURLToPath(new URL('../node_modules/autocannon/autocannon.js', import.meta.url));

export const loadGenerator = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';

const pacedEntry = fileURLToPath(new URL('./paced-load.mjs', import.meta.url));

const wrkPost = `
wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
wrk.body = [[${payload}]]`;

const wrkReport = `
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"errors":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end`;

async function byWrk(url, connections, seconds, method) {
  const script = join(tmpdir(), `inlet-bench-${process.pid}.lua`);
  writeFileSync(script, (method === 'POST' ? wrkPost : '') + wrkReport);
  try {
    const output = await runToEnd('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url]);
    const found = JSON.parse(/^RESULT (.*)$/m.exec(output)?.[1] ?? 'null');
    if (!found) throw new Error(`wrk said: ${output}`);
    return {
      requests: found.requests,
      perSecond: found.requests / (found.durationUs / 1e6),
      p50Ms: found.p50Us / 1000,
      p99Ms: found.p99Us / 1000,
      errors: found.errors,
    };
  } finally {
    unlinkSync(script);
  }
}

async function byAutocannon(url, connections, seconds, method) {
  const output = await runToEnd(process.execPath, [
    autocannonEntry,
    ...['--json', '-m', method, '-c', String(connections), '-d', String(seconds)],
    ...(method === 'POST' ? ['-H', 'content-type=application/json', '-b', payload] : []),
    url,
  ]);
  const found = JSON.parse(output);
  return {
    requests: found['2xx'],
    perSecond: found['2xx'] / found.duration,
    p50Ms: found.latency.p50,
    p99Ms: found.latency.p99,
    errors: found.errors + found.timeouts + found.non2xx,
  };
}

/** Requests a second and latencies of one burst; throws when a single answer was not a success. */
export async function burst(url, connections, seconds, method = 'POST') {
  const result = await (loadGenerator === 'wrk' ? byWrk : byAutocannon)(url, connections, seconds, method);
  if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests} requests failed at ${url}`);
  return result;
}

/** Latencies of POSTs that leave at a fixed pace, whether or not those before them were answered. */
export const paced = async (url, perSecond, seconds) =>
  JSON.parse(
    await runToEnd(process.execPath, [pacedEntry, url, String(perSecond), String(seconds), payload]),
  );
