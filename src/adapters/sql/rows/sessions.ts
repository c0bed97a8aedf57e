/** Sessions as rows, and the set-up link, which is a row of the instance. */
import { sha256Hex } from '../../../kernel/secrets.js';
import type { Session } from '../../../model/account.js';
import type { SessionStore, SetupStore } from '../../../ports/accounts.js';
import type { SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import { accountIn, besideAccount, users } from './accounts.js';
import { addValue, findValue, putValue, removeValues, setupName } from './instance.js';

const sessions = mapped<Session>()(
  'tokenHash userId providerId createdAt lastSeenAt expiresAt address userAgent',
);

export const sessionStore = ({ read, write }: SqlContext): SessionStore => ({
  async create(session) {
    await write.insertInto('sessions').values(sessions.toRow(session)).execute();
  },
  async find(tokenHash) {
    const row = await read
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .innerJoin('accounts', 'accounts.id', 'users.account_id')
      .selectAll('sessions')
      .select(['users.account_id', 'users.login_id', 'users.email', 'users.role', 'users.projects'])
      .select('users.created_at as user_created_at')
      .select(besideAccount)
      .where('sessions.token_hash', '=', tokenHash)
      .executeTakeFirst();
    if (!row) return null;
    return {
      session: sessions.toNoun(row),
      user: users.toNoun({ ...row, id: row.user_id, created_at: row.user_created_at }),
      account: accountIn(row),
    };
  },
  async listOf(loginId) {
    const rows = await read
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .selectAll('sessions')
      .where('users.login_id', '=', loginId)
      .orderBy('sessions.last_seen_at', 'desc')
      .execute();
    return rows.map(sessions.toNoun);
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
  async endAllOf(loginId) {
    const itsUsers = write.selectFrom('users').select('id').where('login_id', '=', loginId);
    await write.deleteFrom('sessions').where('user_id', 'in', itsUsers).execute();
  },
});

const begun = 'begun';
/** The token itself, sealed. */
const shared = 'setup_token_shared';

export const setupStore = ({ read, write, sealer }: SqlContext): SetupStore => ({
  begin: () => addValue(write, begun, 'yes'),
  async put(tokenHash) {
    await removeValues(write, shared);
    await putValue(write, setupName, tokenHash);
  },
  async share(token) {
    await addValue(write, shared, sealer.seal(token));
    const sealed = await findValue(write, shared);
    // Removed again: another request has just used it, or there is a user by now.
    if (sealed === null) return token;
    const counting = sealer.open(sealed);
    await putValue(write, setupName, sha256Hex(counting));
    return counting;
  },
  holds: async (tokenHash) => (await findValue(read, setupName)) === tokenHash,
  async take(tokenHash) {
    const done = await write
      .deleteFrom('instance')
      .where('name', '=', setupName)
      .where('value', '=', tokenHash)
      .executeTakeFirst();
    if (done.numDeletedRows === 0n) return false;
    await removeValues(write, shared);
    return true;
  },
  clear: () => removeValues(write, setupName, shared),
});
