import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createUndiciOutbound, type UndiciOutbound } from '../../src/adapters/outbound/undici.js';
import * as zoo from '../support/receivers.js';
import { outboundContract } from './outbound.js';
import { hook, judgesOf, onlyReceivers } from './outbound-harness.js';

outboundContract('undici', (parts) => createUndiciOutbound(parts));

/** The other side notices a close a moment later. */
const soon = (look: () => void): Promise<void> => vi.waitFor(look, { timeout: 45_000, interval: 10 });

/** undici reuses a connection on the next turn of the event loop, once it has seen that it is still open. */
const freed = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};

describe('the connections of the undici sender', () => {
  let open: { close(): Promise<void> }[] = [];
  const sender = (limits = {}): UndiciOutbound => {
    const made = createUndiciOutbound({ ...judgesOf(onlyReceivers), limits });
    open.push(made);
    return made;
  };
  const started = async (starting: Promise<zoo.Receiver>): Promise<zoo.Receiver> => {
    const receiver = await starting;
    open.push(receiver);
    return receiver;
  };
  afterEach(async () => {
    await Promise.all(open.map((one) => one.close()));
    open = [];
  });

  it('are used again, and then cost neither a name nor a connect', async () => {
    const outbound = sender();
    const receiver = await started(zoo.startAnswering());
    const first = await outbound.send(hook(receiver.url));
    expect(first.timings.connectMs).not.toBeNull();
    for (let n = 0; n < 20; n += 1) {
      await freed();
      const { timings, remoteAddress } = await outbound.send(hook(receiver.url));
      expect([timings.dnsMs, timings.connectMs, remoteAddress]).toEqual([null, null, '127.0.0.1']);
    }
    expect(receiver.connections()).toBe(1);
  });

  it('are bounded for an origin; the others wait for their turn', async () => {
    const outbound = sender({ connectionsPerOrigin: 8 });
    const receiver = await started(zoo.startAnswering());
    const results = await Promise.all(Array.from({ length: 200 }, () => outbound.send(hook(receiver.url))));
    expect(results.every(({ status }) => status === 200)).toBe(true);
    expect(receiver.connections()).toBeLessThanOrEqual(8);
  });

  it('do not keep those waiting beyond their time who stand behind a receiver that hangs', async () => {
    const outbound = sender({ connectionsPerOrigin: 1 });
    const receiver = await started(zoo.startHanging());
    const sends = Array.from({ length: 5 }, () => outbound.send(hook(receiver.url, { timeoutMs: 1_500 })));
    for (const { fault } of await Promise.all(sends)) expect(fault).toBe('timeout');
    await soon(() => expect(outbound.held).toEqual({ origins: 0, connections: 0 }));
  });

  it('are bounded over all origins, and an origin without one leaves nothing behind', async () => {
    const outbound = sender({ maxConnections: 3, idleMs: 60_000 });
    const receivers = await Promise.all(Array.from({ length: 10 }, () => started(zoo.startAnswering())));
    for (const { url } of receivers) await outbound.send(hook(url));
    await soon(() => expect(outbound.held).toEqual({ origins: 3, connections: 3 }));
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await soon(() => expect(outbound.held).toEqual({ origins: 0, connections: 0 }));
  });

  it('are closed when nobody uses them', async () => {
    const outbound = sender({ idleMs: 50 });
    const receiver = await started(zoo.startAnswering());
    await outbound.send(hook(receiver.url));
    await soon(() => {
      expect(receiver.openConnections()).toBe(0);
      expect(outbound.held.origins).toBe(0);
    });
  });

  it('are replaced once, unseen, when the receiver had closed a kept one', async () => {
    const outbound = sender();
    // Accepts the second request on a connection and closes it, like a server whose idle timeout expires at that moment.
    const receiver = await started(
      zoo.startReceiver((socket, request) => {
        const isSecond =
          receiver.requests.filter(({ connection }) => connection === request.connection).length > 1;
        if (isSecond) socket.destroy();
        else socket.write(zoo.answerBytes());
      }),
    );
    expect(await outbound.send(hook(receiver.url))).toMatchObject({ status: 200 });
    await freed();
    const again = await outbound.send(hook(receiver.url));
    expect(again).toMatchObject({ status: 200, fault: null });
    expect(again.timings.connectMs).not.toBeNull();
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });

  it('are not replaced for a request that must not be sent twice', async () => {
    const outbound = sender();
    const receiver = await started(
      zoo.startReceiver((socket) => {
        if (receiver.requests.length === 1) socket.write(zoo.answerBytes());
        else socket.destroy();
      }),
    );
    expect(await outbound.send(hook(receiver.url))).toMatchObject({ status: 200 });
    await freed();
    expect(await outbound.send(hook(receiver.url, { isSentOnce: true }))).toMatchObject({ fault: 'reset' });
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it('are not replaced when a part of an answer had come', async () => {
    const outbound = sender();
    const receiver = await started(
      zoo.startReceiver((socket) => {
        if (receiver.requests.length === 1) socket.write(zoo.answerBytes());
        else socket.end('HTTP/1.1 2');
      }),
    );
    await outbound.send(hook(receiver.url));
    await freed();
    expect(await outbound.send(hook(receiver.url))).toMatchObject({ status: null, fault: 'reset' });
    expect(receiver.requests).toHaveLength(2);
  });

  it('that are new are never replaced', async () => {
    const receiver = await started(zoo.startClosing());
    expect(await sender().send(hook(receiver.url))).toMatchObject({ fault: 'reset' });
    expect(receiver.requests).toHaveLength(1);
  });

  it('survive a request that is our own mistake, which is thrown', async () => {
    const outbound = sender();
    const receiver = await started(zoo.startAnswering());
    const bad = hook(receiver.url, { headers: { 'X-Bad': 'a\r\nb' } });
    await expect(outbound.send(bad)).rejects.toThrow('X-Bad');
    expect(await outbound.send(hook(receiver.url))).toMatchObject({ status: 200 });
    expect(receiver.requests).toHaveLength(1);
  });

  it('are all gone after sends that failed, on both sides', async () => {
    const outbound = sender({ idleMs: 50 });
    const receivers = await Promise.all(
      [
        zoo.startHanging(),
        zoo.startDrippingHead(),
        zoo.startEndlessBody(),
        zoo.startHeaderFlood(),
        zoo.startSaying('nonsense'),
        zoo.startTlsGarbage(),
        zoo
          .startHanging()
          .then((receiver) => ({ ...receiver, url: receiver.url.replace('http:', 'https:') })),
      ].map(started),
    );
    await Promise.all(receivers.map(({ url }) => outbound.send(hook(url, { timeoutMs: 200 }))));
    await soon(() => {
      expect(receivers.map((receiver) => receiver.openConnections())).toEqual(receivers.map(() => 0));
      expect(outbound.held).toEqual({ origins: 0, connections: 0 });
    });
  });

  it('wait for a slow body only so long once the status is here', async () => {
    const outbound = sender({ afterHeadMs: 50 });
    const receiver = await started(zoo.startDrippingBody());
    expect(await outbound.send(hook(receiver.url))).toMatchObject({ status: 200, fault: null });
    await soon(() => expect(receiver.openConnections()).toBe(0));
  });
});
