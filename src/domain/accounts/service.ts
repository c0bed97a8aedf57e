/** Accounts and their API keys. A key is shown once, when it is made; only its hash is kept. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { newToken, sha256Hex } from '../../kernel/secrets.js';
import type { Account, ApiKey, KeyScope, Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { PlanName } from '../../model/plans.js';
import type { BoundStore, Store } from '../../ports/store.js';

const keyPrefix = 'inlet_';
const shownPrefixLength = 12;
/** Of a key that an operator chose, which may be short and have no random part behind its first letters. */
const shownOfChosen = 4;
/** `last_used_at` is for people; writing it on every request would make each read a write. */
const touchEveryMs = 60_000;
const maxKeyLength = 200;

export interface MadeKey {
  readonly key: ApiKey;
  /** The key itself. It cannot be had again. */
  readonly secret: string;
}

export interface NewAccount {
  readonly name: string;
  readonly plan: PlanName;
  /** The key, if the operator chose it; else one is made. */
  readonly secret?: string;
}

export interface AccountService {
  create(input: NewAccount): Promise<{ account: Account; made: MadeKey }>;
  /** Only while there is none; of several who try at the same moment, one makes it. */
  createFirst(input: NewAccount): Promise<{ account: Account; made: MadeKey } | null>;
  list(): Promise<readonly Account[]>;
  find(id: string): Promise<Account | null>;
  setPlan(id: string, plan: PlanName): Promise<boolean>;
  usage(id: string): Promise<{ projects: number; forms: number; submissions: number }>;
  createKey(accountId: string, input: { name: string; scope: KeyScope }): Promise<MadeKey>;
  listKeys(accountId: string): Promise<readonly ApiKey[]>;
  /** Throws when the account has no such key. */
  revokeKey(accountId: string, id: string): Promise<void>;
  /** Who presents this key; null when nobody of ours does. */
  authenticate(presented: string): Promise<Principal | null>;
}

export function createAccountService(deps: {
  store: Store;
  clock: Clock;
  /** Told of what went wrong behind an answer. */
  onLateFault: (error: unknown) => void;
}): AccountService {
  const { store, clock } = deps;
  const touchedAt = new Map<string, number>();

  const storeKey = async (
    to: BoundStore,
    accountId: string,
    input: { name: string; scope: KeyScope; secret: string },
  ): Promise<MadeKey> => {
    const now = clock.now();
    const key: ApiKey = {
      id: newId(now),
      accountId,
      name: input.name,
      scope: input.scope,
      prefix: input.secret.slice(0, input.secret.startsWith(keyPrefix) ? shownPrefixLength : shownOfChosen),
      createdAt: now,
      lastUsedAt: null,
    };
    await to.keys.create(key, sha256Hex(input.secret));
    return { key, secret: input.secret };
  };

  const createIn = async (tx: BoundStore, { name, plan, secret }: NewAccount) => {
    const now = clock.now();
    const account: Account = { id: newId(now), name, plan, createdAt: now };
    await tx.accounts.create(account);
    const made = await storeKey(tx, account.id, {
      name: 'First key',
      scope: 'full',
      secret: secret ?? newToken(keyPrefix),
    });
    return { account, made };
  };

  return {
    create: (input) => store.tx((tx) => createIn(tx, input)),
    createFirst: async (input) =>
      (await store.accounts.list()).length > 0
        ? null
        : store.tx(async (tx) => {
            const isFirst = (await tx.setup.begin()) && (await tx.accounts.list()).length === 0;
            return isFirst ? createIn(tx, input) : null;
          }),
    list: () => store.accounts.list(),
    find: (id) => store.accounts.find(id),
    setPlan: (id, plan) => store.accounts.setPlan(id, plan),
    usage: (id) => store.accounts.usage(id),
    createKey: (accountId, input) => storeKey(store, accountId, { ...input, secret: newToken(keyPrefix) }),
    listKeys: (accountId) => store.keys.list(accountId),

    async revokeKey(accountId, id) {
      if (!isUuid(id) || !(await store.keys.revoke(accountId, id))) throw refuse.apiKeyNotFound();
    },

    async authenticate(presented) {
      if (presented.length > maxKeyLength) return null;
      const found = await store.keys.findByHash(sha256Hex(presented));
      if (!found) return null;
      const { key, account } = found;
      const now = clock.now();
      if (now - (touchedAt.get(key.id) ?? key.lastUsedAt ?? 0) >= touchEveryMs) {
        touchedAt.set(key.id, now);
        // Not awaited: reading must work while writing does not, and must not wait for a disk.
        store.keys.touch(key.id, now).catch(deps.onLateFault);
      }
      return { accountId: account.id, plan: account.plan, keyId: key.id, userId: null, scope: key.scope };
    },
  };
}
