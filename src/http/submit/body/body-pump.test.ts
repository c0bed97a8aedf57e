import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRequest, refusalOf, requestOf, tooManyBytes } from '../../../../test/support/bodies.js';
import { BodyPump, type BodyReceiver, type BodySource, defaultPace } from './body-pump.js';

/** Records the calls in order. */
class Ear implements BodyReceiver {
  readonly heard: unknown[] = [];
  chunk(bytes: Buffer): void {
    this.heard.push(bytes.toString());
  }
  end(): void {
    this.heard.push('end');
  }
  fail(reason: unknown): void {
    this.heard.push(reason);
  }
}

const listeners = (source: BodySource) =>
  ['data', 'end', 'error', 'close'].map((event) => source.listenerCount(event));

function pumpFrom(source: BodySource, receiver: BodyReceiver, maxBytes = 100): BodyPump {
  const pump = new BodyPump(source, maxBytes, defaultPace, receiver);
  pump.start();
  return pump;
}

const tooSlow = { kind: 'request_timeout', text: 'The request body came too slowly', extra: {} };

describe('BodyPump', () => {
  it('hands over the chunks and the end, and leaves nothing behind', async () => {
    const source = requestOf('ab', 'c');
    const before = listeners(source);
    const ear = new Ear();
    pumpFrom(source, ear);
    await expect.poll(() => ear.heard).toEqual(['ab', 'c', 'end']);
    expect(listeners(source)).toEqual(before);
  });

  it('takes exactly the limit', async () => {
    const ear = new Ear();
    pumpFrom(requestOf('abc', 'de'), ear, 5);
    await expect.poll(() => ear.heard).toEqual(['abc', 'de', 'end']);
  });

  it('refuses one byte more, and stops drawing', async () => {
    const source = requestOf('abc', 'def', 'ghi');
    const before = listeners(source);
    const ear = new Ear();
    pumpFrom(source, ear, 5);
    await expect.poll(() => ear.heard).toHaveLength(2);
    expect(refusalOf(ear.heard[1])).toEqual(tooManyBytes('body', 5));
    expect(source.isPaused()).toBe(true);
    expect(listeners(source)).toEqual(before);
    await nextTurn();
    expect(ear.heard).toHaveLength(2);
  });

  it.each([
    ['an error', (source: BodySource) => source.destroy(new Error('ECONNRESET'))],
    ['a close before the end', (source: BodySource) => source.destroy()],
  ])('calls %s an abort, once', async (_what, leave) => {
    const source = openRequest();
    source.on('error', () => {});
    const ear = new Ear();
    pumpFrom(source, ear);
    source.push('ab');
    await nextTurn();
    leave(source);
    await nextTurn();
    expect(ear.heard).toEqual(['ab', 'aborted']);
  });

  it('calls a request that is gone already an abort', () => {
    const source = openRequest();
    source.destroy();
    const ear = new Ear();
    pumpFrom(source, ear);
    expect(ear.heard).toEqual(['aborted']);
  });

  it.each(['chunk', 'end'] as const)('hands what the receiver throws in `%s` to `fail`', async (step) => {
    const ear = new Ear();
    const fault = new Error('surprise');
    ear[step] = () => {
      throw fault;
    };
    pumpFrom(requestOf('ab'), ear);
    await expect.poll(() => ear.heard.at(-1)).toBe(fault);
  });

  it('says nothing after a stop', async () => {
    const source = requestOf('ab', 'cd');
    const ear = new Ear();
    const pump = pumpFrom(source, ear);
    ear.chunk = (bytes) => {
      ear.heard.push(bytes.toString());
      pump.stop();
    };
    await expect.poll(() => ear.heard).toEqual(['ab']);
    pump.hold();
    pump.release();
    await nextTurn();
    expect(ear.heard).toEqual(['ab']);
    expect(source.isPaused()).toBe(true);
  });

  it('draws nothing while it is held', async () => {
    const source = requestOf('ab', 'cd');
    const ear = new Ear();
    const pump = pumpFrom(source, ear);
    pump.hold();
    await nextTurn();
    expect(ear.heard).toEqual([]);
    pump.release();
    await expect.poll(() => ear.heard).toEqual(['ab', 'cd', 'end']);
  });
});

