/** Reads the output of the load generators into one shape: requests per second, and latencies in milliseconds. */

/** By itself, wrk prints only whole percentiles; its script interface provides any. */
export const wrkReport = `
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"p999Us":%d,"maxUs":%d,"errors":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
    latency.max, e.connect + e.read + e.write + e.status + e.timeout))
end`;

export function fromWrk(output) {
  const found = JSON.parse(/^RESULT (.*)$/m.exec(output)?.[1] ?? 'null');
  if (!found) throw new Error(`wrk said: ${output}`);
  return {
    requests: found.requests,
    perSecond: found.requests / (found.durationUs / 1e6),
    p50Ms: found.p50Us / 1000,
    p99Ms: found.p99Us / 1000,
    p999Ms: found.p999Us / 1000,
    maxMs: found.maxUs / 1000,
    errors: found.errors,
  };
}

export function fromAutocannon(output) {
  const found = JSON.parse(output);
  return {
    requests: found['2xx'],
    perSecond: found['2xx'] / found.duration,
    p50Ms: found.latency.p50,
    p99Ms: found.latency.p99,
    p999Ms: found.latency.p99_9,
    maxMs: found.latency.max,
    errors: found.errors + found.timeouts + found.non2xx,
  };
}
