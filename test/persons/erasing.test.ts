/** Steps of an erasure on a real store, at moments that no request can reach. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDiskBlobs } from '#inlet/adapters/blobs/disk.js';
import { memorySignals } from '#inlet/adapters/signals/memory.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { begunErasure, Erasing } from '#inlet/domain/persons/erasing.js';
import { newId } from '#inlet/kernel/ids.js';
import { createSealer, deriveKey, sha256Hex } from '#inlet/kernel/secrets.js';
import { wholeAccount } from '#inlet/model/reach.js';
import { epoch, made, madePlace } from '../contracts/store/samples.js';

const address = 'ann@example.com';
const minute = 60_000;

it('erases what was submitted before it began, and stored when it had looked through the submissions', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-erasing-'));
  const createdAt = epoch + 60 * minute;
  const clock = { now: () => createdAt + minute };
  const engine = await openSqlite({
    ...{ path: join(folder, 'inlet.db'), readers: 1, now: clock.now, mayMigrate: true },
    onFatal(error) {
      throw error;
    },
  });
  const store = createSqlStore(engine, createSealer(deriveKey('master', 'seal')));
  try {
    const blobs = await openDiskBlobs({ directory: join(folder, 'files'), now: clock.now });
    const place = await madePlace(store);
    const { accountId } = place;
    const erasure = begunErasure(
      {
        ...{ id: newId(createdAt), accountId, personHash: 'hash', createdAt },
        key: { kind: 'email', tokens: [sha256Hex(address)] },
      },
      address,
    );
    const data = JSON.stringify({ email: address });
    // It is at its last place: the submissions have already been searched.
    await store.erasures.create({ ...erasure, place: 'destination_errors' });
    const late = await made(store, place, { createdAt: createdAt - 10 * minute, data });
    const back = await made(store, place, { createdAt: createdAt + 1, data });
    const erasing = new Erasing({
      ...{ store, blobs, signals: memorySignals(), clock, hash: sha256Hex },
      onTracesLeft(_id, left) {
        throw new Error(JSON.stringify(left));
      },
    });
    await erasing.step(new AbortController().signal);
    const done = await store.erasures.find(accountId, erasure.id);
    expect(done).toMatchObject({ stage: 'finished', counts: { submissions: 1 } });
    const isThere = async (id: string) =>
      (await store.submissions.find(wholeAccount(accountId), id)) !== null;
    expect(await isThere(late.submission.id)).toBe(false);
    expect(await isThere(back.submission.id)).toBe(true);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});
