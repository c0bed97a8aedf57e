/**
 * The load: as many POSTs of one body, or GETs of one URL, as the server can take over a fixed number of connections. wrk
 * generates it where installed (it leaves most of the second core to the server), otherwise autocannon, in a separate
 * process. Also POSTs at a fixed pace, well below what the server can take.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../servers/processes.mjs';
import { bodies } from './bodies.mjs';
import { fromAutocannon, fromWrk, wrkReport } from './load-output.mjs';

export const payload = bodies.json.text;

const autocannonEntry = fileURLToPath(
  new URL('../../node_modules/autocannon/autocannon.js', import.meta.url),
);

export const loadGenerator = spawnSync('wrk', ['-v']).error === undefined ? 'wrk' : 'autocannon';

const pacedEntry = fileURLToPath(new URL('./paced-load.mjs', import.meta.url));

/** A peer that takes seconds to respond is slow, not broken: wrk's default of two seconds would count it as an error. */
const answerTimeoutSeconds = 20;
const patience = 5;

const wrkPost = ({ type }, bodyFile) => `
local file = io.open('${bodyFile}', 'rb')
wrk.body = file:read('*a')
file:close()
wrk.method = 'POST'
wrk.headers['content-type'] = '${type}'
wrk.headers['accept'] = 'application/json'`;

/** Sends requests from several networks in turns, named in X-Forwarded-For as by a proxy. */
const wrkVisitors = (networks) => `
local requests = {}
init = function()
  for i = 1, ${networks} do
    wrk.headers['x-forwarded-for'] = '198.18.' .. i .. '.7'
    requests[i] = wrk.format()
  end
end
local sent = 0
request = function()
  sent = sent + 1
  return requests[sent % ${networks} + 1]
end`;

async function byWrk(url, connections, seconds, body, folder) {
  const script = join(folder, 'load.lua');
  const bodyFile = join(folder, 'body');
  if (body) writeFileSync(bodyFile, body.text);
  const parts = [body && wrkPost(body, bodyFile), body?.networks && wrkVisitors(body.networks), wrkReport];
  writeFileSync(script, parts.filter(Boolean).join('\n'));
  const times = [`-d${seconds}s`, '--timeout', `${answerTimeoutSeconds}s`];
  return fromWrk(await runToEnd('wrk', ['-t1', `-c${connections}`, ...times, '-s', script, url]));
}

async function byAutocannon(url, connections, seconds, body, folder) {
  const bodyFile = join(folder, 'body');
  if (body) writeFileSync(bodyFile, body.text);
  const times = ['-d', String(seconds), '-t', String(answerTimeoutSeconds)];
  const headers = body ? ['-H', `content-type=${body.type}`, '-H', 'accept=application/json'] : [];
  const output = await runToEnd(process.execPath, [
    autocannonEntry,
    ...['--json', '-m', body ? 'POST' : 'GET', '-c', String(connections), ...times, ...headers],
    ...(body ? ['-i', bodyFile] : []),
    url,
  ]);
  return fromAutocannon(output);
}

/**
 * Requests per second and latencies of one burst. Throws when a single request failed. `what` is a body of `bodies` to
 * POST, or 'GET'.
 */
export async function burst(url, connections, seconds, what = 'json') {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-load-'));
  try {
    const load = loadGenerator === 'wrk' ? byWrk : byAutocannon;
    const body = what === 'GET' ? null : bodies[what];
    let result = await load(url, connections, seconds, body, folder);
    // Slow is not broken: the first responses may arrive after the end of a short burst.
    if (result.requests === 0) result = await load(url, connections, seconds * patience, body, folder);
    if (result.errors > 0)
      throw new Error(`${result.errors} of ${result.requests} requests failed at ${url}`);
    if (result.requests === 0) throw new Error(`no answer in ${seconds * patience} s at ${url}`);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Latencies of POSTs sent at a fixed pace, whether or not earlier ones have a response. */
export const paced = async (url, perSecond, seconds) =>
  JSON.parse(
    await runToEnd(process.execPath, [pacedEntry, url, String(perSecond), String(seconds), payload]),
  );
