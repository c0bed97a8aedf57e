/**
 * What signals promise between two processes, whatever carries them. `test/contracts/signals.ts` runs twice: within
 * one of them, and published in one and heard in the other.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memorySignals } from '../../src/adapters/signals/memory.js';
import { sharedSignals } from '../../src/adapters/signals/shared.js';
import type { SignalTransport, TransportNews } from '../../src/adapters/signals/transport.js';
import type { Signal, Signals } from '../../src/ports/signals.js';
import { signalsContract } from './signals.js';

export interface Side {
  readonly signals: Signals;
  readonly transport: SignalTransport;
  /** What operators were told. */
  readonly told: readonly string[];
}

export const recovery = { timeout: 10_000, interval: 20 };

export function startSide(
  makeTransport: (news: TransportNews) => SignalTransport,
  announceEveryMs?: number,
): Side {
  const told: string[] = [];
  const transport = makeTransport({
    onDown: (reason) => told.push(`down: ${reason}`),
    onUp: () => told.push('up'),
  });
  const every = announceEveryMs === undefined ? {} : { announceEveryMs };
  return { signals: sharedSignals({ local: memorySignals(), transport, ...every }), transport, told };
}

export const isUp = (side: Side) => expect.poll(() => side.transport.isUp(), recovery).toBe(true);

/** Everything of a kind that a side hears. */
export function hearing<K extends Signal['kind']>(side: Side, kind: K): Extract<Signal, { kind: K }>[] {
  const heard: Extract<Signal, { kind: K }>[] = [];
  side.signals.subscribe(kind, (signal) => heard.push(signal));
  return heard;
}

/** Publishes on one side until the other hears it: a signal may be lost. */
export async function expectCarried(from: Side, to: Side): Promise<void> {
  const mark = `https://mark-${Math.random()}.example`;
  const heard = hearing(to, 'deliveries-ready');
  await expect
    .poll(() => {
      from.signals.publish({ kind: 'deliveries-ready', urls: [mark] });
      return heard.some(({ urls }) => urls.includes(mark));
    }, recovery)
    .toBe(true);
}

export interface BetweenHarness {
  readonly first: Side;
  readonly second: Side;
  dispose(): Promise<void>;
}

export function signalsBetweenContract(
  name: string,
  start: (announceEveryMs?: number) => Promise<BetweenHarness>,
): void {
  /** Both are connected, and what they were told on that occasion was heard. */
  const make = async (announceEveryMs?: number): Promise<BetweenHarness> => {
    const harness = await start(announceEveryMs);
    await Promise.all([isUp(harness.first), isUp(harness.second)]);
    await new Promise(setImmediate);
    return harness;
  };

  signalsContract(`${name}, within a process`, async () => {
    const { first, dispose } = await make();
    return { signals: first.signals, dispose };
  });

  signalsContract(`${name}, from one process to another`, async () => {
    const { first, second, dispose } = await make();
    return {
      signals: {
        publish: first.signals.publish,
        subscribe: second.signals.subscribe,
        // The first learns of it a moment later, and then of the end too.
        isHeard: (kind) => first.signals.isHeard(kind) || second.signals.isHeard(kind),
        async close() {
          await first.signals.close();
          await second.signals.close();
        },
      },
      dispose,
    };
  });

  describe(`signals between processes: ${name}`, () => {
    let harness: BetweenHarness;
    beforeEach(async () => {
      harness = await make();
    });
    afterEach(() => harness.dispose());

    const submission = (submissionId: string): Signal => ({
      kind: 'submission-received',
      accountId: 'account é 😀',
      projectId: 'project',
      formId: 'form',
      submissionId,
      createdAt: 1_700_000_000_000,
    });

    it('brings every kind whole to the other process', async () => {
      const { first, second } = harness;
      const all: Signal[] = [
        { kind: 'intake-changed' },
        { kind: 'deliveries-ready', urls: ['https://a.example/?q=\'"\\é😀'] },
        { kind: 'mails-ready' },
        { kind: 'files-changed' },
        submission('one'),
        { kind: 'delivery-changed', submissionId: 'one' },
      ];
      for (const signal of all) {
        const heard = hearing(second, signal.kind);
        await expect
          .poll(() => {
            first.signals.publish(signal);
            return heard;
          }, recovery)
          .toContainEqual(signal);
      }
    });

    it('lets a process hear its own signals once', async () => {
      const { first, second } = harness;
      hearing(second, 'submission-received');
      await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(true);
      const own = hearing(first, 'submission-received');
      for (let i = 0; i < 20; i += 1) first.signals.publish(submission(`submission ${i}`));
      await expectCarried(first, second);
      await expectCarried(second, first);
      expect(own).toEqual(Array.from({ length: 20 }, (_, i) => submission(`submission ${i}`)));
    });

    it('knows of a listener in another process, and of its end', async () => {
      const { first, second } = harness;
      expect(first.signals.isHeard('submission-received')).toBe(false);
      const end = second.signals.subscribe('submission-received', () => {});
      await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(true);
      expect(first.signals.isHeard('delivery-changed')).toBe(false);
      end();
      await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(false);
      second.signals.subscribe('submission-received', () => {});
      await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(true);
      await second.signals.close();
      await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(false);
    });

    it('takes a process for a listener while it says so, and for gone when it falls silent', async () => {
      const { first, second, dispose } = await make(400);
      try {
        second.signals.subscribe('submission-received', () => {});
        await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(true);
        // Longer than one word of it counts.
        const later = performance.now() + 2_000;
        await expect
          .poll(() => performance.now() > later && first.signals.isHeard('submission-received'), recovery)
          .toBe(true);
        // As if it were killed: without a farewell.
        await second.transport.close();
        await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(false);
      } finally {
        await dispose();
      }
    });

    it('brings a thousand submissions at once into few messages, and goes on', async () => {
      const { first, second } = harness;
      const heard = hearing(second, 'submission-received');
      const intake = hearing(second, 'intake-changed');
      await expect.poll(() => first.signals.isHeard('submission-received'), recovery).toBe(true);
      await expect.poll(() => first.signals.isHeard('intake-changed'), recovery).toBe(true);
      const before = intake.length;
      for (let i = 0; i < 1_000; i += 1) first.signals.publish(submission(`submission ${i}`));
      first.signals.publish({ kind: 'intake-changed' });
      await expect.poll(() => intake.length, recovery).toBeGreaterThan(before);
      expect(heard.length).toBeGreaterThan(0);
      await expectCarried(first, second);
    });
  });
}
