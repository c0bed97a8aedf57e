/** Output of the load generators is read correctly: microseconds and milliseconds, and every kind of error. */
import { describe, expect, test } from 'vitest';
import { fromAutocannon, fromWrk } from '../../bench/load/load-output.mjs';

describe('what wrk prints', () => {
  const output = `Running 2s test @ http://127.0.0.1:1/f/x
  1 threads and 64 connections
RESULT {"requests":20000,"durationUs":2000000,"p50Us":6500,"p99Us":14250,"p999Us":31000,"maxUs":40001,"errors":3}
`;

  test('is read into milliseconds and requests a second', () => {
    expect(fromWrk(output)).toEqual({
      requests: 20_000,
      perSecond: 10_000,
      p50Ms: 6.5,
      p99Ms: 14.25,
      p999Ms: 31,
      maxMs: 40.001,
      errors: 3,
    });
  });

  test('without a result is a fault that says what there was', () => {
    expect(() => fromWrk('unable to connect')).toThrow('wrk said: unable to connect');
  });
});

test('of autocannon, only successes are requests, and all the rest are errors', () => {
  const output = JSON.stringify({
    '2xx': 900,
    non2xx: 5,
    errors: 2,
    timeouts: 1,
    duration: 3,
    latency: { p50: 4, p99: 9, p99_9: 12, max: 20 },
  });
  expect(fromAutocannon(output)).toEqual({
    requests: 900,
    perSecond: 300,
    p50Ms: 4,
    p99Ms: 9,
    p999Ms: 12,
    maxMs: 20,
    errors: 8,
  });
});
