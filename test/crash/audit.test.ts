/** The server dies while settings change: every change that was stored has its entry in the audit log, and no other change has one. */
import { afterEach, expect, it } from 'vitest';
import { inlet } from '../support/cli.js';
import { client, makeForm } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';

const env = { API_RATE_LIMIT_PER_MINUTE: '1000000' };
const kills = 5;
const atOnce = 4;

let server: RunningServer;
afterEach(() => server.dispose());

interface Entry {
  readonly after: { readonly name: string };
}

async function renamesOf(formId: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`;
    const path = `/api/v1/audit?object=${formId}&action=form.updated&limit=100${from}`;
    const { body } = await client(server.url).get(path);
    names.push(...(body.data as Entry[]).map(({ after }) => after.name));
    cursor = body.next_cursor;
  }
  return names.toReversed();
}

it('has exactly the entries of the changes that were kept, however often the server is killed', async () => {
  server = await startServer({ env });
  const forms = await Promise.all(Array.from({ length: atOnce }, () => makeForm(server.url)));
  const counts = forms.map(() => 0);
  const confirmed = forms.map((): string[] => []);
  for (let kill = 1; kill <= kills; kill += 1) {
    const api = client(server.url);
    const { dataDir, port } = server;
    const renaming = forms.map(async ({ formId }, index) => {
      for (;;) {
        const next = (counts[index] ?? 0) + 1;
        counts[index] = next;
        const { status } = await api.patch(`/api/v1/forms/${formId}`, { name: `Name ${next}` });
        if (status === 200) confirmed[index]?.push(`Name ${next}`);
      }
    });
    const ended = Promise.allSettled(renaming);
    const goal = kill * 5;
    await expect.poll(() => confirmed[0]?.length ?? 0, { timeout: 60_000 }).toBeGreaterThan(goal);
    await server.end('SIGKILL');
    await ended;
    server = await startServer({ env, dataDir, port });
    for (const [index, { formId }] of forms.entries()) {
      const { body } = await client(server.url).get(`/api/v1/forms/${formId}`);
      const renames = await renamesOf(formId);
      expect(renames.at(-1)).toBe(body.name);
      expect(new Set(renames).size).toBe(renames.length);
      expect(renames).toEqual(expect.arrayContaining(confirmed[index] ?? []));
    }
  }
  const doctor = await inlet(['doctor', '--json'], { dataDir: server.dataDir, env });
  const checks = doctor.json().checks as { name: string; state: string }[];
  expect(checks.find(({ name }) => name === 'audit log')).toMatchObject({ state: 'ok' });
}, 120_000);
