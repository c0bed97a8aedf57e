import { describe, expect, it } from 'vitest';
import { createCloser } from './lifecycle.js';

const unexpected = (name: string, error: unknown): void => {
  throw new Error(`${name}: ${String(error)}`);
};

describe('createCloser', () => {
  it('closes last opened first, one after the other', async () => {
    const closer = createCloser();
    const steps: string[] = [];
    for (const name of ['store', 'blobs', 'http']) {
      closer.add(name, async () => {
        steps.push(`${name} begins`);
        await Promise.resolve();
        steps.push(`${name} ends`);
      });
    }
    await closer.close(unexpected);
    expect(steps).toEqual([
      'http begins',
      'http ends',
      'blobs begins',
      'blobs ends',
      'store begins',
      'store ends',
    ]);
  });

  it('goes on after a fault, thrown or rejected, and names whose it was', async () => {
    const closer = createCloser();
    const closed: string[] = [];
    const faults: [string, unknown][] = [];
    closer.add('first', () => void closed.push('first'));
    closer.add('rejecting', () => Promise.reject(new Error('late')));
    closer.add('throwing', () => {
      throw new Error('at once');
    });
    await closer.close((name, error) => faults.push([name, error]));
    expect(closed).toEqual(['first']);
    expect(faults).toEqual([
      ['throwing', new Error('at once')],
      ['rejecting', new Error('late')],
    ]);
  });

  it('closes everything once, and a second caller waits for the first', async () => {
    const closer = createCloser();
    let times = 0;
    let finish = (): void => {};
    closer.add('slow', () => {
      times += 1;
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    const order: string[] = [];
    const first = closer.close(unexpected).then(() => order.push('first'));
    const second = closer.close(unexpected).then(() => order.push('second'));
    await Promise.resolve();
    expect(order).toEqual([]);
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
    expect(times).toBe(1);
  });

  it('has nothing to do when nothing was opened', async () => {
    await expect(createCloser().close(unexpected)).resolves.toBeUndefined();
  });
});
