/**
 * Signals through PostgreSQL's LISTEN and NOTIFY, on one connection of its own: one from a pool would be handed to
 * others, and one through a pooler may hear nothing.
 *
 * A notification is a transaction of its own, and like every other its commit would wait for the disk; a hint need not.
 */
import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Client } from 'pg';
import { type Attempt, keepConnected } from '../../kernel/kept-connection.js';
import { isPooled } from '../sql/postgres-pooler.js';
import { startHeartbeat } from './heartbeat.js';
import type { SignalTransport, TransportListener, TransportNews } from './transport.js';

export interface PostgresTransportOptions extends TransportNews {
  readonly url: string;
  readonly beatEveryMs?: number;
  readonly beatTimeoutMs?: number;
}

const channel = 'inlet_signals';

export function postgresTransport(options: PostgresTransportOptions): SignalTransport {
  const { url, onDown, onUp, beatEveryMs, beatTimeoutMs } = options;
  const beatChannel = `inlet_beat_${randomUUID().replaceAll('-', '')}`;
  let listener: TransportListener | null = null;

  async function open(attempt: Attempt): Promise<Client> {
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
    // Not by a farewell: one that is half open would never hear it.
    attempt.signal.addEventListener('abort', () => socket.destroy(), { once: true });
    await client.connect();
    if (await isPooled(client)) throw new Error('a connection pooler carries no notifications');
    await client.query('SET synchronous_commit = off');
    await client.query(`LISTEN ${channel}`);
    await client.query(`LISTEN ${beatChannel}`);
    const heartbeat = startHeartbeat({
      attempt,
      everyMs: beatEveryMs,
      timeoutMs: beatTimeoutMs,
      send: () => client.query('SELECT pg_notify($1, $2)', [beatChannel, '']),
    });
    client.on('notification', ({ channel: from, payload }) => {
      if (from === beatChannel) heartbeat.onBeat();
      else if (payload) listener?.onMessage(payload);
    });
    await heartbeat.first;
    return client;
  }

  let kept: ReturnType<typeof keepConnected<Client>> | null = null;
  return {
    // PostgreSQL takes less than 8,000.
    maxMessageBytes: 7_900,

    start(given) {
      listener = given;
      kept = keepConnected<Client>({
        open,
        openTimeoutMs: 5_000,
        onUp(_client, wasDown) {
          if (wasDown) onUp();
          given.onUp();
        },
        onDown: (error) => onDown(error.message),
      });
    },

    isUp: () => kept?.current != null,

    async send(message) {
      const client = kept?.current;
      // A fault of the connection is told there; of anything else a signal is lost.
      if (client) await client.query('SELECT pg_notify($1, $2)', [channel, message]).catch(() => {});
    },

    async close() {
      kept?.close();
    },
  };
}
