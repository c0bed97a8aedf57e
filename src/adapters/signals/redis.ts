/**
 * Signals through Redis: published on one connection, heard on another. A message of its own goes round once in a
 * while; when it does not come back, both connections are opened again: a connection that is only half there says nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type Attempt, keepConnected } from '../../kernel/kept-connection.js';
import { connectRedis } from '../redis/connect.js';
import { startHeartbeat } from './heartbeat.js';
import type { SignalTransport, TransportListener, TransportNews } from './transport.js';

export interface RedisTransportOptions extends TransportNews {
  readonly url: string;
  readonly prefix?: string;
  readonly beatEveryMs?: number;
  readonly beatTimeoutMs?: number;
}

export function redisTransport(options: RedisTransportOptions): SignalTransport {
  const { url, prefix = 'inlet:', onDown, onUp, beatEveryMs, beatTimeoutMs } = options;
  // Channels, unlike keys, are not kept apart by the database that the address names.
  const channel = `${prefix}signals:${databaseOf(url)}`;
  const beatChannel = `${prefix}beat:${randomUUID()}`;
  let listener: TransportListener | null = null;

  async function open(attempt: Attempt): Promise<Redis> {
    const [publisher, subscriber] = await Promise.all([
      connectRedis(url, attempt),
      connectRedis(url, attempt),
    ]);
    await subscriber.subscribe(channel, beatChannel);
    const heartbeat = startHeartbeat({
      attempt,
      everyMs: beatEveryMs,
      timeoutMs: beatTimeoutMs,
      send: () => publisher.publish(beatChannel, ''),
    });
    subscriber.on('message', (from: string, message: string) => {
      if (from === beatChannel) heartbeat.onBeat();
      else listener?.onMessage(message);
    });
    await heartbeat.first;
    return publisher;
  }

  let kept: ReturnType<typeof keepConnected<Redis>> | null = null;
  return {
    maxMessageBytes: 64 * 1024,

    start(given) {
      listener = given;
      kept = keepConnected<Redis>({
        open,
        onUp(_redis, wasDown) {
          if (wasDown) onUp();
          given.onUp();
        },
        onDown: (error) => onDown(error.message),
      });
    },

    isUp: () => kept?.current != null,

    async send(message) {
      const publisher = kept?.current;
      // A fault ends the connection, which is told there.
      if (publisher) await publisher.publish(channel, message).catch(() => {});
    },

    async close() {
      kept?.close();
    },
  };
}

const databaseOf = (url: string): string => /^\/(\d+)$/.exec(new URL(url).pathname)?.[1] ?? '0';