describe('BodyPump against slow bodies', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function give(source: BodySource, bytes: number): Promise<void> {
    source.push(Buffer.alloc(bytes));
    await nextTurn();
  }

  const lastRefusal = (ear: Ear) => refusalOf(ear.heard.at(-1));

  it('refuses after 20 s without a byte, not earlier, and counts anew with each byte', async () => {
    const source = openRequest();
    const ear = new Ear();
    pumpFrom(source, ear, 1e6);
    vi.advanceTimersByTime(19_999);
    await give(source, 1);
    vi.advanceTimersByTime(19_999);
    expect(ear.heard).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(lastRefusal(ear)).toEqual(tooSlow);
    expect(source.isPaused()).toBe(true);
  });

  it('refuses a drip that beats the idle timer once 30 s have passed', async () => {
    const source = openRequest();
    const ear = new Ear();
    pumpFrom(source, ear, 1e6);
    for (let second = 10; second <= 30; second += 10) {
      vi.advanceTimersByTime(10_000);
      await give(source, 10);
    }
    expect(ear.heard).toHaveLength(3);
    vi.advanceTimersByTime(1000);
    await give(source, 10);
    expect(lastRefusal(ear)).toEqual(tooSlow);
  });

  it('is patient with a body that keeps 1 KiB a second', async () => {
    const source = openRequest();
    const ear = new Ear();
    pumpFrom(source, ear, 1e6);
    for (let i = 0; i < 20; i += 1) {
      vi.advanceTimersByTime(10_000);
      await give(source, 10 * 1024);
    }
    expect(ear.heard).toHaveLength(20);
  });

  it('does not count the time in which it held the client back', async () => {
    const source = openRequest();
    const ear = new Ear();
    const pump = pumpFrom(source, ear, 1e6);
    pump.hold();
    vi.advanceTimersByTime(3_600_000);
    pump.release();
    await give(source, 1);
    vi.advanceTimersByTime(19_000);
    await give(source, 1);
    expect(ear.heard).toHaveLength(2);
  });

  it('counts the time before and after a hold together', async () => {
    const source = openRequest();
    const ear = new Ear();
    const pump = pumpFrom(source, ear, 1e6);
    for (let second = 10; second <= 40; second += 10) {
      vi.advanceTimersByTime(10_000);
      await give(source, 10);
      pump.hold();
      pump.release();
    }
    expect(lastRefusal(ear)).toEqual(tooSlow);
  });

  it('tells what came and how long the client took, without the time in which it was held back', async () => {
    const source = openRequest();
    const pump = pumpFrom(source, new Ear(), 1e6);
    await give(source, 10);
    vi.advanceTimersByTime(2_000);
    pump.hold();
    vi.advanceTimersByTime(60_000);
    expect(pump.progress()).toEqual({ bytes: 10, clientMs: 2_000 });
    pump.release();
    vi.advanceTimersByTime(1_000);
    expect(pump.progress()).toEqual({ bytes: 10, clientMs: 3_000 });
    pump.stop();
    expect(pump.progress()).toBeNull();
  });

  it('goes by the pace that was set last', async () => {
    const source = openRequest();
    const ear = new Ear();
    const pump = new BodyPump(source, 1e6, { ...defaultPace, maxMs: 5_000 }, ear);
    pump.start();
    pump.changePace(defaultPace);
    vi.advanceTimersByTime(10_000);
    await give(source, 1);
    pump.changePace({ ...defaultPace, maxMs: 15_000 });
    vi.advanceTimersByTime(10_000);
    await give(source, 1);
    expect(ear.heard).toHaveLength(2);
    expect(lastRefusal(ear)).toEqual(tooSlow);
  });

  it('waits 20 s anew when it lets go of the client', () => {
    const ear = new Ear();
    const pump = pumpFrom(openRequest(), ear);
    pump.hold();
    vi.advanceTimersByTime(3_600_000);
    pump.release();
    vi.advanceTimersByTime(19_999);
    expect(ear.heard).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(lastRefusal(ear)).toEqual(tooSlow);
  });

  it('keeps no timer after the end', async () => {
    const ear = new Ear();
    pumpFrom(requestOf('ab'), ear);
    expect(vi.getTimerCount()).toBe(1);
    await expect.poll(() => ear.heard).toEqual(['ab', 'end']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sets no timer for a body that is here already', () => {
    pumpFrom(Object.assign(requestOf('ab'), { complete: true }), new Ear());
    expect(vi.getTimerCount()).toBe(0);
  });
});
