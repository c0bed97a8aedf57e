/** The names of the plans and what the next one adds. The limits themselves come from the server. Pure. */
import type { AccountFull } from '../../wire.js';
import * as words from '../../words/plan.js';

export type PlanName = AccountFull['plan'];

export const planTitles: Readonly<Record<PlanName, string>> = {
  starter: words.starter,
  pro: words.pro,
  business: words.business,
  enterprise: words.enterprise,
};

/** null: there is no higher plan. */
export const nextPlan: Readonly<Record<PlanName, { readonly plan: PlanName; readonly adds: string } | null>> =
  {
    starter: { plan: 'pro', adds: words.proAdds },
    pro: { plan: 'business', adds: words.businessAdds },
    business: { plan: 'enterprise', adds: words.enterpriseAdds },
    enterprise: null,
  };

/** Usage from 0 to 100 percent; null without a cap. */
export const shareOf = (used: number, cap: number | null): number | null =>
  cap === null ? null : Math.min(100, Math.round((used / Math.max(cap, 1)) * 100));
