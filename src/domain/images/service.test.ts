import { expect, it } from 'vitest';
import { aStoredFile } from '../../../test/support/nouns.js';
import { only, onlyStore } from '../../../test/support/ports.js';
import type { Variant } from '../../model/image.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Imaging } from '../../ports/imaging.js';
import { ImageService } from './service.js';

const transformation = { width: 10, height: null, fit: 'contain', quality: 80, format: null } as const;
const file = aStoredFile({ mimeType: 'image/png' });

it('makes a picture once, though it is stored while the store is asked for it', async () => {
  const rows: Variant[] = [];
  let made = 0;
  let store = (): void => undefined;
  let whileAsked = async (): Promise<void> => undefined;
  const service = new ImageService({
    store: onlyStore({
      variants: {
        // Returns the state at the time of the call, but resolves later.
        async find() {
          const found = rows[0] ?? null;
          await whileAsked();
          return found;
        },
        async keep(variants) {
          rows.push(...variants);
          return variants.map(() => 'kept' as const);
        },
        totalBytes: async () => 0,
      },
    }),
    blobs: only<BlobStore>({
      lend: async () => ({ path: '', giveBack: async () => undefined }),
      putBytes: async () => undefined,
    }),
    imaging: only<Imaging>({
      async transform() {
        made += 1;
        return { kind: 'made', mimeType: 'image/png', sizeBytes: 1, bytes: Buffer.alloc(1) };
      },
    }),
    clock: { now: () => 0 },
    timers: {
      after(_, callback) {
        store = callback;
        return () => undefined;
      },
    },
    limits: { maxPerFile: 10, maxTotalBytes: 1000 },
    observe: () => undefined,
    onLateFault: (error) => expect.unreachable(String(error)),
  });

  await service.get(file, transformation);
  whileAsked = async () => {
    store();
    await service.settle();
    // One more turn: a job is forgotten once its variant is stored.
    await new Promise((resolve) => setImmediate(resolve));
  };
  await service.get(file, transformation);
  expect(made).toBe(1);

  await service.settle();
  await service.get(file, transformation);
  expect([made, rows.length]).toEqual([1, 1]);
});
