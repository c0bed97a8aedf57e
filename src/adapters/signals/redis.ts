/** Signals through Redis: published on one connection, received on another. */
import { randomUUID } from 'node:crypto';
import { connectRedis } from '../redis/connect.js';
import { type SignalTransport, type TransportNews, transportOver } from './transport.js';

export interface RedisTransportOptions extends TransportNews {
  readonly url: string;
}

export function redisTransport({ url, ...news }: RedisTransportOptions): SignalTransport {
  // Unlike keys, channels are not separated by the database number in the URL.
  const channel = `inlet:signals:${databaseOf(url)}`;
  const beatChannel = `inlet:beat:${randomUUID()}`;
  return transportOver({
    ...news,
    maxMessageBytes: 64 * 1024,
    openTimeoutMs: 3_000,
    channel,
    beatChannel,
    async open(attempt, heard) {
      const [publisher, subscriber] = await Promise.all([
        connectRedis(url, attempt),
        connectRedis(url, attempt),
      ]);
      subscriber.on('message', heard);
      await subscriber.subscribe(channel, beatChannel);
      return { publish: (to, text) => publisher.publish(to, text) };
    },
  });
}

const databaseOf = (url: string): string => /^\/(\d+)$/.exec(new URL(url).pathname)?.[1] ?? '0';
