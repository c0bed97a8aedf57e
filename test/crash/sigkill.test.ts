/**
 * The server dies without warning, again and again, under load. What it acknowledged is there afterwards, complete and exactly once. What
 * it did not acknowledge is there once and complete, or not at all.
 *
 * `npm run kills -- --times 1000` repeats it as often as you like. CRASH_CYCLES sets the number of crashes (6), CRASH_SEED repeats a run.
 * SIGKILL leaves the page cache alone; sync-order.test.ts covers what a power loss would take.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { blobsOnDisk, inspectDatabase, stagedFiles } from '../support/data-folder.js';
import { fateOf, noteFaults } from '../support/fault-counts.js';
import {
  composeRequest,
  differences,
  downloadedHash,
  type Listed,
  listAll,
  type Sent,
  send,
} from '../support/ledger.js';
import { type Chance, runSeed, seeded } from '../support/seeded.js';
import {
  apiKey,
  entry,
  freePort,
  plainEnvironment,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../support/server.js';

const cycles = Number(process.env.CRASH_CYCLES ?? 6);
const connections = 8;
const env = { API_RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'error' };
/** Grows with the number of cycles, so that only a hang reaches it. */
const mostMs = 60_000 + cycles * 60_000;

const running = new Set<RunningServer>();
afterEach(async () => {
  for (const server of running) await server.dispose();
  running.clear();
});

async function start(options: { dataDir?: string; port?: number } = {}): Promise<RunningServer> {
  const server = await startServer({ ...options, env });
  running.add(server);
  return server;
}

