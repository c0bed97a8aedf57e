/**
 * The contract of every sender, whatever a receiver or a name server does. Deadlines are short and outcomes are checked by class: only a
 * sender that never finishes is too slow for these tests.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Outbound } from '../../src/ports/outbound.js';
import * as zoo from '../support/receivers.js';
import { guardSuite } from './outbound-guard.js';
import { hook, type OutboundParts, outboundHarness } from './outbound-harness.js';
import { receiverSuite } from './outbound-receivers.js';

export function outboundContract(name: string, make: (parts: OutboundParts) => Outbound): void {
  describe(`outbound: ${name}`, () => {
    const harness = outboundHarness(make);
    receiverSuite(harness);
    guardSuite(harness);

    describe('closing', () => {
      it('cuts what is under way, and takes nothing more', async () => {
        const hanging = await harness.started(zoo.startHanging());
        harness.names.set('silent.test', 'silence');
        const sends = [hook(hanging.url), hook('http://silent.test/')].map((request) =>
          harness.outbound.send(request).then(
            () => 'answered',
            () => 'cut',
          ),
        );
        await harness.outbound.close();
        expect(await Promise.all(sends)).toEqual(['cut', 'cut']);
        await expect(harness.outbound.send(hook(hanging.url))).rejects.toThrow();
        await harness.outbound.close();
      });
    });

    const strays: unknown[] = [];
    const onStray = (error: unknown): void => void strays.push(error);
    beforeAll(() => {
      process.on('unhandledRejection', onStray);
      process.on('uncaughtException', onStray);
    });
    afterAll(() => {
      process.off('unhandledRejection', onStray);
      process.off('uncaughtException', onStray);
      expect(strays).toEqual([]);
    });
  });
}
