import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memorySignals } from './memory.js';

it('delivers each signal once, in order, in the next turn', async () => {
  const signals = memorySignals();
  const heard: string[] = [];
  signals.subscribe('intake-changed', () => heard.push('intake'));
  signals.subscribe('files-changed', () => heard.push('files'));
  signals.publish({ kind: 'intake-changed' });
  signals.publish({ kind: 'files-changed' });
  signals.publish({ kind: 'intake-changed' });
  await nextTurn();
  expect(heard).toEqual(['intake', 'files', 'intake']);
});

it('delivers nothing to a subscription that ended, or was closed, between publish and delivery', async () => {
  const signals = memorySignals();
  const heard: string[] = [];
  const unsubscribe = signals.subscribe('intake-changed', () => heard.push('ended'));
  signals.subscribe('intake-changed', () => heard.push('staying'));
  signals.publish({ kind: 'intake-changed' });
  unsubscribe();
  await nextTurn();
  expect(heard).toEqual(['staying']);
  signals.publish({ kind: 'intake-changed' });
  await signals.close();
  await nextTurn();
  expect(heard).toEqual(['staying']);
});

it('reports what listeners throw or reject', async () => {
  const errors: unknown[] = [];
  const signals = memorySignals({ onListenerError: (error) => errors.push(error) });
  const thrown = new Error('thrown');
  const rejected = new Error('rejected');
  signals.subscribe('intake-changed', () => {
    throw thrown;
  });
  signals.subscribe('intake-changed', async () => {
    throw rejected;
  });
  signals.publish({ kind: 'intake-changed' });
  await nextTurn();
  expect(errors).toEqual([thrown, rejected]);
});

it('lets the event loop turn between listeners that answer each other', async () => {
  const signals = memorySignals();
  let rounds = 0;
  signals.subscribe('intake-changed', () => {
    rounds += 1;
    signals.publish({ kind: 'intake-changed' });
  });
  signals.publish({ kind: 'intake-changed' });
  await nextTurn();
  expect(rounds).toBe(1);
  await signals.close();
});

it('knows whether somebody listens', () => {
  const signals = memorySignals();
  expect(signals.isHeard('submission-received')).toBe(false);
  const unsubscribe = signals.subscribe('submission-received', () => {});
  expect(signals.isHeard('submission-received')).toBe(true);
  unsubscribe();
  expect(signals.isHeard('submission-received')).toBe(false);
});
