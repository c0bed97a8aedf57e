/**
 * A pooler such as PgBouncer may assign a server connection for one transaction only. Session state then reaches other
 * clients: settings, prepared statements, LISTEN, session locks. Behind any pooler we use none of these: its mode cannot
 * be queried, and a wrong guess would fail one request in fifty.
 */
import type { ClientBase } from 'pg';
import type { BatchStatement } from '../engine.js';

/**
 * The process id from the server's greeting. The library neither documents nor types the field. Without it, every
 * connection would count as a pooler's, which is slower but never wrong.
 */
export const greetedPid = (client: ClientBase): number | null =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : null;

/** A pooler greets with a process id of its own, which is not that of the process that responds. */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== greetedPid(client);
}

/** Settings for the transaction that contains the statement. `limits` are milliseconds by setting name. */
export const settingsOfTransaction = (limits: Readonly<Record<string, number>>): BatchStatement => ({
  sql: `SELECT ${Object.entries(limits)
    .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
    .join(', ')}`,
  rows: [[]],
});
