import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sharedByFolder } from './shared-syncs.js';

describe('shared folder syncs', () => {
  /** Syncs that complete only when `end` is called with their index, counted in the order they began. */
  function heldSyncs() {
    const begun: { folder: string; end: (error?: Error) => void }[] = [];
    const sync = sharedByFolder(
      (folder) =>
        new Promise((resolve, reject) => {
          begun.push({ folder, end: (error) => (error ? reject(error) : resolve()) });
        }),
    );
    const folders = () => begun.map(({ folder }) => folder);
    return { sync, folders, end: (index: number, error?: Error) => begun[index]?.end(error) };
  }

  it('let those who come during a sync share the next one, never the running one', async () => {
    const { sync, folders, end } = heldSyncs();
    const ended: string[] = [];
    const first = sync('a').then(() => ended.push('first'));
    await nextTurn();
    const late = ['second', 'third'].map((name) => sync('a').then(() => ended.push(name)));
    await nextTurn();
    expect(folders()).toEqual(['a']);
    end(0);
    await first;
    await nextTurn();
    expect(folders()).toEqual(['a', 'a']);
    expect(ended).toEqual(['first']);
    end(1);
    await Promise.all(late);
    expect(folders()).toEqual(['a', 'a']);
  });

  it('do not wait for other folders', async () => {
    const { sync, folders, end } = heldSyncs();
    const both = [sync('a'), sync('b')];
    await nextTurn();
    expect(folders()).toEqual(['a', 'b']);
    end(1);
    await both[1];
    end(0);
    await both[0];
  });

  it('fail for those who shared the sync, and for nobody after', async () => {
    const { sync, folders, end } = heldSyncs();
    const shared = [sync('a'), sync('a')].map((syncing) => expect(syncing).rejects.toThrow('EIO'));
    await nextTurn();
    const next = sync('a');
    end(0, new Error('EIO'));
    await Promise.all(shared);
    await nextTurn();
    end(1);
    await next;
    expect(folders()).toEqual(['a', 'a']);
  });
});
