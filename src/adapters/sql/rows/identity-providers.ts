/** Identity providers and the users they vouch for, as rows. */
import type { Sealer } from '../../../kernel/secrets.js';
import type { IdentityProvider, IdentityProviderSettings } from '../../../model/identity-provider.js';
import type { IdentityProviderStore } from '../../../ports/identity-providers.js';
import { changesAny, type SqlContext } from '../context.js';
import type { IdentityProviderRow } from '../schema.js';

const maxOffered = 20;

const settingsColumns = (provider: IdentityProvider, sealer: Sealer) => {
  const { id, accountId, createdAt, updatedAt, ...settings } = provider;
  return {
    config: sealer.seal(JSON.stringify(settings)),
    domains: JSON.stringify(provider.domains),
    is_listed: provider.isListed ? (1 as const) : (0 as const),
    updated_at: updatedAt,
  };
};

const toProvider = (row: IdentityProviderRow, sealer: Sealer): IdentityProvider => {
  const settings: IdentityProviderSettings = JSON.parse(sealer.open(row.config));
  return {
    ...settings,
    id: row.id,
    accountId: row.account_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
};

export const identityProviderStore = ({ read, write, sealer }: SqlContext): IdentityProviderStore => {
  const selected = () => read.selectFrom('identity_providers').selectAll().orderBy('id');
  return {
    async create(provider) {
      const { id, accountId, createdAt } = provider;
      await write
        .insertInto('identity_providers')
        .values({ id, account_id: accountId, created_at: createdAt, ...settingsColumns(provider, sealer) })
        .execute();
    },
    async list(accountId) {
      const rows = await selected().where('account_id', '=', accountId).execute();
      return rows.map((row) => toProvider(row, sealer));
    },
    async get(accountId, id) {
      const row = await selected()
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? toProvider(row, sealer) : null;
    },
    async find(id) {
      const row = await selected().where('id', '=', id).executeTakeFirst();
      return row ? toProvider(row, sealer) : null;
    },
    async offered(domain) {
      const rows = await selected()
        .where((is) => {
          // Owners who share an instance may not know each other: none may show a button to the users of another.
          const others = is.selectFrom('accounts').select('accounts.id');
          const listed = is.and([
            is('is_listed', '=', 1),
            is.not(is.exists(others.whereRef('accounts.id', '<>', 'identity_providers.account_id'))),
          ]);
          // Domains contain no special characters of a LIKE pattern, see the contract.
          return domain === null ? listed : is.or([listed, is('domains', 'like', `%"${domain}"%`)]);
        })
        .limit(maxOffered)
        .execute();
      return rows.map((row) => toProvider(row, sealer));
    },
    update: (provider) =>
      changesAny(
        write
          .updateTable('identity_providers')
          .set(settingsColumns(provider, sealer))
          .where('account_id', '=', provider.accountId)
          .where('id', '=', provider.id),
      ),
    delete: (accountId, id) =>
      changesAny(
        write.deleteFrom('identity_providers').where('account_id', '=', accountId).where('id', '=', id),
      ),
    async userOf(providerId, subject) {
      const row = await read
        .selectFrom('identities')
        .select('user_id')
        .where('provider_id', '=', providerId)
        .where('subject', '=', subject)
        .executeTakeFirst();
      return row?.user_id ?? null;
    },
    async link(providerId, subject, userId) {
      await write
        .insertInto('identities')
        .values({ provider_id: providerId, subject, user_id: userId })
        .onConflict((conflict) => conflict.columns(['provider_id', 'subject']).doNothing())
        .execute();
    },
  };
};
