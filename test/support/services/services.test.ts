import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { expect, inject, it } from 'vitest';
import { newDatabase } from './postgres.js';
import { newRedisDatabase, startRedis } from './redis.js';

const { databaseUrl, redisUrl } = inject('services');

it('hands out PostgreSQL databases that know nothing of each other', async () => {
  const databases = [await newDatabase(databaseUrl), await newDatabase(databaseUrl)];
  try {
    for (const { url } of databases) {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        await client.query('CREATE TABLE same_name (id INTEGER)');
      } finally {
        await client.end();
      }
    }
  } finally {
    for (const database of databases) await database.drop();
  }
});

it('hands out Redis databases that know nothing of each other', async () => {
  const [first, second] = [await newRedisDatabase(redisUrl), await newRedisDatabase(redisUrl)];
  const clients = [new Redis(first.url), new Redis(second.url)] as const;
  try {
    await clients[0].set('key', 'of the first');
    expect(await clients[1].get('key')).toBeNull();
  } finally {
    for (const client of clients) client.disconnect();
  }
});

it('starts a Redis that can be stopped, comes back empty on its port, and can be frozen', async () => {
  const server = await startRedis();
  const client = new Redis(server.url, { retryStrategy: () => 20, commandTimeout: 300 });
  client.on('error', () => {});
  try {
    const value = randomUUID();
    await client.set('key', value);
    server.pause();
    await expect(client.get('key')).rejects.toThrow('timed out');
    server.resume();
    expect(await client.get('key')).toBe(value);
    await server.stop('kill');
    await server.start();
    await expect.poll(() => client.get('key').catch(() => 'not yet')).toBeNull();
  } finally {
    client.disconnect();
    await server.dispose();
  }
});
