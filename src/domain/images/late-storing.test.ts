import { describe, expect, it } from 'vitest';
import type { Variant } from '../../model/image.js';
import { createLateStoring } from './late-storing.js';

const aVariant = (recipe: string): Variant => ({
  fileId: 'file',
  recipe,
  mimeType: 'image/webp',
  sizeBytes: 1,
  sha256: '',
  blobKey: `key-${recipe}`,
  createdAt: 0,
  usedAt: 0,
});

/** Time stands still until `pass` fires the timers that are set. */
function aBench() {
  const ringing = new Set<() => void>();
  const put: string[] = [];
  const kept: string[][] = [];
  const faults: string[] = [];
  let isBusy = false;
  let unwritable = '';
  let release: (() => void) | null = null;
  let gate: Promise<void> = Promise.resolve();
  const storing = createLateStoring({
    async put({ recipe }) {
      await gate;
      if (recipe === unwritable) throw new Error(`no place for ${recipe}`);
      put.push(recipe);
    },
    async keep(variants) {
      kept.push(variants.map(({ recipe }) => recipe));
    },
    isBusy: () => isBusy,
    timers: {
      after(_, callback) {
        ringing.add(callback);
        return () => ringing.delete(callback);
      },
    },
    onFault: (error) => faults.push((error as Error).message),
  });
  return {
    storing,
    put,
    kept,
    faults,
    add: (recipe: string, bytes = 1) => storing.add(aVariant(recipe), Buffer.alloc(bytes)),
    pass() {
      const due = [...ringing];
      ringing.clear();
      for (const ring of due) ring();
      return due.length;
    },
    set busy(busy: boolean) {
      isBusy = busy;
    },
    set unwritable(recipe: string) {
      unwritable = recipe;
    },
    holdUp() {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
    goOn: () => release?.(),
  };
}

describe('pictures on their way into the store', () => {
  it('are not stored at once, and together after a moment', async () => {
    const bench = aBench();
    const stored = [bench.add('b'), bench.add('a')];
    expect(bench.put).toEqual([]);
    bench.pass();
    await Promise.all(stored);
    expect(bench.put).toEqual(['b', 'a']);
    expect(bench.kept).toEqual([['a', 'b']]);
  });

  it('give way while others are waited for, but not for ever', async () => {
    const bench = aBench();
    bench.busy = true;
    const stored = bench.add('a');
    for (let moments = 0; moments < 50; moments += 1) expect(bench.pass()).toBe(1);
    expect(bench.put).toEqual([]);
    bench.pass();
    await stored;
    expect(bench.kept).toEqual([['a']]);
    // The next one yields again.
    const next = bench.add('b');
    bench.pass();
    expect(bench.put).toEqual(['a']);
    bench.busy = false;
    bench.pass();
    await next;
    expect(bench.kept).toEqual([['a'], ['b']]);
  });

  it('go a few at a time', async () => {
    const bench = aBench();
    const stored = Array.from({ length: 20 }, (_, i) => bench.add(String.fromCharCode(97 + i)));
    bench.pass();
    await Promise.all(stored);
    expect(bench.kept.map((batch) => batch.length)).toEqual([8, 8, 4]);
  });

  it('are stored without the one that cannot be written', async () => {
    const bench = aBench();
    bench.unwritable = 'b';
    const stored = ['a', 'b', 'c'].map((recipe) => bench.add(recipe));
    bench.pass();
    await Promise.all(stored);
    expect(bench.kept).toEqual([['a', 'c']]);
    expect(bench.faults).toEqual(['no place for b']);
  });

  it('are not kept beyond the bytes that may be held, and the store can go on', async () => {
    const bench = aBench();
    bench.holdUp();
    const mebibyte = 1024 * 1024;
    const stored = Array.from({ length: 16 }, (_, i) => bench.add(`p${i}`, mebibyte));
    await bench.add('one too many');
    expect(bench.faults).toHaveLength(1);
    bench.pass();
    bench.goOn();
    await Promise.all(stored);
    const after = bench.add('again');
    bench.pass();
    await after;
    expect(bench.put).toHaveLength(17);
    expect(bench.put).not.toContain('one too many');
  });

  it('are stored at once when there is no more time', async () => {
    const bench = aBench();
    bench.busy = true;
    const before = bench.add('before');
    bench.storing.hurry();
    await before;
    await bench.add('after');
    expect(bench.kept).toEqual([['before'], ['after']]);
  });
});
