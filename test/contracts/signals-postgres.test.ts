import { Client } from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { postgresTransport } from '../../src/adapters/signals/postgres.js';
import { newDatabase, startPostgres } from '../support/services/postgres.js';
import { startTcpProxy } from '../support/tcp-proxy.js';
import {
  expectCarried,
  hearing,
  isUp,
  recovery,
  type Side,
  signalsBetweenContract,
  startSide,
} from './signals-between.js';

const through = (url: string): Side => startSide((news) => postgresTransport({ url, ...news }));

signalsBetweenContract('PostgreSQL', async () => {
  // One database would do for all tests, but each test must know who listens.
  const database = await newDatabase(inject('services').databaseUrl);
  const [first, second] = [through(database.url), through(database.url)];
  return {
    first,
    second,
    async dispose() {
      await first.signals.close();
      await second.signals.close();
      await database.drop();
    },
  };
});

const carriesBothWays = async (first: Side, second: Side): Promise<void> => {
  await expectCarried(first, second);
  await expectCarried(second, first);
};

const throughPort = (serverUrl: string, port: number): string => {
  const url = new URL(serverUrl);
  url.port = String(port);
  return url.href;
};

describe('signals through a PostgreSQL that fails', () => {
  it('starts without it, is joined when it comes, and again after a crash', async () => {
    const server = await startPostgres();
    await server.stop();
    const [first, second] = [through(server.url), through(server.url)];
    try {
      const heard = hearing(first, 'files-changed');
      first.signals.publish({ kind: 'files-changed' });
      await expect.poll(() => heard.length, recovery).toBe(1);
      await expect.poll(() => first.told, recovery).toEqual([expect.stringContaining('ECONNREFUSED')]);
      await server.start();
      await Promise.all([isUp(first), isUp(second)]);
      await carriesBothWays(first, second);
      expect(first.told.slice(1)).toEqual(['up']);

      await server.stop('immediate');
      await expect.poll(() => first.transport.isUp(), recovery).toBe(false);
      const kinds = ['intake-changed', 'deliveries-ready', 'files-changed'] as const;
      const afterwards = kinds.map((kind) => hearing(first, kind));
      await server.start();
      for (const list of afterwards) await expect.poll(() => list.length, recovery).toBeGreaterThan(0);
      expect(afterwards[1]?.[0]).toEqual({ kind: 'deliveries-ready', lanes: [] });
      await Promise.all([isUp(first), isUp(second)]);
      await carriesBothWays(first, second);
      expect(first.told.slice(2)).toEqual([expect.stringMatching(/^down: /), 'up']);
    } finally {
      await first.signals.close();
      await second.signals.close();
      await server.dispose();
    }
  });

  it('notices within ten seconds that a connection is only half there, and opens another', async () => {
    const { databaseUrl } = inject('services');
    const database = await newDatabase(databaseUrl);
    const proxy = await startTcpProxy({
      host: new URL(databaseUrl).hostname,
      port: Number(new URL(databaseUrl).port || 5432),
    });
    const [first, second] = [through(throughPort(database.url, proxy.port)), through(database.url)];
    try {
      await Promise.all([isUp(first), isUp(second)]);
      await carriesBothWays(first, second);
      proxy.halfOpen();
      await expect
        .poll(() => first.told, recovery)
        .toEqual([expect.stringContaining('no message came back')]);
      await isUp(first);
      await carriesBothWays(first, second);
      expect(second.told).toEqual([]);

      proxy.pause();
      await expect.poll(() => first.transport.isUp(), recovery).toBe(false);
      proxy.resume();
      await isUp(first);
      proxy.cut();
      await expect.poll(() => first.told.length, recovery).toBe(5);
      await isUp(first);
      await carriesBothWays(first, second);
    } finally {
      await first.signals.close();
      await second.signals.close();
      await proxy.dispose();
      await database.drop();
    }
  });

  it('takes one connection, named where operators look', async () => {
    const database = await newDatabase(inject('services').databaseUrl);
    const side = through(database.url);
    const admin = new Client({ connectionString: database.url });
    try {
      await isUp(side);
      await admin.connect();
      const { rows } = await admin.query(
        `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      expect(rows).toEqual([{ application_name: 'inlet signals' }]);
    } finally {
      await admin.end();
      await side.signals.close();
      await database.drop();
    }
  });

  it('tells no password', async () => {
    const url = new URL(inject('services').databaseUrl);
    url.password = 'a-secret-password';
    url.pathname = '/no_such_database';
    const side = through(url.href);
    try {
      await expect.poll(() => side.told.length, recovery).toBe(1);
      expect(side.told[0]).toContain('no_such_database');
      expect(side.told[0]).not.toContain('a-secret-password');
    } finally {
      await side.signals.close();
    }
  });
});
