/** How long the event loop was blocked: reported in /metrics, and in the log when it was noticeable. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { until } from '../support/cli.js';
import { makeForm, request, submitJson } from '../support/client.js';
import { isOnPostgres } from '../support/engine.js';
import { startServer } from '../support/server.js';

const numberIn = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );

it('tells how long the loop and the writer were busy, and warns once of a long stop', async () => {
  const server = await startServer();
  const metrics = async () => (await request(`${server.url}/metrics`)).text;
  const longest = (text: string, cause = 'all') =>
    numberIn(text, `inlet_event_loop_blocked_seconds_max{cause="${cause}"}`);
  try {
    const { endpoint } = await makeForm(server.url);
    await submitJson(endpoint, { a: 1 });
    const text = await metrics();
    expect(numberIn(text, 'inlet_event_loop_delay_seconds_count')).toBeGreaterThan(0);
    for (const cause of ['all', 'work', 'gc', 'cpu_wait'])
      expect(longest(text, cause)).toBeGreaterThanOrEqual(0);
    expect(text.includes('inlet_writer_turn_seconds_count')).toBe(!isOnPostgres);

    // Blocked as by a handler that computes for this long.
    for (const _ of [1, 2]) {
      server.process.kill('SIGSTOP');
      await pause(600);
      server.process.kill('SIGCONT');
      await until(metrics, (shown) => longest(shown) >= 0.4);
    }
    const warnings = server
      .output()
      .split('\n')
      .filter((line) => line.includes('the event loop was blocked'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({
      level: 40,
      blockedMs: expect.any(Number),
      gcMs: expect.any(Number),
      cpuWaitMs: expect.any(Number),
    });
  } finally {
    await server.dispose();
  }
});