/** Loads the server until it has acknowledged `promises` more submissions, then kills it with others in flight. */
async function killUnderLoad(
  server: RunningServer,
  form: MadeForm,
  chance: Chance,
  keyed: boolean,
  promises: number,
): Promise<{ readonly sent: readonly Sent[]; readonly inFlight: readonly Sent[] }> {
  const sent: Sent[] = [];
  let promised = 0;
  let killed = false;
  let inFlight: readonly Sent[] = [];
  const kill = async (): Promise<void> => {
    killed = true;
    await pause(chance.next() * 15);
    inFlight = sent.filter((one) => one.promised === null && one.fault === null);
    await server.end('SIGKILL');
  };
  let ending: Promise<void> | undefined;
  const connection = async (): Promise<void> => {
    for (;;) {
      const one = composeRequest(chance, keyed);
      sent.push(one);
      await send(form.endpoint, one);
      if (one.fault !== null) {
        expect(one.fault, 'a server that lives takes every request').toMatch(killed ? /./ : /^never$/);
        return;
      }
      promised += 1;
      if (promised >= promises) ending ??= kill();
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  await ending;
  return { sent, inFlight };
}

/** Starts a server and kills it after `afterMs`, while it starts. */
async function killWhileStarting(dataDir: string, port: number, afterMs: number): Promise<void> {
  const child = spawn(process.execPath, [entry, 'serve'], {
    env: {
      ...plainEnvironment(),
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: dataDir,
      INLET_API_KEY: apiKey,
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await pause(afterMs);
  child.kill('SIGKILL');
  await exited;
}

async function wrongFiles(server: RunningServer, ledger: readonly Sent[], listed: readonly Listed[]) {
  const wrong: string[] = [];
  const byClient = new Map(listed.map((item) => [item.data.client_id, item]));
  for (const { clientId, file } of ledger) {
    const fileId = byClient.get(clientId)?.files[0]?.id;
    if (file === null || fileId === undefined) continue;
    if ((await downloadedHash(server.url, fileId)) !== file.sha256) wrong.push(`${clientId}: other bytes`);
  }
  return wrong;
}

async function expectSoundDatabase(dataDir: string, mostOrphans: number): Promise<void> {
  const { blobKeys, ...report } = await inspectDatabase(dataDir);
  expect(report).toEqual({
    integrity: ['ok'],
    brokenReferences: [],
    wrongTotals: [],
    submissionsWithoutDelivery: 0,
    filesWithoutSubmission: 0,
  });
  const onDisk = new Set(blobsOnDisk(dataDir));
  expect(
    [...blobKeys].filter((key) => !onDisk.has(key)),
    'rows without bytes',
  ).toEqual([]);
  const orphans = [...onDisk].filter((key) => !blobKeys.has(key));
  expect(orphans.length, 'bytes without a row').toBeLessThanOrEqual(mostOrphans);
}

describe('SIGKILL under load', () => {
  for (const keyed of [false, true]) {
    const rounds = keyed ? Math.ceil(cycles / 3) : cycles;
    const name = keyed
      ? 'ends in exactly one submission for each request that is sent again with its idempotency key'
      : 'loses nothing that was acknowledged, keeps nothing in part';
    it(name, { timeout: mostMs }, async () => {
      const chance = seeded(runSeed());
      process.stdout.write(`SIGKILL, ${rounds} cycles: CRASH_SEED=${chance.seed}\n`);
      let server = await start();
      const { dataDir, port } = server;
      // An endpoint that refuses connections: every submission must keep its delivery through the crash.
      const form = await makeForm(server.url, { form: { webhook_url: 'http://127.0.0.1:9/hook' } });
      const ledger: Sent[] = [];
      let filesInFlight = 0;
      let unanswered = 0;
      let kills = 0;
      for (let round = 1; round <= rounds; round += 1) {
        const { sent, inFlight } = await killUnderLoad(server, form, chance, keyed, chance.between(1, 120));
        running.delete(server);
        kills += 1;
        ledger.push(...sent);
        unanswered += inFlight.length;
        filesInFlight += sent.filter((one) => one.promised === null && one.file !== null).length;
        await expectSoundDatabase(dataDir, filesInFlight);
        if (round % 3 === 0) {
          await killWhileStarting(dataDir, port, chance.between(50, 900));
          kills += 1;
        }

        server = await start({ dataDir, port });
        expect(stagedFiles(dataDir), 'half-written uploads').toEqual([]);
        const listed = await listAll(server.url, form.formId);
        expect(differences(ledger, listed)).toEqual([]);
        expect(await wrongFiles(server, sent, listed)).toEqual([]);

        if (!keyed) continue;
        // The client cannot know which were stored, so it sends all of them again, each twice like an impatient client.
        const again = sent.filter((one) => one.promised === null);
        for (const one of again) {
          const twin = { ...one };
          await Promise.all([send(form.endpoint, one), send(form.endpoint, twin)]);
          expect(one.promised, one.fault ?? '').not.toBeNull();
          expect(twin.promised, 'both get the same answer').toEqual(one.promised);
        }
        const relisted = await listAll(server.url, form.formId);
        expect(differences(ledger, relisted)).toEqual([]);
        expect(relisted).toHaveLength(ledger.length);
      }
      // A run in which no request was in flight during a kill would prove nothing.
      expect(unanswered).toBeGreaterThan(0);
      const listed = await listAll(server.url, form.formId);
      noteFaults('sigkill', { faults: kills, ...fateOf(ledger, listed), unanswered });
      expect(await wrongFiles(server, ledger, listed)).toEqual([]);
      const counted = await client(server.url).get(`/api/v1/forms/${form.formId}`);
      expect(counted.body.submissions_count).toBe(listed.length);
      expect(await server.end('SIGTERM')).toBe(0);
      await expectSoundDatabase(dataDir, filesInFlight);
    });
  }

  it('in the first start leaves a folder that the next start takes over', { timeout: mostMs }, async () => {
    const chance = seeded(runSeed());
    process.stdout.write(`SIGKILL in the first start: CRASH_SEED=${chance.seed}\n`);
    for (let round = 0; round < Math.ceil(cycles / 4); round += 1) {
      const dataDir = await temporaryFolder();
      for (let kills = 0; kills < 2; kills += 1) {
        await killWhileStarting(dataDir, await freePort(), chance.between(100, 900));
      }
      const server = await start({ dataDir });
      expect((await client(server.url).get('/api/v1/projects')).status).toBe(200);
      const form = await makeForm(server.url);
      const one = composeRequest(chance, false);
      await send(form.endpoint, one);
      expect(differences([one], await listAll(server.url, form.formId))).toEqual([]);
      expect(one.promised).not.toBeNull();
      noteFaults('sigkill-first-start', { faults: 2, acknowledged: 1, lost: 0 });
      await server.dispose();
      running.delete(server);
    }
  });
});

describe('the ledger', () => {
  const chance = seeded(1);
  const promised = (): Sent => {
    const sent = composeRequest(chance, false);
    sent.promised = { submissionId: `id of ${sent.clientId}`, fileId: sent.file ? 'file' : null };
    return sent;
  };
  const asListed = ({ clientId, data, file }: Sent): Listed => ({
    id: `id of ${clientId}`,
    data: { ...data },
    files: file ? [{ id: 'file', field: 'upload', filename: file.name, size: file.size }] : [],
  });
  const sent = Array.from({ length: 40 }, promised);
  const unpromised = composeRequest(chance, false);
  const listed = sent.map(asListed);
  const withFile = sent.findIndex((one) => one.file !== null);

  it('finds no difference where there is none', () => {
    expect(differences([...sent, unpromised], listed)).toEqual([]);
    expect(differences([...sent, unpromised], [...listed, asListed(unpromised)])).toEqual([]);
  });

  const item = (index: number): Listed => listed[index] as Listed;
  const faults: Record<string, readonly Listed[]> = {
    'a lost submission': listed.slice(1),
    'one that is there twice': [...listed, { ...item(3), id: 'another' }],
    'changed data': listed.with(5, { ...item(5), data: { ...item(5).data, note: 'cut' } }),
    'a lost file': listed.with(withFile, { ...item(withFile), files: [] }),
    'a cut file': listed.with(withFile, {
      ...item(withFile),
      files: item(withFile).files.map((file) => ({ ...file, size: file.size - 1 })),
    }),
    'one that nobody sent': [...listed, { ...item(0), data: { client_id: 'outsider' } }],
  };
  for (const [name, wrong] of Object.entries(faults)) {
    it(`sees ${name}`, () => expect(differences(sent, wrong)).not.toEqual([]));
  }
});
