import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { LiveEvent } from '../../domain/events/feed.js';
import { createEventStreams, type StreamCaller } from './events.js';

const event: LiveEvent = {
  kind: 'submission.created',
  submissionId: 's'.repeat(36),
  formId: 'f'.repeat(36),
  projectId: 'p'.repeat(36),
  createdAt: 0,
};

const caller = (id: string, some: Partial<StreamCaller> = {}): StreamCaller => ({
  id,
  accountId: 'account',
  prove: async () => {},
  ...some,
});

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A stream over real sockets whose client reads nothing. */
async function openUnread(prove: StreamCaller['prove'] = async () => {}) {
  const streams = createEventStreams({ heartbeatMs: 5 });
  let ended = 0;
  const answering = new Promise<{ response: ServerResponse; send: (event: LiveEvent) => void }>((resolve) => {
    server = createServer((_request, response) => {
      streams.take(caller('caller', { prove }))(response, (send) => {
        resolve({ response, send });
        return () => {
          ended += 1;
        };
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const reading = new Promise<IncomingMessage>((resolve) => {
    get({ host: '127.0.0.1', port }, (response) => {
      response.on('error', () => {});
      response.pause();
      resolve(response);
    }).on('error', () => {});
  });
  return { streams, ended: () => ended, ...(await answering), reader: await reading };
}

describe('event streams', () => {
  it('cut off who does not read, before much is held for them', async () => {
    const { streams, ended, response, send } = await openUnread();
    const closed = new Promise((resolve) => response.once('close', resolve));
    let most = 0;
    while (!response.destroyed) {
      for (let n = 0; n < 100 && !response.destroyed; n += 1) {
        send(event);
        most = Math.max(most, response.writableLength);
      }
      // Let the kernel take what it has room for.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    expect(most).toBeLessThan(66 * 1024);
    expect([streams.open, ended()]).toEqual([0, 1]);
  });

  it('end together, and one that comes later ends at once', async () => {
    const { streams, ended, reader } = await openUnread();
    const done = new Promise((resolve) => reader.once('end', resolve));
    expect(streams.open).toBe(1);
    streams.end();
    reader.resume();
    await done;
    const { port } = server.address() as AddressInfo;
    const late = await fetch(`http://127.0.0.1:${port}/`);
    expect(await late.text()).toMatch(/^retry: 3000\n\n/);
    await expect.poll(() => [streams.open, ended()]).toEqual([0, 2]);
  });

  it('give the place of somebody who is gone already to the next', async () => {
    const { streams, response } = await openUnread();
    response.destroy();
    for (let n = 0; n < 20; n += 1) streams.take(caller('gone'))(response, () => () => {});
    expect(() => streams.take(caller('gone'))).not.toThrow();
  });

  it('end when who listens may no longer do so', async () => {
    let mayListen = true;
    const { streams, ended, reader } = await openUnread(async () => {
      if (!mayListen) throw new Error('signed out');
    });
    const done = new Promise((resolve) => reader.once('end', resolve));
    reader.resume();
    mayListen = false;
    await done;
    await expect.poll(() => [streams.open, ended()]).toEqual([0, 1]);
  });

  it('are shared: neither one caller nor one account takes all places', () => {
    const streams = createEventStreams();
    for (let n = 0; n < 10; n += 1) streams.take(caller('one'));
    expect(() => streams.take(caller('one'))).toThrow(expect.objectContaining({ extra: { limit: 10 } }));
    for (let n = 0; n < 30; n += 1) streams.take(caller(`key ${n}`));
    expect(() => streams.take(caller('another key'))).toThrow(
      expect.objectContaining({ extra: { limit: 40 } }),
    );
    expect(() => streams.take(caller('somebody', { accountId: 'other' }))).not.toThrow();
  });
});
