/** Second factors as rows. The secret of an authenticator is sealed; recovery codes are hashed. */
import type { Authenticator, Passkey } from '../../../model/sign-in.js';
import type { FactorStore } from '../../../ports/sign-in.js';
import { atomically, changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import type { Schema } from '../schema.js';

const passkeys = mapped<Passkey>()('id loginId name publicKey counter createdAt lastUsedAt');

const toRow = (
  { loginId, secret, isConfirmed, lastStep, createdAt }: Authenticator,
  { sealer }: SqlContext,
): Schema['authenticators'] => ({
  login_id: loginId,
  secret: sealer.seal(secret),
  is_confirmed: isConfirmed ? 1 : 0,
  last_step: lastStep,
  created_at: createdAt,
});

const toNoun = (row: Schema['authenticators'], { sealer }: SqlContext): Authenticator => ({
  loginId: row.login_id,
  secret: sealer.open(row.secret),
  isConfirmed: row.is_confirmed === 1,
  lastStep: row.last_step,
  createdAt: row.created_at,
});

export const factorStore = (context: SqlContext): FactorStore => {
  const { read, write } = context;
  return {
    async findAuthenticator(loginId) {
      const row = await read
        .selectFrom('authenticators')
        .selectAll()
        .where('login_id', '=', loginId)
        .executeTakeFirst();
      return row ? toNoun(row, context) : null;
    },
    async putAuthenticator(authenticator) {
      const { login_id, ...changed } = toRow(authenticator, context);
      await write
        .insertInto('authenticators')
        .values({ login_id, ...changed })
        .onConflict((conflict) => conflict.column('login_id').doUpdateSet(changed))
        .execute();
    },
    spendStep: ({ loginId, createdAt }, step) =>
      changesAny(
        write
          .updateTable('authenticators')
          .set({ last_step: step, is_confirmed: 1 })
          .where('login_id', '=', loginId)
          .where('created_at', '=', createdAt)
          .where('last_step', '<', step),
      ),
    deleteAuthenticator: (loginId) =>
      changesAny(write.deleteFrom('authenticators').where('login_id', '=', loginId)),
    async listPasskeys(loginId) {
      const rows = await read
        .selectFrom('passkeys')
        .selectAll()
        .where('login_id', '=', loginId)
        .orderBy('created_at')
        .execute();
      return rows.map(passkeys.toNoun);
    },
    async findPasskey(id) {
      const row = await read.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? passkeys.toNoun(row) : null;
    },
    async addPasskey(passkey) {
      await write.insertInto('passkeys').values(passkeys.toRow(passkey)).execute();
    },
    renamePasskey: (loginId, id, name) =>
      changesAny(
        write.updateTable('passkeys').set({ name }).where('login_id', '=', loginId).where('id', '=', id),
      ),
    deletePasskey: (loginId, id) =>
      changesAny(write.deleteFrom('passkeys').where('login_id', '=', loginId).where('id', '=', id)),
    usedPasskey: (id, counter, at) =>
      changesAny(
        write
          .updateTable('passkeys')
          .set({ counter, last_used_at: at })
          .where('id', '=', id)
          .where((is) => is.or([is('counter', '<', counter), is('counter', '=', 0)])),
      ),
    deleteAll: (loginId) =>
      atomically(context, async (db) => {
        await db.deleteFrom('recovery_codes').where('login_id', '=', loginId).execute();
        const apps = await db.deleteFrom('authenticators').where('login_id', '=', loginId).executeTakeFirst();
        const keys = await db.deleteFrom('passkeys').where('login_id', '=', loginId).executeTakeFirst();
        return apps.numDeletedRows + keys.numDeletedRows > 0n;
      }),
    async countRecoveryCodes(loginId) {
      const row = await read
        .selectFrom('recovery_codes')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('login_id', '=', loginId)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async putRecoveryCodes(loginId, codeHashes) {
      await write.deleteFrom('recovery_codes').where('login_id', '=', loginId).execute();
      if (codeHashes.length === 0) return;
      const rows = codeHashes.map((code_hash) => ({ login_id: loginId, code_hash }));
      await write.insertInto('recovery_codes').values(rows).execute();
    },
    spendRecoveryCode: (loginId, codeHash) =>
      changesAny(
        write.deleteFrom('recovery_codes').where('login_id', '=', loginId).where('code_hash', '=', codeHash),
      ),
  };
};
