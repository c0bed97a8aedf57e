/** What happens on an empty database: one account, so that the first start ends with a working API key. */
import { theSystem } from '../../model/audit.js';
import type { PlanName } from '../../model/plans.js';
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
  accounts: AccountService,
  { apiKey, plan }: FirstAccountSettings,
): Promise<FirstAccount | null> {
  const first = await accounts.createFirst(theSystem, {
    name: 'Default',
    plan,
    ...(apiKey === null ? {} : { secret: apiKey }),
  });
  return first && { apiKeyToShow: apiKey === null ? first.made.secret : null };
}
