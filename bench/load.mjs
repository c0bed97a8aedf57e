/**
 * The load: as many POSTs of one JSON body as the server takes, over a fixed number of connections. It is made by wrk
 * where that is installed (it leaves most of the second core to the server), else by autocannon, in a process of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const payload = JSON.stringify({
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  message: 'I would like to know more about the analytical engine and what it could do for us.',
  age: 36,
  topics: ['engines', 'poetry'],
});

const autocannonEntry = fileURLToPath(new URL('../node_modules/autocannon/autocannon.js', import.meta.url));

export const loadGenerator = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';

const wrkScript = `
wrk.method = 'POST'
wrk.headers['content-type'] = 'application/json'
wrk.body = [[${payload}]]
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"errors":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end`;

function run(command, commandArguments) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, commandArguments, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let faults = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      faults += chunk;
    });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command}: ${faults}`))));
  });
}

async function byWrk(url, connections, seconds) {
  const script = join(tmpdir(), `inlet-bench-${process.pid}.lua`);
  writeFileSync(script, wrkScript);
  try {
    const output = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url]);
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

async function byAutocannon(url, connections, seconds) {
  const output = await run(process.execPath, [
    autocannonEntry,
    ...['--json', '-m', 'POST', '-c', String(connections), '-d', String(seconds)],
    ...['-H', 'content-type=application/json', '-b', payload, url],
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
export async function burst(url, connections, seconds) {
  const result = await (loadGenerator === 'wrk' ? byWrk : byAutocannon)(url, connections, seconds);
  if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests} requests failed at ${url}`);
  return result;
}
