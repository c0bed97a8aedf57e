/** The identity providers of an account, as its owners manage them. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import {
  type IdentityProvider,
  type IdentityProviderSettings,
  SignInFailed,
} from '../../model/identity-provider.js';
import type { SingleSignOn } from '../../ports/identity-providers.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';

export type NewIdentityProvider = Pick<
  IdentityProviderSettings,
  'name' | 'issuer' | 'clientId' | 'clientSecret'
> &
  Partial<IdentityProviderSettings>;

export interface IdentityProviderService {
  list(who: Principal): Promise<readonly IdentityProvider[]>;
  get(who: Principal, id: string): Promise<IdentityProvider>;
  create(who: Principal, input: NewIdentityProvider): Promise<IdentityProvider>;
  update(who: Principal, id: string, input: Partial<IdentityProviderSettings>): Promise<IdentityProvider>;
  /** Signs out the users who signed in with it. They may sign in another way. */
  delete(who: Principal, id: string): Promise<void>;
  /** Returns why users cannot be sent to the provider, or null when they can. */
  test(who: Principal, id: string): Promise<string | null>;
}

const maxProviders = 20;

const usual = {
  domains: [],
  isRequired: false,
  isListed: true,
  createsUsers: true,
  roleClaim: null,
  roles: {},
  defaultRole: 'viewer',
} as const satisfies Partial<IdentityProviderSettings>;

const domainShape = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;

const providerObject = ({ id, name }: IdentityProvider) => ({ kind: 'identity_provider', id, name });

export function createIdentityProviderService(deps: {
  store: Store;
  clock: Clock;
  singleSignOn: SingleSignOn;
  callbackUrl: (id: string) => string;
  /** Returns why an issuer may not be connected to, or null when it may. */
  judgeIssuer: (url: string) => string | null;
  onSessionsEnded: () => void;
}): IdentityProviderService {
  const { store, clock, singleSignOn } = deps;

  const requireSound = (provider: IdentityProvider): IdentityProvider => {
    const reason = deps.judgeIssuer(provider.issuer);
    if (reason !== null) throw refuse.invalidBody([{ path: 'issuer', message: reason }]);
    const wrong = provider.domains.findIndex((domain) => !domainShape.test(domain));
    if (wrong >= 0)
      throw refuse.invalidBody([
        { path: `domains.${wrong}`, message: 'must be a domain such as example.com' },
      ]);
    if (provider.isRequired && provider.domains.length === 0)
      throw refuse.invalidBody([{ path: 'is_required', message: 'needs at least one of `domains`' }]);
    return {
      ...provider,
      name: provider.name.trim(),
      domains: [...new Set(provider.domains.map((domain) => domain.toLowerCase()))],
    };
  };

  const get = async ({ accountId }: Principal, id: string): Promise<IdentityProvider> => {
    const found = isUuid(id) ? await store.identityProviders.get(accountId, id) : null;
    if (!found) throw refuse.identityProviderNotFound();
    return found;
  };

  return {
    list: ({ accountId }) => store.identityProviders.list(accountId),
    get,
    async create(who, input) {
      const { accountId } = who;
      const now = clock.now();
      const provider = requireSound({
        ...usual,
        ...input,
        id: newId(now),
        accountId,
        createdAt: now,
        updatedAt: now,
      });
      await store.tx(async (tx) => {
        await tx.identityProviders.create(provider);
        if ((await tx.identityProviders.list(accountId)).length > maxProviders)
          throw refuse.tooManyIdentityProviders(maxProviders);
        record(tx, who, {
          action: 'identity_provider.created',
          object: providerObject(provider),
          after: provider,
        });
      });
      return provider;
    },
    update: (who, id, input) =>
      store.tx(async (tx) => {
        const found = await tx.identityProviders.get(who.accountId, isUuid(id) ? id : '');
        if (!found) throw refuse.identityProviderNotFound();
        const provider = requireSound({ ...found, ...input, updatedAt: clock.now() });
        await tx.identityProviders.update(provider);
        record(tx, who, {
          action: 'identity_provider.updated',
          object: providerObject(provider),
          before: found,
          after: provider,
        });
        return provider;
      }),
    async delete(who, id) {
      const provider = await get(who, id);
      await store.tx(async (tx) => {
        if (!(await tx.identityProviders.delete(who.accountId, id))) throw refuse.identityProviderNotFound();
        record(tx, who, { action: 'identity_provider.deleted', object: providerObject(provider) });
      });
      deps.onSessionsEnded();
    },
    async test(who, id) {
      try {
        await singleSignOn.begin(await get(who, id), deps.callbackUrl(id));
        return null;
      } catch (error) {
        if (error instanceof SignInFailed) return error.detail;
        throw error;
      }
    },
  };
}
