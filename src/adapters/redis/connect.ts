/**
 * One connection to Redis that never reconnects by itself and keeps nothing for later: its user decides what
 * happens without it (`kernel/kept-connection.ts`).
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
    // The caller tries it out with what it needs it for.
    enableReadyCheck: false,
    disableClientInfo: true,
    // Understood by every Redis and Valkey; nothing here needs more.
    protocol: 2,
    keepAlive: 10_000,
    connectionName: 'inlet',
  });
  // The first says why; the second comes also when nobody says why.
  redis.on('error', lose);
  redis.on('close', () => lose(new Error('the connection was closed')));
  signal.addEventListener('abort', () => redis.disconnect(), { once: true });
  await redis.connect();
  return redis;
}
