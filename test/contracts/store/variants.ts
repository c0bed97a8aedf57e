import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import type { StoredFile } from '../../../src/model/file.js';
import type { Variant } from '../../../src/model/image.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { day, type EntryWish, epoch, made, madePlace, nextInstant, type Place } from './samples.js';

/** Two variants with the same instants differ only in their keys. */
function aVariant(fileId: string, some: Partial<Variant> = {}): Variant {
  const createdAt = some.createdAt ?? nextInstant();
  return {
    fileId,
    recipe: `${createdAt % 4096},,cover,80,webp`,
    mimeType: 'image/webp',
    sizeBytes: 1000,
    sha256: 'c'.repeat(64),
    blobKey: newId(createdAt),
    createdAt,
    usedAt: createdAt,
    ...some,
  };
}

const many = 1000;

async function madeFile(store: Store, wish: EntryWish = {}): Promise<{ place: Place; file: StoredFile }> {
  const place = await madePlace(store);
  const { files } = await made(store, place, { files: 1, ...wish });
  const [file] = files;
  if (!file) throw new Error('no file');
  return { place, file };
}

async function keptVariant(store: Store, fileId: string, some: Partial<Variant> = {}): Promise<Variant> {
  const variant = aVariant(fileId, some);
  expect(await store.variants.keep([variant], many)).toEqual(['kept']);
  return variant;
}

/** The recipes of the variants that are still stored. */
const left = async (store: Store, variants: readonly Variant[]): Promise<readonly string[]> => {
  const found = await Promise.all(variants.map(({ fileId, recipe }) => store.variants.find(fileId, recipe)));
  return found.flatMap((variant) => (variant ? [variant.recipe] : []));
};

const recipes = (variants: readonly Variant[]) => variants.map(({ recipe }) => recipe);
const keys = (variants: readonly Variant[]) => variants.map(({ blobKey }) => blobKey).sort();
const unremoved = async (store: Store) => [...(await store.variants.listUnremoved(many))].sort();

