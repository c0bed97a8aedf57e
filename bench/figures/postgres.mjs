/**
 * Figure: submissions on PostgreSQL, compared with `pgbench` inserting the same rows one by one; and how two workers
 * share a backlog. More processes are a separate figure (scaling.mjs).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '#inlet/adapters/sql/postgres/postgres.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { commitDeliveries } from '../data/backlog.mjs';
import { burst, loadGenerator, payload } from '../load/load.mjs';
import { median, progress, round } from '../numbers.mjs';
import { startPostgres } from '../servers/postgres-server.mjs';
import {
  makeForm,
  removeFolder,
  runToEnd,
  start,
  startInlet,
  temporaryFolder,
} from '../servers/processes.mjs';

const goal = 0.5;
const connections = 64;
/** Rounds and durations. The quick run only shows that it works. */
const sizes = {
  full: { rounds: 3, warmUpSeconds: 1, seconds: 2, costSeconds: 2, backlog: 5_000 },
  quick: { rounds: 1, warmUpSeconds: 0, seconds: 1, costSeconds: null, backlog: null },
};
const secret = 'bench-secret-0123456789-0123456789-0123456789';
const receiverEntry = fileURLToPath(new URL('../load/receiver.mjs', import.meta.url));

/** One row per transaction, into the real table with its indexes, trigger and foreign key. */
const insertText = ({ formId, projectId }) =>
  `INSERT INTO submissions (id, form_id, project_id, data, ip, user_agent,
  submitted_from, files_count, webhook_state, created_at) VALUES (gen_random_uuid()::text, '${formId}', '${projectId}',
  '${payload}', '127.0.0.1', 'bench', '', 0, NULL, 1763200000000);`.replaceAll('\n', ' ');

async function pgbench(server, folder, form, seconds) {
  const script = join(folder, 'insert.sql');
  writeFileSync(script, insertText(form));
  const output = await runToEnd(join(server.programs, 'pgbench'), [
    ...['-n', '-M', 'prepared', '-c', String(connections), '-j', '2', '-T', String(seconds), '-f', script],
    ...['-h', '127.0.0.1', '-p', String(server.port), '-U', 'inlet', 'postgres'],
  ]);
  return Number(/^tps = ([\d.]+)/m.exec(output)?.[1]);
}

export const settingsOf = (server) => ({ DATABASE_URL: server.url, INLET_SECRET: secret });

async function submissions(server, folder, form, { rounds, warmUpSeconds, seconds }) {
  const raw = { pgbench: [], inlet: [] };
  for (let i = 0; i < rounds; i += 1) {
    raw.pgbench.push(await pgbench(server, folder, form, seconds));
    const inlet = await startInlet(folder, settingsOf(server));
    try {
      if (warmUpSeconds > 0) await burst(inlet.url + form.path, connections, warmUpSeconds);
      raw.inlet.push((await burst(inlet.url + form.path, connections, seconds)).perSecond);
    } finally {
      await inlet.end();
    }
    progress(
      `postgres: round ${i + 1}: ${Object.entries(raw).map(([who, all]) => `${who} ${round(all[i], 0)}/s`)}`,
    );
  }
  const ratio = round(median(raw.inlet.map((one, i) => one / raw.pgbench[i])), 3);
  const row = {
    figure: `postgres, one process, ${connections} connections`,
    value: `${ratio} of pgbench one by one (${round(median(raw.inlet), 0)}/s of ${round(median(raw.pgbench), 0)}/s)`,
    goal: `>= ${goal}`,
    met: ratio >= goal,
  };
  return { rows: [row], raw };
}

async function untilIndexed(server) {
  for (const endsAt = performance.now() + 180_000; ; await pause(500)) {
    const [{ left }] = await server.query('SELECT count(*)::int AS left FROM unindexed');
    if (left === 0) return;
    if (performance.now() > endsAt) throw new Error('the search index was not written in three minutes');
  }
}

