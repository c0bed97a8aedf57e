/** Sessions as rows, and the set-up link, which is a row of the instance. */
import type { Kysely } from 'kysely';
import { sha256Hex } from '../../kernel/secrets.js';
import type { Session } from '../../model/account.js';
import type { SessionStore, SetupStore } from '../../ports/accounts.js';
import { toAccount, toUser } from './accounts.js';
import type { SqlContext } from './context.js';
import type { Schema } from './schema.js';

const toSession = (row: Schema['sessions']): Session => ({
  tokenHash: row.token_hash,
  userId: row.user_id,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  expiresAt: row.expires_at,
});

export const sessionStore = ({ read, write }: SqlContext): SessionStore => ({
  async create({ tokenHash, userId, createdAt, lastSeenAt, expiresAt }) {
    await write
      .insertInto('sessions')
      .values({
        token_hash: tokenHash,
        user_id: userId,
        created_at: createdAt,
        last_seen_at: lastSeenAt,
        expires_at: expiresAt,
      })
      .execute();
  },
  async find(tokenHash) {
    const row = await read
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .innerJoin('accounts', 'accounts.id', 'users.account_id')
      .selectAll('sessions')
      .select([
        'users.account_id',
        'users.email',
        'users.password_hash',
        'users.created_at as user_created_at',
      ])
      .select(['accounts.name', 'accounts.plan', 'accounts.created_at as account_created_at'])
      .where('sessions.token_hash', '=', tokenHash)
      .executeTakeFirst();
    if (!row) return null;
    const { user_id, account_id, name, plan } = row;
    return {
      session: toSession(row),
      user: toUser({ ...row, id: user_id, created_at: row.user_created_at }),
      account: toAccount({ id: account_id, name, plan, created_at: row.account_created_at }),
    };
  },
  async touch(tokenHash, lastSeenAt, expiresAt) {
    await write
      .updateTable('sessions')
      .set({ last_seen_at: lastSeenAt, expires_at: expiresAt })
      .where('token_hash', '=', tokenHash)
      .execute();
  },
  async end(tokenHash) {
    await write.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
  },
  async endAllOf(userId) {
    await write.deleteFrom('sessions').where('user_id', '=', userId).execute();
  },
});

const begun = 'begun';
const name = 'setup_token';
/** The token itself, sealed. */
const shared = 'setup_token_shared';

export const setupStore = ({ read, write, sealer }: SqlContext): SetupStore => ({
  async begin() {
    const done = await write
      .insertInto('instance')
      .values({ name: begun, value: 'yes' })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
  },
  async put(tokenHash) {
    await write.deleteFrom('instance').where('name', '=', shared).execute();
    await putHash(write, tokenHash);
  },
  async share(token) {
    await write
      .insertInto('instance')
      .values({ name: shared, value: sealer.seal(token) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await write
      .selectFrom('instance')
      .select('value')
      .where('name', '=', shared)
      .executeTakeFirst();
    // Gone again: somebody has just used it, or there is a user by now.
    const counting = row ? sealer.open(row.value) : token;
    if (row) await putHash(write, sha256Hex(counting));
    return counting;
  },
  async holds(tokenHash) {
    const row = await read
      .selectFrom('instance')
      .select('name')
      .where('name', '=', name)
      .where('value', '=', tokenHash)
      .executeTakeFirst();
    return row !== undefined;
  },
  async take(tokenHash) {
    const done = await write
      .deleteFrom('instance')
      .where('name', '=', name)
      .where('value', '=', tokenHash)
      .executeTakeFirst();
    if (done.numDeletedRows === 0n) return false;
    await write.deleteFrom('instance').where('name', '=', shared).execute();
    return true;
  },
  async clear() {
    await write.deleteFrom('instance').where('name', 'in', [name, shared]).execute();
  },
});

async function putHash(db: Kysely<Schema>, tokenHash: string): Promise<void> {
  await db
    .insertInto('instance')
    .values({ name, value: tokenHash })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: tokenHash }))
    .execute();
}
