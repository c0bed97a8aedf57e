/**
 * What signals promise between two processes, whatever the transport. `test/contracts/signals.ts` runs twice: within one process, and
 * published in one and received in the other.
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
  /** What was reported to operators. */
  readonly told: readonly string[];
}

export const recovery = { interval: 20 };

export function startSide(makeTransport: (news: TransportNews) => SignalTransport): Side {
  const told: string[] = [];
  const transport = makeTransport({
    onDown: (reason) => told.push(`down: ${reason}`),
    onUp: () => told.push('up'),
  });
  return { signals: sharedSignals({ local: memorySignals(), transport }), transport, told };
}

export const isUp = (side: Side) => expect.poll(() => side.transport.isUp(), recovery).toBe(true);

/** Collects every signal of a kind that a side receives. */
export function hearing<K extends Signal['kind']>(side: Side, kind: K): Extract<Signal, { kind: K }>[] {
  const heard: Extract<Signal, { kind: K }>[] = [];
  side.signals.subscribe(kind, (signal) => heard.push(signal));
  return heard;
}

/** Publishes on one side until the other receives it: a signal may be lost. */
export async function expectCarried(from: Side, to: Side): Promise<void> {
  const mark = `https://mark-${Math.random()}.example`;
  const heard = hearing(to, 'deliveries-ready');
  await expect
    .poll(() => {
      from.signals.publish({ kind: 'deliveries-ready', lanes: [mark] });
      return heard.some(({ lanes }) => lanes.includes(mark));
    }, recovery)
    .toBe(true);
}

export interface BetweenHarness {
  readonly first: Side;
  readonly second: Side;
  dispose(): Promise<void>;
}

export function signalsBetweenContract(name: string, start: () => Promise<BetweenHarness>): void {
  /** Both are connected, and the signals caused by connecting have been received. */
  const make = async (): Promise<BetweenHarness> => {
    const harness = await start();
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
        isHeard: first.signals.isHeard,
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
        { kind: 'deliveries-ready', lanes: ['https://a.example/?q=\'"\\é😀'] },
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
      const own = hearing(first, 'submission-received');
      for (let i = 0; i < 20; i += 1) first.signals.publish(submission(`submission ${i}`));
      await expectCarried(first, second);
      await expectCarried(second, first);
      expect(own).toEqual(Array.from({ length: 20 }, (_, i) => submission(`submission ${i}`)));
    });

    it('brings a thousand submissions at once into few messages, and goes on', async () => {
      const { first, second } = harness;
      const heard = hearing(second, 'submission-received');
      const intake = hearing(second, 'intake-changed');
      const before = intake.length;
      for (let i = 0; i < 1_000; i += 1) first.signals.publish(submission(`submission ${i}`));
      first.signals.publish({ kind: 'intake-changed' });
      await expect.poll(() => intake.length, recovery).toBeGreaterThan(before);
      expect(heard.length).toBeGreaterThan(0);
      await expectCarried(first, second);
    });
  });
}
