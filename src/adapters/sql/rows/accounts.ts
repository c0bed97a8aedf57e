/** Accounts, API keys and users as rows. */
import type { Kysely } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { Account, ApiKey, User } from '../../../model/account.js';
import type { AccountStore, KeyStore, UserStore } from '../../../ports/accounts.js';
import { prepared, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import type { Schema } from '../schema.js';

export const accounts = mapped<Account>()('id name plan createdAt');
const keys = mapped<ApiKey>()('id accountId name scope prefix createdAt lastUsedAt');
export const users = mapped<User>()('id accountId email createdAt');

const countOf = async (query: { executeTakeFirst(): Promise<{ n: number | string | null } | undefined> }) =>
  Number((await query.executeTakeFirst())?.n ?? 0);

export const accountStore = ({ read, write }: SqlContext): AccountStore => ({
  async create(account) {
    await write.insertInto('accounts').values(accounts.toRow(account)).execute();
  },
  async find(id) {
    const row = await read.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? accounts.toNoun(row) : null;
  },
  async list() {
    return (await read.selectFrom('accounts').selectAll().orderBy('id').execute()).map(accounts.toNoun);
  },
  async findOldest() {
    const row = await read.selectFrom('accounts').selectAll().orderBy('id').limit(1).executeTakeFirst();
    return row ? accounts.toNoun(row) : null;
  },
  async setPlan(id, plan) {
    const done = await write.updateTable('accounts').set({ plan }).where('id', '=', id).executeTakeFirst();
    return done.numUpdatedRows > 0n;
  },
  async usage(id) {
    return {
      projects: await countOf(livingProjects(read, id).select((e) => e.fn.countAll<number>().as('n'))),
      forms: await countOf(livingForms(read, id).select((e) => e.fn.countAll<number>().as('n'))),
      submissions: await countOf(
        livingForms(read, id)
          .innerJoin('form_totals', 'form_totals.form_id', 'forms.id')
          .select((e) => e.fn.sum<number>('form_totals.submissions').as('n')),
      ),
    };
  },
});

const livingProjects = (db: Kysely<Schema>, accountId: string) =>
  db
    .selectFrom('projects')
    .where('projects.account_id', '=', accountId)
    .where('projects.deleted_at', 'is', null);

const livingForms = (db: Kysely<Schema>, accountId: string) =>
  livingProjects(db, accountId)
    .innerJoin('forms', 'forms.project_id', 'projects.id')
    .where('forms.deleted_at', 'is', null);

const keyByHash = ({ read }: SqlContext) =>
  prepared(read, () =>
    read
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .selectAll('api_keys')
      .select(['accounts.name as account_name', 'accounts.plan', 'accounts.created_at as account_created_at'])
      .where('api_keys.key_hash', '=', ''),
  );

export const keyStore = (context: SqlContext, byHash = keyByHash(context)): KeyStore => ({
  async create(key, keyHash) {
    await context.write
      .insertInto('api_keys')
      .values({ ...keys.toRow(key), key_hash: keyHash })
      .execute();
  },
  async findByHash(keyHash) {
    const row = await byHash(keyHash);
    if (!row) return null;
    const account = {
      id: row.account_id,
      name: row.account_name,
      plan: row.plan,
      created_at: row.account_created_at,
    };
    return { key: keys.toNoun(row), account: accounts.toNoun(account) };
  },
  async list(accountId) {
    const rows = await context.read
      .selectFrom('api_keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
    return rows.map(keys.toNoun);
  },
  async revoke(accountId, id) {
    const done = await context.write
      .deleteFrom('api_keys')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },
  async touch(id, usedAt) {
    await context.write.updateTable('api_keys').set({ last_used_at: usedAt }).where('id', '=', id).execute();
  },
});

export const userStore = ({ read, write }: SqlContext): UserStore => ({
  async create(user, passwordHash) {
    await write
      .insertInto('users')
      .values({
        ...users.toRow(user),
        password_hash: passwordHash,
        // What came before they did is not new to them.
        read_up_to: lowestIdAt(user.createdAt),
      })
      .execute();
  },
  async listByEmail(email) {
    const rows = await read
      .selectFrom('users')
      .selectAll()
      .where('email', '=', email)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ user: users.toNoun(row), passwordHash: row.password_hash }));
  },
  async find(accountId, id) {
    const row = await read
      .selectFrom('users')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? { user: users.toNoun(row), passwordHash: row.password_hash } : null;
  },
  async list(accountId) {
    const rows = await read
      .selectFrom('users')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
    return rows.map(users.toNoun);
  },
  async delete(accountId, id) {
    const done = await write
      .deleteFrom('users')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return done.numDeletedRows > 0n;
  },
  async setPassword(id, passwordHash) {
    await write.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute();
  },
  count: () => countOf(read.selectFrom('users').select((e) => e.fn.countAll<number>().as('n'))),
});
