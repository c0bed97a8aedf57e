/** Accounts, API keys and users as rows. */
import type { Kysely } from 'kysely';
import type { Account, ApiKey, KeyScope, User } from '../../model/account.js';
import type { PlanName } from '../../model/plans.js';
import type { AccountStore, KeyStore, UserStore } from '../../ports/accounts.js';
import { prepared, type SqlContext } from './context.js';
import type { Schema } from './schema.js';

export const toAccount = (row: Schema['accounts']): Account => ({
  id: row.id,
  name: row.name,
  plan: row.plan as PlanName,
  createdAt: row.created_at,
});

const toKey = (row: Schema['api_keys']): ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  scope: row.scope as KeyScope,
  prefix: row.prefix,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export const toUser = (row: Schema['users']): User => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  createdAt: row.created_at,
});

const countOf = async (query: { executeTakeFirst(): Promise<{ n: number | string | null } | undefined> }) =>
  Number((await query.executeTakeFirst())?.n ?? 0);

export const accountStore = ({ read, write }: SqlContext): AccountStore => ({
  async create({ id, name, plan, createdAt }) {
    await write.insertInto('accounts').values({ id, name, plan, created_at: createdAt }).execute();
  },
  async find(id) {
    const row = await read.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? toAccount(row) : null;
  },
  async list() {
    return (await read.selectFrom('accounts').selectAll().orderBy('id').execute()).map(toAccount);
  },
  async findOldest() {
    const row = await read.selectFrom('accounts').selectAll().orderBy('id').limit(1).executeTakeFirst();
    return row ? toAccount(row) : null;
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
      .values({
        id: key.id,
        account_id: key.accountId,
        name: key.name,
        scope: key.scope,
        prefix: key.prefix,
        key_hash: keyHash,
        created_at: key.createdAt,
        last_used_at: key.lastUsedAt,
      })
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
    return { key: toKey(row), account: toAccount(account) };
  },
  async list(accountId) {
    const rows = await context.read
      .selectFrom('api_keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
    return rows.map(toKey);
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
  async create({ id, accountId, email, createdAt }, passwordHash) {
    await write
      .insertInto('users')
      .values({ id, account_id: accountId, email, password_hash: passwordHash, created_at: createdAt })
      .execute();
  },
  async listByEmail(email) {
    const rows = await read
      .selectFrom('users')
      .selectAll()
      .where('email', '=', email)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ user: toUser(row), passwordHash: row.password_hash }));
  },
  async find(accountId, id) {
    const row = await read
      .selectFrom('users')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? { user: toUser(row), passwordHash: row.password_hash } : null;
  },
  async list(accountId) {
    const rows = await read
      .selectFrom('users')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
    return rows.map(toUser);
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