/** Bytes of write-ahead log and of disk per submission, from one burst. */
async function cost(server, folder, form, { costSeconds }) {
  if (costSeconds === null) return { rows: [] };
  const standing = async () =>
    (
      await server.query(`SELECT (pg_current_wal_lsn() - '0/0')::float8 AS wal,
        (SELECT count(*)::float8 FROM submissions) AS count, pg_database_size(current_database())::float8 AS disk`)
    )[0];
  // Rows that pgbench left unindexed must not count.
  await server.query('TRUNCATE submissions, submission_search, unindexed');
  const inlet = await startInlet(folder, settingsOf(server));
  try {
    await server.query('CHECKPOINT');
    const before = await standing();
    await burst(inlet.url + form.path, connections, costSeconds);
    const taken = await standing();
    await untilIndexed(server);
    const after = await standing();
    const count = after.count - before.count;
    const each = (bytes) => round(bytes / count, 0);
    const value =
      `${each(taken.wal - before.wal)} bytes of log, and ${each(after.wal - taken.wal)} for the search index; ` +
      `${each(after.disk - before.disk)} of disk with all indexes (${count} of ${Buffer.byteLength(payload)} bytes)`;
    progress(`postgres: a submission: ${value}`);
    return { rows: [{ figure: 'postgres, what one submission writes', value, goal: '', met: null }] };
  } finally {
    await inlet.end();
  }
}

const sentBy = async (worker) => {
  const text = await (await fetch(`${worker.url}/metrics`)).text();
  return Number(/^inlet_delivery_duration_seconds_count\{[^}]*succeeded[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

async function backlog(server, folder, { backlog: count }) {
  if (count === null) return { rows: [] };
  const receiver = await start(receiverEntry, [], (port) => ({ PORT: String(port) }), '/count');
  const found = [];
  try {
    const inlet = await startInlet(folder, settingsOf(server));
    const form = await makeForm(inlet, { webhook_url: `${receiver.url}/hook` });
    await inlet.end();
    for (const workers of [1, 2]) {
      const engine = await openPostgres({ url: server.url, poolSize: 4, migrate: 'never' });
      const store = createSqlStore(engine, createSealer(deriveKey(secret, 'seal')));
      await commitDeliveries(store, [{ form, url: `${receiver.url}/hook`, count }]);
      await store.close();
      await fetch(`${receiver.url}/reset`);
      const settings = { ...settingsOf(server), BASE_URL: 'http://127.0.0.1:3000' };
      const all = await Promise.all(
        Array.from({ length: workers }, () => startInlet(folder, settings, [], ['--role', 'worker'])),
      );
      try {
        for (const endsAt = performance.now() + 120_000; ; await pause(50)) {
          if ((await (await fetch(`${receiver.url}/count`)).json()) >= count) break;
          if (performance.now() > endsAt) throw new Error('the backlog was not sent in two minutes');
        }
        await pause(500);
        const { firstAt, lastAt } = await (await fetch(`${receiver.url}/report?skip=0`)).json();
        found.push({
          workers,
          perSecond: round(count / ((lastAt - firstAt) / 1000), 0),
          shares: await Promise.all(all.map(sentBy)),
        });
      } finally {
        await Promise.all(all.map((one) => one.end()));
      }
    }
  } finally {
    await receiver.end('SIGKILL');
  }
  return {
    found,
    rows: found.map(({ workers, perSecond, shares }) => ({
      figure: `postgres, a backlog with ${workers} worker${workers === 1 ? '' : 's'}`,
      value: `${perSecond}/s; sent by each: ${shares.join(', ')}`,
      goal: '',
      met: null,
    })),
  };
}

export async function run({ quick }) {
  const size = quick ? sizes.quick : sizes.full;
  const folder = await temporaryFolder();
  const server = await startPostgres();
  try {
    const inlet = await startInlet(folder, settingsOf(server));
    const form = await makeForm(inlet);
    await inlet.end();
    progress(`postgres: load by ${loadGenerator}`);
    const parts = [
      await submissions(server, folder, form, size),
      await cost(server, folder, form, size),
      await backlog(server, folder, size),
    ];
    return { rows: parts.flatMap((part) => part.rows), parts };
  } finally {
    await server.end();
    await removeFolder(folder);
  }
}
