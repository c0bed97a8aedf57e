/** Accounts, API keys and users as rows. */
import type { Kysely } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { Account, ApiKey, User } from '../../../model/account.js';
import type { PlanName } from '../../../model/plans.js';
import type { Reach } from '../../../model/reach.js';
import type { AccountStore, KeyStore, StoredUser, UserStore } from '../../../ports/accounts.js';
import { atomically, changesAny, prepared, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import { inReach } from '../reach.js';
import type { Columns, Flag, Schema } from '../schema.js';

const accountColumns = mapped<Omit<Account, 'twoFactorsRequired'>>()('id name plan createdAt');
const accounts = {
  toRow: (account: Account): Columns<Account> => ({
    ...accountColumns.toRow(account),
    two_factors_required: account.twoFactorsRequired ? 1 : 0,
  }),
  toNoun: (row: Columns<Account>): Account => ({
    ...accountColumns.toNoun(row),
    twoFactorsRequired: row.two_factors_required === 1,
  }),
};
const keyColumns = mapped<Omit<ApiKey, 'projectIds'>>()(
  'id accountId name scope prefix createdAt expiresAt lastUsedAt',
);
const keys = {
  toRow: (key: ApiKey): Columns<ApiKey> => ({
    ...keyColumns.toRow(key),
    project_ids: key.projectIds && JSON.stringify(key.projectIds),
  }),
  toNoun: (row: Columns<ApiKey>): ApiKey => ({
    ...keyColumns.toNoun(row),
    projectIds: row.project_ids === null ? null : JSON.parse(row.project_ids),
  }),
};
const userColumns = mapped<Omit<User, 'projects'>>()('id accountId loginId email role createdAt');
export const users = {
  toRow: (user: User): Columns<User> => ({
    ...userColumns.toRow(user),
    projects: JSON.stringify(user.projects),
  }),
  toNoun: (row: Columns<User>): User => ({
    ...userColumns.toNoun(row),
    projects: JSON.parse(row.projects),
  }),
};

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
  update: (id, { twoFactorsRequired, ...changes }) =>
    changesAny(
      write
        .updateTable('accounts')
        .set({
          ...changes,
          ...(twoFactorsRequired !== undefined && { two_factors_required: twoFactorsRequired ? 1 : 0 }),
        })
        .where('id', '=', id),
    ),
  async usage(reach) {
    return {
      projects: await countOf(livingProjects(read, reach).select((e) => e.fn.countAll<number>().as('n'))),
      forms: await countOf(livingForms(read, reach).select((e) => e.fn.countAll<number>().as('n'))),
      submissions: await countOf(
        livingForms(read, reach)
          .innerJoin('form_totals', 'form_totals.form_id', 'forms.id')
          .select((e) => e.fn.sum<number>('form_totals.submissions').as('n')),
      ),
    };
  },
});

const livingProjects = (db: Kysely<Schema>, reach: Reach) =>
  db.selectFrom('projects').where(inReach(reach)).where('projects.deleted_at', 'is', null);

const livingForms = (db: Kysely<Schema>, reach: Reach) =>
  livingProjects(db, reach)
    .innerJoin('forms', 'forms.project_id', 'projects.id')
    .where('forms.deleted_at', 'is', null);

/** The account in a row that joins it with a key or a user. */
export const accountIn = (row: {
  account_id: string;
  account_name: string;
  plan: PlanName;
  two_factors_required: Flag;
  account_created_at: number;
}): Account =>
  accounts.toNoun({ ...row, id: row.account_id, name: row.account_name, created_at: row.account_created_at });

/** What `accountIn` reads in addition to the columns of the key or the user. */
export const besideAccount = [
  'accounts.name as account_name',
  'accounts.plan',
  'accounts.two_factors_required',
  'accounts.created_at as account_created_at',
] as const;

const keyByHash = ({ read }: SqlContext) =>
  prepared(read, () =>
    read
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .selectAll('api_keys')
      .select(besideAccount)
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
    return row ? { key: keys.toNoun(row), account: accountIn(row) } : null;
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
  revoke: (accountId, id) =>
    changesAny(context.write.deleteFrom('api_keys').where('account_id', '=', accountId).where('id', '=', id)),
  async touch(id, usedAt) {
    await context.write.updateTable('api_keys').set({ last_used_at: usedAt }).where('id', '=', id).execute();
  },
});

