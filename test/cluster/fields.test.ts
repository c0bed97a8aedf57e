/** The fields of a form, learned by several processes: each knows what the others have stored, whenever it started. */
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import { parseCsv } from '../support/csv.js';
import type { RunningServer } from '../support/server.js';
import { type Cluster, newCluster } from './cluster.js';

let cluster: Cluster | undefined;
afterEach(async () => {
  await cluster?.dispose();
  cluster = undefined;
});

const send = async (server: RunningServer, form: MadeForm, data: Record<string, unknown>) => {
  const { status, text } = await submitJson(`${server.url}/f/${form.publicId}`, data);
  expect([status, text]).toEqual([200, expect.any(String)]);
};

const reportOf = async (server: RunningServer, form: MadeForm) =>
  (await client(server.url).get(`/api/v1/forms/${form.formId}/fields`)).body;

const kindsOf = async (server: RunningServer, form: MadeForm): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await reportOf(server, form)).data.map(({ name, kinds }: { name: string; kinds: string[] }) => [
      name,
      kinds.join(' '),
    ]),
  );

const isComplete = async (server: RunningServer, form: MadeForm): Promise<boolean> =>
  (await reportOf(server, form)).is_complete;

const headerOf = async (server: RunningServer, form: MadeForm): Promise<readonly string[]> => {
  const { text } = await client(server.url).get(`/api/v1/forms/${form.formId}/submissions/export`);
  return parseCsv(text)[0] ?? [];
};

async function change(url: string, statement: string): Promise<void> {
  const database = new pg.Client(url);
  await database.connect();
  await database.query(statement);
  await database.end();
}

it('what one process has learned, the others add to and export, also one that starts later', async () => {
  cluster = await newCluster();
  const [a, b] = [await cluster.start(), await cluster.start()];
  const form = await makeForm(a.url);
  // From here on both know the form, and neither sees what the other learns.
  await send(a, form, { shared: 'x' });
  await send(b, form, { shared: 'x' });
  await send(a, form, { shared: 7, onlyA: 'x' });
  await send(b, form, { shared: 'a@example.com', onlyB: true, onlyA: '2024-01-01' });
  await send(a, form, { onlyB: 'text' });
  const learned = { shared: 'text email number', onlyA: 'text date', onlyB: 'text boolean' };
  for (const server of [a, b]) expect(await kindsOf(server, form)).toEqual(learned);
  await b.end();
  const late = await cluster.start();
  await send(late, form, { shared: 'x', late: 1 });
  await send(a, form, { late: 'x' });
  for (const server of [a, late]) {
    expect(await kindsOf(server, form)).toEqual({ ...learned, late: 'text number' });
    await expect.poll(() => isComplete(server, form)).toBe(true);
    expect(await headerOf(server, form)).toEqual(
      expect.arrayContaining(['shared', 'onlyA', 'onlyB', 'late']),
    );
  }
});

it('stores at most 1,000 names to list, whichever process they reach', async () => {
  cluster = await newCluster();
  const servers = [await cluster.start(), await cluster.start()];
  const [first] = servers;
  if (!first) throw new Error('no server');
  const form = await makeForm(first.url);
  await Promise.all(
    servers.flatMap((server, place) =>
      Array.from({ length: 8 }, (_, i) =>
        send(
          server,
          form,
          Object.fromEntries(Array.from({ length: 200 }, (_, j) => [`p${place}-${i}-${j}`, 'v'])),
        ),
      ),
    ),
  );
  for (const server of servers) {
    const { data, is_truncated } = await reportOf(server, form);
    expect([data.length, is_truncated]).toEqual([1_000, true]);
  }
});

it('waits until processes of another version are gone, then learns what they stored', async () => {
  cluster = await newCluster();
  const server = await cluster.start();
  const form = await makeForm(server.url);
  await expect.poll(() => isComplete(server, form)).toBe(true);
  const later = Date.now() + 3_600_000;
  await change(
    cluster.databaseUrl,
    `INSERT INTO processes (id, role, host, pid, version, started_at, seen_at)
     VALUES ('other', 'all', 'elsewhere', 1, '0.0.1', ${later}, ${later})`,
  );
  await expect.poll(() => isComplete(server, form)).toBe(false);
  // Stored the way a release that learns no fields does it.
  await send(server, form, { unseen: 'x' });
  await change(cluster.databaseUrl, 'DELETE FROM form_fields');
  expect(await kindsOf(server, form)).toEqual({});
  // Until then the export reads everything.
  expect(await headerOf(server, form)).toContain('unseen');
  await change(cluster.databaseUrl, "DELETE FROM processes WHERE id = 'other'");
  await expect.poll(() => isComplete(server, form)).toBe(true);
  expect(await kindsOf(server, form)).toEqual({ unseen: 'text' });
});
