/** Creates one account in an empty database, so that the first start ends with a working API key. */
import { theSystem } from '../../model/audit.js';
import type { PlanName } from '../../model/plans.js';
import type { AccountService } from './service.js';

export interface FirstAccountSettings {
  readonly plan: PlanName;
  /** Chosen by the operator. null: a key is generated. */
  readonly apiKey: string | null;
}

export interface FirstAccount {
  /** The key to show once. null when the operator chose it. */
  readonly apiKeyToShow: string | null;
}

/** Returns null when there are accounts already. Atomic: a key is shown only for an account that was fully created. */
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