const storedUsers = (db: Kysely<Schema>) =>
  db
    .selectFrom('users')
    .innerJoin('logins', 'logins.id', 'users.login_id')
    .selectAll('users')
    .select('logins.password_hash as login_hash')
    .orderBy('users.id');

const toStored = (row: Columns<User> & { login_hash: string | null }): StoredUser => ({
  user: users.toNoun(row),
  passwordHash: row.login_hash,
});

const insertUser = (db: Kysely<Schema>, user: User, passwordHash: string | null) =>
  db
    .insertInto('users')
    .values({
      ...users.toRow(user),
      password_hash: passwordHash ?? '',
      // Submissions from before the user was created do not count as unread.
      read_up_to: lowestIdAt(user.createdAt),
    })
    .execute();

const passwordOf = async (db: Kysely<Schema>, loginId: string): Promise<string | null> => {
  const login = await db
    .selectFrom('logins')
    .select('password_hash')
    .where('id', '=', loginId)
    .executeTakeFirst();
  return login?.password_hash ?? null;
};

export const userStore = (context: SqlContext): UserStore => ({
  create: (user, passwordHash) =>
    atomically(context, async (db) => {
      const { loginId: id, createdAt } = user;
      await db
        .insertInto('logins')
        .values({ id, password_hash: passwordHash, created_at: createdAt })
        .execute();
      await insertUser(db, user, passwordHash);
    }),
  join: (user) =>
    atomically(context, async (db) => {
      await insertUser(db, user, await passwordOf(db, user.loginId));
    }),
  async listByEmail(email) {
    const rows = await storedUsers(context.read).where('users.email', '=', email).execute();
    return rows.map(toStored);
  },
  async listOfLogin(loginId) {
    const rows = await context.read
      .selectFrom('users')
      .innerJoin('accounts', 'accounts.id', 'users.account_id')
      .selectAll('users')
      .select(besideAccount)
      .where('users.login_id', '=', loginId)
      .orderBy('users.id')
      .execute();
    return rows.map((row) => ({ user: users.toNoun(row), account: accountIn(row) }));
  },
  async find(accountId, id) {
    const row = await storedUsers(context.read)
      .where('users.account_id', '=', accountId)
      .where('users.id', '=', id)
      .executeTakeFirst();
    return row ? toStored(row) : null;
  },
  async list(accountId) {
    const rows = await context.read
      .selectFrom('users')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
    return rows.map(users.toNoun);
  },
  delete: (accountId, id) =>
    atomically(context, async (db) => {
      const [gone] = await db
        .deleteFrom('users')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returning('login_id')
        .execute();
      if (!gone) return false;
      const { login_id: login } = gone;
      const left = db.selectFrom('users').select('id').where('login_id', '=', login);
      await db
        .deleteFrom('logins')
        .where('id', '=', login)
        .where((is) => is.not(is.exists(left)))
        .execute();
      return true;
    }),
  setAccess: (accountId, id, { role, projects }) =>
    changesAny(
      context.write
        .updateTable('users')
        .set({ role, projects: JSON.stringify(projects) })
        .where('account_id', '=', accountId)
        .where('id', '=', id),
    ),
  setPassword: (loginId, passwordHash) =>
    atomically(context, async (db) => {
      await db.updateTable('logins').set({ password_hash: passwordHash }).where('id', '=', loginId).execute();
      await db
        .updateTable('users')
        .set({ password_hash: passwordHash })
        .where('login_id', '=', loginId)
        .execute();
    }),
  async setEmail(loginId, email) {
    await context.write.updateTable('users').set({ email }).where('login_id', '=', loginId).execute();
  },
  separate: (id, loginId, now) =>
    atomically(context, async (db) => {
      await db.insertInto('logins').values({ id: loginId, password_hash: null, created_at: now }).execute();
      await db.updateTable('users').set({ login_id: loginId }).where('id', '=', id).execute();
    }),
  count: () => countOf(context.read.selectFrom('users').select((e) => e.fn.countAll<number>().as('n'))),
});
