/**
 * A pooler such as PgBouncer may lend a server connection for one transaction only. Whatever belongs to a session then
 * reaches somebody else: settings, prepared statements, LISTEN, locks of the session. Behind any pooler we use none of
 * them: its mode cannot be asked for, and guessing wrong would fail one request in fifty.
 */
import type { ClientBase } from 'pg';
import type { BatchStatement } from '../engine.js';

/**
 * As the connection was greeted with it. The library neither documents nor types the field: without it every connection
 * would count as a pooler's, which is slower and never wrong.
 */
export const greetedPid = (client: ClientBase): number | null =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : null;

/** A pooler greets with a number of its own: the process that answers is another. */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid !== greetedPid(client);
}

/** For the transaction that it stands in; `limits` in milliseconds, by the names of the settings. */
export const settingsOfTransaction = (limits: Readonly<Record<string, number>>): BatchStatement => ({
  sql: `SELECT ${Object.entries(limits)
    .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
    .join(', ')}`,
  rows: [[]],
});