export function variantsContract(make: MakeHarness): void {
  describe('a variant', () => {
    const harness = shared(make);

    it('is found as it was kept, by its file and its recipe', async () => {
      const { store } = harness();
      const [{ file }, { file: other }] = [await madeFile(store), await madeFile(store)];
      const variant = aVariant(file.id, { mimeType: 'image/png', sizeBytes: 7, sha256: 'd'.repeat(64) });
      expect(await store.variants.find(file.id, variant.recipe)).toBeNull();
      expect(await store.variants.keep([variant], many)).toEqual(['kept']);
      expect(await store.variants.find(file.id, variant.recipe)).toEqual(variant);
      expect(await store.variants.find(file.id, `${variant.recipe} `)).toBeNull();
      expect(await store.variants.find(other.id, variant.recipe)).toBeNull();
      expect(await store.variants.find('unknown', variant.recipe)).toBeNull();
    });

    it('is seen by another store at once', async () => {
      const { store, another } = harness();
      const { file } = await madeFile(store);
      const variant = await keptVariant(store, file.id);
      const other = await another();
      try {
        expect(await other.variants.find(file.id, variant.recipe)).toEqual(variant);
      } finally {
        await other.close();
      }
    });

    it('is stored once: the second one is rejected, and the first one stays', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const first = await keptVariant(store, file.id);
      const second = aVariant(file.id, { recipe: first.recipe });
      expect(await store.variants.keep([second], many)).toEqual(['taken']);
      // An exceeded limit does not make room for a variant that is not stored.
      expect(await store.variants.keep([second], 0)).toEqual(['taken']);
      expect(await store.variants.find(file.id, first.recipe)).toEqual(first);
      expect(await store.files.referenced([second.blobKey])).toEqual(new Set());
    });

    it('is kept once when many stores try at the same moment', async () => {
      const { store, another } = harness();
      const { file } = await madeFile(store);
      const other = await another();
      try {
        const tries = Array.from({ length: 20 }, () => aVariant(file.id, { recipe: 'the same' }));
        const answers = await Promise.all(
          tries.map((variant, i) => (i % 2 ? other : store).variants.keep([variant], many)),
        );
        const results = answers.flat();
        expect(results.filter((result) => result === 'kept')).toHaveLength(1);
        expect(results.filter((result) => result === 'taken')).toHaveLength(19);
        expect(await store.variants.find(file.id, 'the same')).toEqual(tries[results.indexOf('kept')]);
      } finally {
        await other.close();
      }
    });

    it('is stored beside others, and each gets its own outcome', async () => {
      const { store } = harness();
      const [{ file }, { file: deleted }] = [await madeFile(store), await madeFile(store)];
      const first = await keptVariant(store, file.id, { recipe: 'first' });
      await store.files.markDeleted(deleted.id, nextInstant());
      const second = aVariant(file.id, { recipe: 'second' });
      const third = aVariant(file.id, { recipe: 'third' });
      const batch = [second, aVariant(file.id, { recipe: 'first' }), aVariant(deleted.id), third];
      expect(await store.variants.keep(batch, 2)).toEqual(['kept', 'taken', 'gone', 'kept']);
      expect(await left(store, [first, second, third])).toEqual(['second', 'third']);
      expect(await store.variants.keep([], many)).toEqual([]);
    });

    it('of two files may have one recipe', async () => {
      const { store } = harness();
      const [{ file }, { file: other }] = [await madeFile(store), await madeFile(store)];
      const mine = await keptVariant(store, file.id, { recipe: 'r' });
      const theirs = await keptVariant(store, other.id, { recipe: 'r' });
      expect(await store.variants.find(file.id, 'r')).toEqual(mine);
      expect(await store.variants.find(other.id, 'r')).toEqual(theirs);
    });

    it('is not kept for a file that is deleted or never was', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      await store.files.markDeleted(file.id, nextInstant());
      for (const id of [file.id, newId(epoch)]) {
        const variant = aVariant(id);
        expect(await store.variants.keep([variant], many)).toEqual(['gone']);
        expect(await store.variants.find(id, variant.recipe)).toBeNull();
        expect(await store.files.referenced([variant.blobKey])).toEqual(new Set());
      }
    });

    it('that was removed can be made again, before and after its bytes are gone', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const first = await keptVariant(store, file.id, { recipe: 'r' });
      await store.variants.markRemoved(first.blobKey, nextInstant());
      const second = await keptVariant(store, file.id, { recipe: 'r' });
      await store.variants.forget([first.blobKey]);
      expect(await store.variants.find(file.id, 'r')).toEqual(second);
    });

    it('is undone with the transaction that kept it', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const variant = aVariant(file.id);
      const work = store.tx(async (tx) => {
        expect(await tx.variants.keep([variant], many)).toEqual(['kept']);
        expect(await tx.variants.find(file.id, variant.recipe)).toEqual(variant);
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      expect(await store.variants.find(file.id, variant.recipe)).toBeNull();
    });
  });

  describe('variants of one file', () => {
    const harness = fresh(make);

    it('are so many at most: the least recently used give way', async () => {
      const { store } = harness();
      const [{ file }, { file: other }] = [await madeFile(store), await madeFile(store)];
      const spared = await keptVariant(store, other.id);
      const variants: Variant[] = [];
      for (let i = 0; i < 5; i += 1) variants.push(await keptVariant(store, file.id));
      // Used again, the oldest becomes the most recent.
      await store.variants.touch(variants[0]?.blobKey ?? '', nextInstant());
      const newest = aVariant(file.id);
      expect(await store.variants.keep([newest], 3)).toEqual(['kept']);
      const [a, b, c, d, e] = variants as [Variant, Variant, Variant, Variant, Variant];
      expect(await left(store, [a, b, c, d, e, newest])).toEqual(recipes([a, e, newest]));
      expect(await unremoved(store)).toEqual(keys([b, c, d]));
      expect(await left(store, [spared])).toEqual([spared.recipe]);
    });

    it('count only while they are kept', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const [first, second] = [await keptVariant(store, file.id), await keptVariant(store, file.id)];
      await store.variants.markRemoved(second.blobKey, nextInstant());
      const third = aVariant(file.id);
      expect(await store.variants.keep([third], 2)).toEqual(['kept']);
      expect(await left(store, [first, second, third])).toEqual(recipes([first, third]));
    });
  });

  describe('the use of a variant', () => {
    const harness = shared(make);

    it('is remembered, and never set back', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const variant = await keptVariant(store, file.id);
      const usedAt = async () => (await store.variants.find(file.id, variant.recipe))?.usedAt;
      await store.variants.touch(variant.blobKey, variant.usedAt + 500);
      expect(await usedAt()).toBe(variant.usedAt + 500);
      await store.variants.touch(variant.blobKey, variant.usedAt + 400);
      expect(await usedAt()).toBe(variant.usedAt + 500);
      await store.variants.touch(newId(epoch), epoch);
    });

    it('does not bring a removed one back', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const variant = await keptVariant(store, file.id);
      await store.variants.markRemoved(variant.blobKey, nextInstant());
      await store.variants.touch(variant.blobKey, nextInstant());
      expect(await store.variants.find(file.id, variant.recipe)).toBeNull();
    });
  });

  describe('all variants', () => {
    const harness = fresh(make);

    it('have as many bytes as those that are kept', async () => {
      const { store } = harness();
      expect(await store.variants.totalBytes()).toBe(0);
      const { file } = await madeFile(store);
      const [first] = [
        await keptVariant(store, file.id, { sizeBytes: 3_000_000_000 }),
        await keptVariant(store, file.id, { sizeBytes: 5 }),
        await keptVariant(store, (await madeFile(store)).file.id, { sizeBytes: 2_000_000_000 }),
      ];
      expect(await store.variants.totalBytes()).toBe(5_000_000_005);
      await store.variants.markRemoved(first.blobKey, nextInstant());
      expect(await store.variants.totalBytes()).toBe(2_000_000_005);
    });

    it('are trimmed to a size: the least recently used go first, of whatever file', async () => {
      const { store } = harness();
      const files = [(await madeFile(store)).file, (await madeFile(store)).file];
      const variants: Variant[] = [];
      for (let i = 0; i < 6; i += 1) {
        variants.push(await keptVariant(store, files[i % 2]?.id ?? '', { sizeBytes: 100 }));
      }
      const [a, b, c, d, e, f] = variants as [Variant, Variant, Variant, Variant, Variant, Variant];
      await store.variants.touch(a.blobKey, nextInstant());
      await store.variants.trim(600, nextInstant());
      expect(await left(store, variants)).toHaveLength(6);
      await store.variants.trim(399, nextInstant());
      expect(await left(store, variants)).toEqual(recipes([a, e, f]));
      expect(await store.variants.totalBytes()).toBe(300);
      expect(await unremoved(store)).toEqual(keys([b, c, d]));
      await store.variants.trim(0, nextInstant());
      expect(await left(store, variants)).toEqual([]);
      await store.variants.trim(0, nextInstant());
      expect(await unremoved(store)).toEqual(keys(variants));
    });

    it('are trimmed to a size also when they were used in the same instant', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      for (let i = 0; i < 10; i += 1) {
        await keptVariant(store, file.id, { recipe: `r${i}`, createdAt: epoch, sizeBytes: 10 });
      }
      await store.variants.trim(55, nextInstant());
      expect(await store.variants.totalBytes()).toBe(50);
    });

    it('are trimmed to a size also when one alone is larger', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      await keptVariant(store, file.id, { sizeBytes: 1000 });
      await store.variants.trim(999, nextInstant());
      expect(await store.variants.totalBytes()).toBe(0);
    });

    it('that are removed are listed until they are forgotten, and their bytes are referred to', async () => {
      const { store } = harness();
      const { file } = await madeFile(store);
      const variants = [
        await keptVariant(store, file.id),
        await keptVariant(store, file.id),
        await keptVariant(store, file.id),
      ];
      const [kept, ...removed] = variants as [Variant, Variant, Variant];
      expect(await unremoved(store)).toEqual([]);
      for (const { blobKey } of removed) await store.variants.markRemoved(blobKey, nextInstant());
      await store.variants.markRemoved(newId(epoch), nextInstant());
      expect(await unremoved(store)).toEqual(keys(removed));
      expect(await store.variants.listUnremoved(1)).toHaveLength(1);
      const all = [...keys(variants), file.blobKey];
      expect(await store.files.referenced([...all, 'orphan-0001'])).toEqual(new Set(all));
      await store.variants.forget([]);
      // A variant in use is not forgotten, even on request.
      await store.variants.forget([removed[0].blobKey, kept.blobKey]);
      expect(await unremoved(store)).toEqual([removed[1].blobKey]);
      expect(await left(store, variants)).toEqual([kept.recipe]);
      expect(await store.files.referenced(all)).toEqual(
        new Set([kept.blobKey, removed[1].blobKey, file.blobKey]),
      );
    });
  });

  describe('variants go with their file', () => {
    const harness = fresh(make);
    const now = epoch + 100 * day;
    const purge = async (store: Store): Promise<void> => {
      while (await store.purge.purgeDeletedStep(now));
      while (await store.purge.purgeExpiredStep(now));
    };

    const ways: readonly (readonly [
      string,
      (store: Store, made: { place: Place; file: StoredFile }) => Promise<unknown>,
    ])[] = [
      ['the file', (store, { file }) => store.files.markDeleted(file.id, now)],
      ['its submission', (store, { file }) => store.submissions.delete(file.submissionId, now)],
      ['its form', (store, { place }) => store.forms.markDeleted(place.form.id, now)],
      ['its project', (store, { place }) => store.projects.markDeleted(place.project.id, now)],
      [
        'what is past its retention',
        (store, { place }) => store.forms.update(place.form.id, { ...place.form, retentionDays: 7 }, now),
      ],
      [
        'the file, and then its submission',
        async (store, { file }) => {
          await store.files.markDeleted(file.id, now);
          await store.submissions.delete(file.submissionId, now);
        },
      ],
    ];

    it.each(ways)('by the deletion of %s', async (_, remove) => {
      const { store } = harness();
      const [doomed, other] = [await madeFile(store), await madeFile(store)];
      const going = [
        await keptVariant(store, doomed.file.id, { sizeBytes: 30 }),
        await keptVariant(store, doomed.file.id, { sizeBytes: 40 }),
      ];
      const staying = await keptVariant(store, other.file.id, { sizeBytes: 5 });
      await remove(store, doomed);
      await purge(store);
      expect(await left(store, [...going, staying])).toEqual([staying.recipe]);
      expect(await unremoved(store)).toEqual(keys(going));
      expect(await store.variants.totalBytes()).toBe(5);
      expect(await store.variants.keep([aVariant(doomed.file.id)], many)).toEqual(['gone']);
      expect(await store.files.referenced(keys(going))).toEqual(new Set(keys(going)));
    });

    it('also one that is kept after the deletion of its form and before the purge', async () => {
      const { store } = harness();
      const { place, file } = await madeFile(store);
      await store.forms.markDeleted(place.form.id, now);
      const late = aVariant(file.id);
      const [result] = await store.variants.keep([late], many);
      await purge(store);
      expect(await store.variants.find(file.id, late.recipe)).toBeNull();
      expect(await unremoved(store)).toEqual(result === 'kept' ? [late.blobKey] : []);
    });

    it('when keeping and deleting race, none is left that nobody removes', async () => {
      const { store } = harness();
      for (let round = 0; round < 10; round += 1) {
        const { file } = await madeFile(store);
        const variants = Array.from({ length: 6 }, (_, i) => aVariant(file.id, { recipe: `r${i}` }));
        const [results] = await Promise.all([
          Promise.all(variants.map(async (variant) => (await store.variants.keep([variant], many))[0])),
          store.submissions.delete(file.submissionId, now),
        ]);
        const kept = variants.filter((_, i) => results[i] === 'kept');
        expect(await left(store, variants)).toEqual([]);
        expect(await unremoved(store)).toEqual(keys(kept));
        await store.variants.forget(keys(kept));
      }
    });
  });
}
