/** What the alerts rely on when several processes serve one instance. */

import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { request } from '../support/client.js';
import { waitUntil } from '../support/kept.js';
import { freePort, type RunningServer, startServer } from '../support/server.js';
import { newDatabase } from '../support/services/postgres.js';
import { parseExposition } from './promql.js';

let database: Awaited<ReturnType<typeof newDatabase>>;
const servers: RunningServer[] = [];

const start = async (
  words: readonly string[],
  settings: Record<string, string> = {},
): Promise<RunningServer> => {
  const env = { DATABASE_URL: database.url, INLET_SECRET: 'a secret that all processes of this test share' };
  const server = await startServer({ words, env: { ...env, ...settings } });
  servers.push(server);
  return server;
};
const numbersOf = async (server: RunningServer) =>
  parseExposition((await request(`${server.url}/metrics`)).text);

beforeAll(async () => {
  database = await newDatabase(inject('services').databaseUrl);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.dispose()));
  await database?.drop();
});

it('tells by inlet_deliveries_sending who sends, so that nobody sending is seen', async () => {
  const [api, worker] = [
    await numbersOf(await start(['--role', 'api'])),
    await numbersOf(await start(['--role', 'worker'])),
  ];
  expect([api.has('inlet_deliveries_sending'), worker.has('inlet_deliveries_sending')]).toEqual([
    false,
    true,
  ]);
  for (const [numbers, role] of [
    [api, 'api'],
    [worker, 'worker'],
  ] as const) {
    expect([...(numbers.get('inlet_info')?.get('role') ?? [])]).toEqual([role]);
    expect([...(numbers.get('inlet_ready')?.get('part') ?? [])].sort()).toEqual(['database', 'storage']);
  }
});

it('says of processes behind one port how many there are, and whether all of them are ready', async () => {
  const server = await start(['--processes', '2']);
  const numbers = async () => (await request(`${server.url}/metrics`)).text;
  // The first process responds while the other is still starting.
  await waitUntil(async () => /^inlet_info\{[^}]*role="all"\} 2$/m.test(await numbers()));
  const text = await numbers();
  expect(text).toMatch(/^inlet_ready\{part="database"\} 1$/m);
  expect(text).toMatch(/^inlet_queue_age_seconds 0$/m);
});

it.each([
  ['a worker', ['--role', 'worker'], 'role="worker"} 1'],
  ['processes behind one port', ['--processes', '2'], 'role="all"} 2'],
])('keeps the numbers of %s on OPS_PORT, where there is one', async (_, words, info) => {
  const opsPort = await freePort();
  const server = await start(words, { OPS_PORT: String(opsPort), BASE_URL: 'https://forms.example.com' });
  const numbers = async () => (await request(`http://127.0.0.1:${opsPort}/metrics`)).text;
  await waitUntil(async () => (await numbers()).includes(info));
  // More requests than there are processes.
  for (let i = 0; i < 4; i += 1) {
    expect((await request(`${server.url}/metrics`)).status).toBe(404);
    expect((await request(`${server.url}/readyz`)).body).toEqual({ status: 'ok' });
    expect(await numbers()).toContain(info);
    const { body } = await request(`http://127.0.0.1:${opsPort}/readyz`);
    expect(body.checks).toEqual({ database: 'ok', storage: 'ok' });
  }
});
