/**
 * The contract of every signals adapter. A signal may be lost or arrive twice, so these tests publish until it is received. That a listener
 * receives nothing is proven by what another one has received meanwhile.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Signal, Signals } from '../../src/ports/signals.js';

export interface SignalsHarness {
  readonly signals: Signals;
  dispose(): Promise<void>;
}

export function signalsContract(name: string, make: () => Promise<SignalsHarness>): void {
  describe(`signals: ${name}`, () => {
    let harness: SignalsHarness;
    let signals: Signals;

    beforeEach(async () => {
      harness = await make();
      signals = harness.signals;
    });
    afterEach(() => harness.dispose());

    /** Publishes until the list has grown by `times`. */
    async function publishUntilHeard(signal: Signal, heard: readonly Signal[], times = 1): Promise<void> {
      const wanted = heard.length + times;
      await vi.waitFor(
        () => {
          signals.publish(signal);
          expect(heard.length).toBeGreaterThanOrEqual(wanted);
        },
        { timeout: 45_000, interval: 5 },
      );
    }

    it('brings a signal to every listener of its kind', async () => {
      const first: Signal[] = [];
      const second: Signal[] = [];
      signals.subscribe('intake-changed', (signal) => first.push(signal));
      signals.subscribe('intake-changed', (signal) => second.push(signal));
      await publishUntilHeard({ kind: 'intake-changed' }, first);
      await publishUntilHeard({ kind: 'intake-changed' }, second);
      expect(first[0]).toEqual({ kind: 'intake-changed' });
      expect(second[0]).toEqual({ kind: 'intake-changed' });
    });

    it('says that somebody may listen while somebody does', () => {
      signals.subscribe('submission-received', () => {});
      expect(signals.isHeard('submission-received')).toBe(true);
    });

    it('brings a listener no other kind', async () => {
      const intake: Signal[] = [];
      const deliveries: Signal[] = [];
      signals.subscribe('intake-changed', (signal) => intake.push(signal));
      signals.subscribe('deliveries-ready', (signal) => deliveries.push(signal));
      await publishUntilHeard({ kind: 'deliveries-ready', lanes: [] }, deliveries, 3);
      expect(intake).toEqual([]);
    });

    it('calls no listener before publish has returned', async () => {
      const heard: Signal[] = [];
      signals.subscribe('intake-changed', (signal) => heard.push(signal));
      signals.publish({ kind: 'intake-changed' });
      expect(heard).toEqual([]);
      await publishUntilHeard({ kind: 'intake-changed' }, heard);
    });

    it('keeps a throwing or rejecting listener away from the publisher and from the others', async () => {
      const heard: Signal[] = [];
      let thrown = 0;
      signals.subscribe('intake-changed', () => {
        thrown += 1;
        throw new Error('a listener failed');
      });
      signals.subscribe('intake-changed', async () => {
        throw new Error('a listener failed later');
      });
      signals.subscribe('intake-changed', (signal) => heard.push(signal));
      await publishUntilHeard({ kind: 'intake-changed' }, heard, 3);
      expect(thrown).toBeGreaterThan(1);
    });

    it('brings nothing after the subscription has ended, to this listener only', async () => {
      const ended: Signal[] = [];
      const staying: Signal[] = [];
      const unsubscribe = signals.subscribe('intake-changed', (signal) => ended.push(signal));
      signals.subscribe('intake-changed', (signal) => staying.push(signal));
      await publishUntilHeard({ kind: 'intake-changed' }, ended);
      unsubscribe();
      unsubscribe();
      const heardBefore = ended.length;
      await publishUntilHeard({ kind: 'intake-changed' }, staying, 3);
      expect(ended).toHaveLength(heardBefore);
    });

    it('ends one subscription of a listener that has two', async () => {
      const heard: Signal[] = [];
      const listener = (signal: Signal) => {
        heard.push(signal);
      };
      const unsubscribe = signals.subscribe('intake-changed', listener);
      signals.subscribe('intake-changed', listener);
      unsubscribe();
      await publishUntilHeard({ kind: 'intake-changed' }, heard);
    });

    it('takes a publish and an unsubscribe after close without a fault', async () => {
      const unsubscribe = signals.subscribe('intake-changed', () => {});
      await signals.close();
      expect(() => signals.publish({ kind: 'intake-changed' })).not.toThrow();
      expect(unsubscribe).not.toThrow();
      await signals.close();
    });
  });
}
