import { describe, expect, it } from 'vitest';
import { only } from '../../../test/support/ports.js';
import { memorySignals } from '../../adapters/signals/memory.js';
import type { AttemptEnd, Delivery } from '../../model/delivery.js';
import { builtInId } from '../../model/destination.js';
import type { DestinationStore, HealthChange } from '../../ports/destinations.js';
import type { Attempted } from './attempt.js';
import { HealthLog } from './health.js';

const start = Date.UTC(2031, 0, 1);
const delivery = { kind: 'webhook', target: 'form', formId: 'form', projectId: 'project' } as const;

function scene() {
  const written: HealthChange[][] = [];
  const disabled: string[] = [];
  const signals = memorySignals();
  let changes = 0;
  let during = (): void => {};
  signals.subscribe('intake-changed', () => {
    changes += 1;
  });
  const destinations = only<DestinationStore>({
    recordHealth: async (all) => {
      during();
      written.push([...all]);
    },
    disable: async (id) => {
      disabled.push(id);
      return true;
    },
  });
  const log = new HealthLog({ destinations, signals });
  const attempt = (end: AttemptEnd, at: number, destinationId = 'one', error: string | null = null) =>
    log.attempted({ ...delivery, destinationId } as Delivery, { end, attempt: { at, error } } as Attempted);
  /** Does this while the next changes are written. */
  const meanwhile = (work: () => void): void => {
    during = () => {
      during = () => {};
      work();
    };
  };
  return { log, attempt, written, disabled, meanwhile, changes: () => changes };
}

describe('the health of destinations', () => {
  it('is written together, the failures after the last success', async () => {
    const { log, attempt, written } = scene();
    attempt('failed', start, 'one', 'a');
    attempt('succeeded', start + 1);
    attempt('failed', start + 2, 'one', 'b');
    attempt('rejected', start + 3, 'one', 'c');
    attempt('failed', start, 'two', 'd');
    attempt('cancelled', start, 'three');
    attempt('suppressed', start, 'three');
    attempt('failed', start, builtInId('01890000-0000-7000-8000-000000000000', 'reply'));
    await log.write();
    await log.write();
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject([
      {
        ...{ destinationId: 'one', succeededAt: start + 1, failures: 2, lastError: 'c' },
        ...{ firstFailedAt: start + 2, lastFailedAt: start + 3 },
      },
      { destinationId: 'two', succeededAt: null, failures: 1, firstFailedAt: start, lastError: 'd' },
    ]);
  });

  it('includes every success: another process may have stored a failure', async () => {
    const { log, attempt, written } = scene();
    for (const after of [0, 1, 2]) {
      attempt('succeeded', start + after);
      await log.write();
    }
    expect(written).toMatchObject([0, 1, 2].map((after) => [{ succeededAt: start + after, failures: 0 }]));
  });

  it('is written later when the store fails, with what happened meanwhile', async () => {
    const { log, attempt, written, meanwhile, disabled } = scene();
    attempt('succeeded', start);
    attempt('gone', start + 1, 'one', 'a');
    attempt('failed', start + 1, 'two', 'b');
    attempt('succeeded', start + 1, 'three');
    meanwhile(() => {
      attempt('failed', start + 2, 'one', 'c');
      attempt('succeeded', start + 2, 'two');
      throw new Error('The store is unavailable');
    });
    await expect(log.write()).rejects.toThrow('unavailable');
    meanwhile(() => attempt('failed', start + 3, 'three', 'd'));
    await log.write();
    await log.write();
    const byId = (all: readonly HealthChange[]) =>
      new Map(all.map(({ destinationId, ...change }) => [destinationId, change]));
    const [first = [], second = []] = written;
    expect(byId(first).get('one')).toMatchObject({
      ...{ succeededAt: start, failures: 2, lastError: 'c' },
      ...{ firstFailedAt: start + 1, lastFailedAt: start + 2 },
    });
    expect(byId(first).get('two')).toMatchObject({ succeededAt: start + 2, failures: 0, lastError: null });
    expect(byId(first).get('three')).toMatchObject({ succeededAt: start + 1, failures: 0 });
    expect(second).toMatchObject([{ destinationId: 'three', failures: 1, firstFailedAt: start + 3 }]);
    expect(disabled).toEqual(['one']);
  });

  it('disables one that is gone, but no webhook that a form names itself', async () => {
    const { log, attempt, disabled, changes } = scene();
    attempt('gone', start, 'one');
    attempt('gone', start, builtInId('01890000-0000-7000-8000-000000000000', 'webhook'));
    await log.write();
    expect(disabled).toEqual(['one']);
    await expect.poll(() => changes()).toBe(1);
  });
});
