import { describe, expect, it } from 'vitest';
import { someTime } from '../../../test/support/nouns.js';
import { only, onlyStore } from '../../../test/support/ports.js';
import type { Principal } from '../../model/account.js';
import { theSystem } from '../../model/audit.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { FormTroubles } from '../../ports/tallies.js';
import { createAttentionService } from './attention.js';

const who: Principal = {
  ...{ accountId: 'account', plan: 'pro', keyId: 'key', userId: null },
  access: { role: 'viewer', projects: [] },
  projectIds: null,
  actor: theSystem,
};

const attentionOf = (
  freeBytes: number | null,
  forms: readonly FormTroubles[] = [],
  operatorId: string = who.accountId,
) =>
  createAttentionService({
    store: onlyStore({
      accounts: {
        findOldest: async () => ({
          id: operatorId,
          name: '',
          plan: 'pro',
          twoFactorsRequired: false,
          createdAt: 0,
        }),
      },
      destinations: { listNeedingAttention: async () => [], waiting: async () => new Map() },
      tallies: { troubles: async () => forms, byForm: async () => [] },
    }),
    blobs: only<BlobStore>({ describe: async () => ({ kind: 'disk', freeBytes }) }),
    tallies: { count() {}, rejected() {}, write: () => Promise.reject(new Error('disk')) },
    clock: { now: () => someTime },
  }).list(who);

describe('attention', () => {
  it('names a disk with less than a gibibyte, and none where the room is not known', async () => {
    expect(await attentionOf(1024 ** 3 - 1)).toEqual([
      {
        kind: 'disk_low',
        formId: null,
        formName: null,
        projectId: null,
        destination: null,
        count: 1073,
        detail: '1073 MB are free; when none are left, submissions are refused',
      },
    ]);
    expect(await attentionOf(1024 ** 3)).toEqual([]);
    expect(await attentionOf(null)).toEqual([]);
  });

  it('tells nobody of the disk but the operator, whose account is the oldest', async () => {
    expect(await attentionOf(0)).toHaveLength(1);
    expect(await attentionOf(0, [], 'an older account')).toEqual([]);
  });

  it('says of a receiver what was given up and what still waits', async () => {
    const form = { formId: 'f', formName: 'Orders', projectId: 'p', isSandbox: false, quarantined: 0 };
    const details = async (undelivered: number, waiting: number) =>
      (await attentionOf(null, [{ ...form, undelivered, waiting }])).map(({ count, detail }) => [
        count,
        detail,
      ]);
    expect(await details(0, 2)).toEqual([[2, '2 submissions being tried again']]);
    expect(await details(1, 1)).toEqual([
      [2, '1 submission of the last 7 days not delivered, 1 submission being tried again'],
    ]);
    expect(await details(1_000, 0)).toEqual([
      [1_000, '1000 or more submissions of the last 7 days not delivered'],
    ]);
    expect(await details(0, 0)).toEqual([]);
  });
});
