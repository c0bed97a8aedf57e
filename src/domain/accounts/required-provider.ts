/** Who must sign in with an identity provider instead of a password. */
import type { User } from '../../model/account.js';
import { domainOf } from '../../model/identity-provider.js';
import type { BoundStore } from '../../ports/store.js';

/** Owners are exempt: someone must be able to sign in while the provider is unavailable or misconfigured. */
export async function isProviderRequired(store: BoundStore, user: User): Promise<boolean> {
  if (user.role === 'owner') return false;
  const providers = await store.identityProviders.list(user.accountId);
  return providers.some(({ isRequired, domains }) => isRequired && domains.includes(domainOf(user.email)));
}
