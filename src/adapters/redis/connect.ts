/**
 * One connection to Redis that never reconnects by itself and queues nothing: the caller decides what happens
 * without it (`kernel/kept-connection.ts`).
 */
import { Redis } from 'ioredis';
import type { Attempt } from '../../kernel/kept-connection.js';

export async function connectRedis(url: string, { signal, lose }: Attempt): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    // The caller tests the connection with the commands that it needs.
    enableReadyCheck: false,
    disableClientInfo: true,
    // Supported by every Redis and Valkey. Nothing here needs more.
    protocol: 2,
    keepAlive: 10_000,
    connectionName: 'inlet',
  });
  // 'error' has the reason. 'close' also comes without one.
  redis.on('error', lose);
  redis.on('close', () => lose(new Error('the connection was closed')));
  signal.addEventListener('abort', () => redis.disconnect(), { once: true });
  await redis.connect();
  return redis;
}
