/**
 * Signals through PostgreSQL's LISTEN and NOTIFY, on a dedicated connection: one from a pool would be passed to other
 * users, and one through a pooler may receive nothing.
 *
 * Each notification is a transaction whose commit would normally wait for the disk. A hint does not need that.
 */
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Client } from 'pg';
import { isPooled } from '../sql/postgres/pooler.js';
import { type SignalTransport, type TransportNews, transportOver } from './transport.js';

export interface PostgresTransportOptions extends TransportNews {
  readonly url: string;
}

const channel = 'inlet_signals';

export function postgresTransport({ url, ...news }: PostgresTransportOptions): SignalTransport {
  const beatChannel = `inlet_beat_${randomUUID().replaceAll('-', '')}`;
  return transportOver({
    ...news,
    // PostgreSQL's limit is just under 8,000.
    maxMessageBytes: 7_900,
    openTimeoutMs: 5_000,
    channel,
    beatChannel,
    async open(attempt, heard) {
      const socket = new Socket();
      const client = new Client({
        connectionString: url,
        application_name: 'inlet signals',
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        stream: () => socket,
      });
      client.on('error', attempt.lose);
      client.on('end', () => attempt.lose(new Error('the connection was closed')));
      client.on('notification', ({ channel: from, payload = '' }) => heard(from, payload));
      // Not `client.end()`, which would never reach the other side of a half-open connection.
      attempt.signal.addEventListener('abort', () => socket.destroy(), { once: true });
      await client.connect();
      if (await isPooled(client)) throw new Error('a connection pooler carries no notifications');
      await client.query('SET synchronous_commit = off');
      await client.query(`LISTEN ${channel}`);
      await client.query(`LISTEN ${beatChannel}`);
      return { publish: (to, text) => client.query('SELECT pg_notify($1, $2)', [to, text]) };
    },
  });
}
