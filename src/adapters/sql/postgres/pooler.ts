/**
 * A pooler such as PgBouncer may lend a server connection for one transaction only. Whatever belongs to a session then
 * reaches somebody else: settings, prepared statements, LISTEN, locks of the session. Behind any pooler we use none of
 * them: its mode cannot be asked for, and guessing wrong would fail one request in fifty.
 */
import type { ClientBase } from 'pg';
import type { BatchStatement } from '../engine.js';

/** As the connection was greeted with it; the types of the library lack it. */
export const greetedPid = (client: ClientBase): number | null =>
  (client as unknown as { processID: number | null }).processID;

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
