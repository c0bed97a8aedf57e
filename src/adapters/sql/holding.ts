/** What waits to be sent, and how all of it is held back at once. */
import { type Kysely, sql } from 'kysely';
import type { PendingSends } from '../../ports/store.js';
import type { SqlEngine } from './engine.js';
import type { Schema } from './schema.js';

async function count(
  db: Kysely<Schema>,
  table: 'deliveries' | 'mails' | 'replays',
  state: string,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM ${sql.table(table)} WHERE state = ${sql.lit(state)}`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

const pendingIn = async (db: Kysely<Schema>): Promise<PendingSends> => ({
  deliveries: await count(db, 'deliveries', 'pending'),
  mails: await count(db, 'mails', 'pending'),
  replays: await count(db, 'replays', 'running'),
});

export const pendingSends = ({ read }: SqlEngine): Promise<PendingSends> => pendingIn(read);

export const holdSends = ({ transaction }: SqlEngine, reason: string, at: number): Promise<PendingSends> =>
  transaction(async (db) => {
    const held = await pendingIn(db);
    // Told as an attempt, where people look for the reason.
    await sql`INSERT INTO delivery_attempts (delivery_id, number, at, "trigger", duration_ms, error)
      SELECT id, attempt + 1, ${at}, "trigger", 0, ${reason} FROM deliveries WHERE state = 'pending'
      ON CONFLICT DO NOTHING`.execute(db);
    await sql`UPDATE submissions SET webhook_state = 'failed'
      WHERE id IN (SELECT submission_id FROM deliveries WHERE state = 'pending')`.execute(db);
    await sql`UPDATE deliveries SET state = 'failed', next_attempt_at = NULL, attempt = attempt + 1, "trigger" = 'auto',
      queue = 2, lease_token = NULL, lease_owner = NULL, reclaims = 0 WHERE state = 'pending'`.execute(db);
    await sql`UPDATE mails SET state = 'failed', next_attempt_at = NULL, error = ${reason}, lease_token = NULL,
      lease_owner = NULL WHERE state = 'pending'`.execute(db);
    await sql`UPDATE replays SET state = 'cancelled', finished_at = ${at} WHERE state = 'running'`.execute(
      db,
    );
    return held;
  });
