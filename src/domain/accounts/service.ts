/** Accounts and their API keys. A key is shown once, when it is created; only its hash is stored. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { newToken, sha256Hex } from '../../kernel/secrets.js';
import {
  type Account,
  type ApiKey,
  accessOfKey,
  type KeyScope,
  type Principal,
  reachOf,
} from '../../model/account.js';
import { type Actor, keyActor, type Recorder } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import type { PlanName } from '../../model/plans.js';
import type { Reach } from '../../model/reach.js';
import type { Store, TransactionStore } from '../../ports/store.js';
import { record } from '../audit/record.js';
import { requireProjects } from './own-projects.js';

const keyPrefix = 'inlet_';
const shownPrefixLength = 12;
/** For a key that the operator chose: it may be short, with nothing random after its first characters. */
const shownOfChosen = 4;
/** `last_used_at` is for people; writing it on every request would make each read a write. */
const touchEveryMs = 60_000;
const maxKeyLength = 200;

export interface MadeKey {
  readonly key: ApiKey;
  /** The key itself. It cannot be retrieved later. */
  readonly secret: string;
}

export interface NewAccount {
  readonly name: string;
  readonly plan: PlanName;
  /** The key that the operator chose. Absent: one is generated. */
  readonly secret?: string;
}

export interface NewKey {
  readonly name: string;
  readonly scope: KeyScope;
  readonly expiresAt: number | null;
  /** null: the whole account. */
  readonly projectIds: readonly string[] | null;
}

export interface AccountService {
  create(actor: Actor, input: NewAccount): Promise<{ account: Account; made: MadeKey }>;
  /** Returns null when there is an account already. Of several concurrent calls, one creates it. */
  createFirst(actor: Actor, input: NewAccount): Promise<{ account: Account; made: MadeKey } | null>;
  list(): Promise<readonly Account[]>;
  find(id: string): Promise<Account | null>;
  setPlan(who: Recorder, plan: PlanName): Promise<boolean>;
  update(who: Recorder, changes: Partial<Pick<Account, 'name' | 'twoFactorsRequired'>>): Promise<void>;
  usage(reach: Reach): Promise<{ projects: number; forms: number; submissions: number }>;
  createKey(who: Recorder, input: NewKey): Promise<MadeKey>;
  listKeys(accountId: string): Promise<readonly ApiKey[]>;
  /** Throws when the account has no such key. */
  revokeKey(who: Recorder, id: string): Promise<void>;
  /** Returns who the key belongs to, or null when it is unknown or has expired. */
  authenticate(presented: string): Promise<Principal | null>;
}

const accountObject = ({ id, name }: Account) => ({ kind: 'account', id, name });
const keyObject = ({ id, name }: ApiKey) => ({ kind: 'api_key', id, name });
const shownKey = ({ name, scope, prefix, expiresAt }: ApiKey) => ({ name, scope, prefix, expiresAt });

export function createAccountService(deps: {
  store: Store;
  clock: Clock;
  /** Called with errors that occur after the response. */
  onLateFault: (error: unknown) => void;
}): AccountService {
  const { store, clock } = deps;
  const touchedAt = new Map<string, number>();

  const storeKey = async (
    to: TransactionStore,
    who: Recorder,
    input: NewKey & { readonly secret: string },
  ): Promise<MadeKey> => {
    const now = clock.now();
    if (input.expiresAt !== null && input.expiresAt <= now)
      throw refuse.invalidBody([{ path: 'expires_at', message: 'must be in the future' }]);
    const key: ApiKey = {
      id: newId(now),
      accountId: who.accountId,
      name: input.name,
      scope: input.scope,
      prefix: input.secret.slice(0, input.secret.startsWith(keyPrefix) ? shownPrefixLength : shownOfChosen),
      createdAt: now,
      expiresAt: input.expiresAt,
      lastUsedAt: null,
      projectIds: input.projectIds,
    };
    await to.keys.create(key, sha256Hex(input.secret));
    record(to, who, { action: 'api_key.created', object: keyObject(key), after: shownKey(key) });
    return { key, secret: input.secret };
  };

  const createIn = async (tx: TransactionStore, actor: Actor, { name, plan, secret }: NewAccount) => {
    const now = clock.now();
    const account: Account = { id: newId(now), name, plan, twoFactorsRequired: false, createdAt: now };
    await tx.accounts.create(account);
    const who = { accountId: account.id, actor };
    record(tx, who, { action: 'account.created', object: accountObject(account), after: account });
    const made = await storeKey(tx, who, {
      name: 'First key',
      scope: 'full',
      expiresAt: null,
      projectIds: null,
      secret: secret ?? newToken(keyPrefix),
    });
    return { account, made };
  };

  return {
    create: (actor, input) => store.tx((tx) => createIn(tx, actor, input)),
    createFirst: async (actor, input) =>
      (await store.accounts.list()).length > 0
        ? null
        : store.tx(async (tx) => {
            const isFirst = (await tx.setup.begin()) && (await tx.accounts.list()).length === 0;
            return isFirst ? createIn(tx, actor, input) : null;
          }),
    list: () => store.accounts.list(),
    find: (id) => store.accounts.find(id),
    setPlan: (who, plan) =>
      store.tx(async (tx) => {
        const account = await tx.accounts.find(who.accountId);
        if (!account || !(await tx.accounts.update(account.id, { plan }))) return false;
        record(tx, who, {
          ...{ action: 'account.plan_changed', object: accountObject(account) },
          ...{ before: account, after: { ...account, plan } },
        });
        return true;
      }),
    update: (who, changes) =>
      store.tx(async (tx) => {
        const account = await tx.accounts.find(who.accountId);
        if (!account) return;
        const changed = { ...account, ...changes };
        if (changed.name === account.name && changed.twoFactorsRequired === account.twoFactorsRequired)
          return;
        await tx.accounts.update(account.id, changes);
        record(tx, who, {
          ...{ action: 'account.updated', object: accountObject(changed) },
          ...{ before: account, after: changed },
        });
      }),
    usage: (reach) => store.accounts.usage(reach),
    createKey: (who, input) =>
      store.tx(async (tx) => {
        await requireProjects(tx, who.accountId, input.projectIds ?? [], (place) => `project_ids.${place}`);
        return storeKey(tx, who, { ...input, secret: newToken(keyPrefix) });
      }),
    listKeys: (accountId) => store.keys.list(accountId),

    async revokeKey(who, id) {
      if (!isUuid(id)) throw refuse.apiKeyNotFound();
      await store.tx(async (tx) => {
        const key = (await tx.keys.list(who.accountId)).find((each) => each.id === id);
        if (!key || !(await tx.keys.revoke(who.accountId, id))) throw refuse.apiKeyNotFound();
        record(tx, who, { action: 'api_key.revoked', object: keyObject(key), before: shownKey(key) });
      });
    },

    async authenticate(presented) {
      if (presented.length > maxKeyLength) return null;
      const found = await store.keys.findByHash(sha256Hex(presented));
      if (!found) return null;
      const { key, account } = found;
      const now = clock.now();
      if (key.expiresAt !== null && key.expiresAt <= now) return null;
      if (now - (touchedAt.get(key.id) ?? key.lastUsedAt ?? 0) >= touchEveryMs) {
        touchedAt.set(key.id, now);
        // Not awaited: reads must work while writes fail, and must not wait for the disk.
        store.keys.touch(key.id, now).catch(deps.onLateFault);
      }
      const access = accessOfKey(key);
      return {
        ...reachOf(account.id, access),
        ...{ plan: account.plan, keyId: key.id, userId: null, access, actor: keyActor(key) },
      };
    },
  };
}
