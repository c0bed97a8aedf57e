/**
 * The owner of an instance can recover from a full disk: start it, read, delete and
 * shorten the retention. It also recovers by itself. Only submissions are rejected.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { inlet } from '../support/cli.js';
import { type Answer, client, type MadeForm, makeForm, request, submitJson } from '../support/client.js';
import { type RunningServer, type ServerOptions, startServer } from '../support/server.js';
import { newDatabase } from '../support/services/postgres.js';
import { canMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.js';
import { hurriedUpkeep } from '../support/upkeep.js';
import { onePixelPng, submitFiles } from '../support/upload.js';

/** This includes the reserve of 5 MiB. */
const diskMebibytes = 160;
const reserveBytes = 5 * 1024 * 1024;

const owner = { email: 'owner@example.com', password: 'correct horse battery' };
const within = { timeout: 30_000, interval: 50 };
const dayMs = 24 * 60 * 60_000;
const later = (ms: number): string =>
  `data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms};`)}`;

describe.runIf(canMount)('a full disk under the embedded database', () => {
  let disk: SmallDisk;
  let server: RunningServer;
  let form: MadeForm;
  const start = async (options: ServerOptions = {}): Promise<void> => {
    server = await startServer({
      ...options,
      dataDir: join(disk.path, 'data'),
      nodeArguments: [...(hurriedUpkeep.nodeArguments ?? []), ...(options.nodeArguments ?? [])],
      env: {
        API_RATE_LIMIT_PER_MINUTE: '1000000',
        INLET_ADMIN_EMAIL: owner.email,
        INLET_ADMIN_PASSWORD: owner.password,
        ...options.env,
      },
    });
  };
  const api = () => client(server.url);
  const send = (fields: unknown): Promise<Answer> => submitJson(endpoint(), fields);
  const endpoint = (): string => `${server.url}/f/${form.publicId}`;
  const upload = (): Promise<Answer> =>
    submitFiles(endpoint(), [{ field: 'photo', filename: 'a.png', type: 'image/png', content: onePixelPng }]);
  const metric = async (name: string): Promise<number> => {
    const { text } = await request(`${server.url}/metrics`);
    return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const reserve = () => metric('inlet_storage_reserve_bytes');
  const ids = async (): Promise<string[]> => {
    const answer = await api().get(`/api/v1/forms/${form.formId}/submissions?limit=100`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.map(({ id }: { id: string }) => id);
  };
  const untilReserve = (bytes: number) => vi.waitFor(async () => expect(await reserve()).toBe(bytes), within);
  /** Commits go to the log first, whose file has spare room, so submissions are still accepted for a while. */
  const untilRejected = async (submission: () => Promise<Answer>): Promise<void> => {
    for (;;) {
      await disk.fill();
      const answer = await submission();
      if (answer.status === 507) return;
      expect(answer.status, answer.text).toBe(200);
    }
  };

  beforeAll(async () => {
    disk = await mountSmallDisk(diskMebibytes);
    await start();
    form = await makeForm(server.url);
  });
  afterAll(async () => {
    await server?.dispose();
    await disk?.dispose();
  });

  it('space is held back, of real bytes', async () => {
    await untilReserve(reserveBytes);
    const { size, blocks } = statSync(join(server.dataDir, 'reserve'));
    expect(size).toBe(reserveBytes);
    expect(blocks * 512).toBeGreaterThanOrEqual(reserveBytes);
  });

  it('submissions are rejected, and everything else works', async () => {
    for (let n = 0; n < 20; n += 1) expect((await send({ n, words: 'findable' })).status).toBe(200);
    for (let n = 0; n < 8; n += 1) expect((await send({ text: 'x'.repeat(500_000) })).status).toBe(200);
    expect((await upload()).status).toBe(200);
    await untilRejected(() => send({ text: 'x'.repeat(500_000) }));
    await untilRejected(upload);

    const signedIn = await client(server.url, null).post('/api/v1/session', owner);
    expect(signedIn.status, signedIn.text).toBeLessThan(300);
    const [first = '', second = ''] = await ids();
    expect((await api().get(`/api/v1/submissions/${first}`)).status).toBe(200);
    for (const id of [first, second]) {
      const deleted = await api().delete(`/api/v1/submissions/${id}`);
      expect(deleted.status, deleted.text).toBe(204);
    }
    const shortened = await api().patch(`/api/v1/forms/${form.formId}`, { retention_days: 1 });
    expect(shortened.status, shortened.text).toBe(200);
    const found = await api().get(`/api/v1/forms/${form.formId}/submissions?q=findable`);
    expect(found.status, found.text).toBe(200);
    expect(found.body.data.length).toBeGreaterThan(0);
    expect(await ids()).not.toContain(first);
  });

  it('the space that was released is for the owner alone, and everybody who watches sees it', async () => {
    await untilReserve(0);
    await disk.fill();
    expect((await send({ text: 'x'.repeat(2_000_000) })).status).toBe(413);
    expect((await send({ text: 'x'.repeat(900_000) })).status).toBe(507);
    expect((await upload()).status).toBe(507);
    await vi.waitFor(async () => {
      const ready = await request(`${server.url}/readyz`);
      expect(ready.status).toBe(200);
      expect(ready.body.checks).toEqual({ database: 'ok', storage: 'full' });
    }, within);
    expect(await metric('inlet_ready{part="storage"}')).toBe(0);
    expect(server.output()).toMatch(/the disk is full: the space reserve is in use/);
    const doctor = await inlet(['doctor', '--json'], { dataDir: server.dataDir });
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ name: 'space reserve', state: 'fail' }),
    );
  });

  it('a killed process starts again without a free byte, and what is over its time is deleted', async () => {
    await server.end('SIGKILL');
    await disk.fill();
    expect(await disk.freeBytes()).toBe(0);
    await start({ nodeArguments: ['--import', later(2 * dayMs)] });
    await vi.waitFor(async () => expect(await ids()).toEqual([]), within);
  });

  it('submissions fit into what deleted ones left, although the file is as large as before', async () => {
    const before = statSync(join(server.dataDir, 'inlet.db')).size;
    await vi.waitFor(async () => expect((await send({ after: 'deleting' })).status).toBe(200), within);
    expect(statSync(join(server.dataDir, 'inlet.db')).size).toBe(before);
    expect((await upload()).status).toBe(507);
  });

  it('everything goes on when there is space, with the reserve restored', async () => {
    await disk.clear();
    await untilReserve(reserveBytes);
    expect((await upload()).status).toBe(200);
    expect((await send({ text: 'x'.repeat(900_000) })).status).toBe(200);
    // Checked once a second.
    await vi.waitFor(async () => expect(await metric('inlet_ready{part="storage"}')).toBe(1), within);
    expect(await ids()).toHaveLength(3);
  });

  it('a process that was stopped starts on a full disk, with the reserve that it held', async () => {
    await untilReserve(reserveBytes);
    expect(await server.end()).toBe(0);
    await disk.fill();
    await start();
    expect(await ids()).toHaveLength(3);
    const [id = ''] = await ids();
    expect((await api().delete(`/api/v1/submissions/${id}`)).status).toBe(204);
  });
});

it.runIf(canMount)(
  'with PostgreSQL, a full disk under DATA_DIR does not keep the process from starting',
  async () => {
    const disk = await mountSmallDisk(16);
    const database = await newDatabase(inject('services').databaseUrl);
    const options = { dataDir: join(disk.path, 'data'), env: { DATABASE_URL: database.url } };
    let server = await startServer(options);
    try {
      const form = await makeForm(server.url);
      await server.end('SIGKILL');
      await disk.fill();
      server = await startServer(options);
      const endpoint = `${server.url}/f/${form.publicId}`;
      expect((await submitJson(endpoint, { text: 'no file' })).status).toBe(200);
      const file = { field: 'photo', filename: 'a.png', type: 'image/png', content: onePixelPng };
      expect((await submitFiles(endpoint, [file])).status).toBe(507);
      expect((await request(`${server.url}/readyz`)).status).toBe(200);
    } finally {
      await server.dispose();
      await database.drop();
      await disk.dispose();
    }
  },
);
