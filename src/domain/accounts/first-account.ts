/** What happens on an empty database: one account, so that the first start ends with a working API key. */
import type { PlanName } from '../../model/plans.js';
import type { Store } from '../../ports/store.js';
import type { AccountService } from './service.js';

export interface FirstAccountSettings {
  readonly plan: PlanName;
  /** Chosen by the operator; null: one is made. */
  readonly apiKey: string | null;
}

export interface FirstAccount {
  /** The key to show once; null when the operator chose it and knows it. */
  readonly apiKeyToShow: string | null;
}

/** null when there are accounts already. All or nothing: the key is told of an account that is whole. */
export async function ensureFirstAccount(
  deps: { store: Store; accounts: AccountService },
  settings: FirstAccountSettings,
): Promise<FirstAccount | null> {
  if ((await deps.store.accounts.list()).length > 0) return null;
  const { apiKey, plan } = settings;
  const { made } = await deps.accounts.create({
    name: 'Default',
    plan,
    ...(apiKey === null ? {} : { secret: apiKey }),
  });
  return { apiKeyToShow: apiKey === null ? made.secret : null };
}
