/** What the plans are called and what the next one adds; the limits themselves come from the server. Pure. */
import type { AccountFull } from '../../wire.js';

export type PlanName = AccountFull['plan'];

export const planTitles: Readonly<Record<PlanName, string>> = {
  starter: 'Starter',
  pro: 'Pro',
  business: 'Business',
  enterprise: 'Enterprise',
};

/** null: there is none above. */
export const nextPlan: Readonly<Record<PlanName, { readonly plan: PlanName; readonly adds: string } | null>> =
  {
    starter: { plan: 'pro', adds: 'file uploads and up to 25 projects' },
    pro: { plan: 'business', adds: 'image transformation and up to 100 projects' },
    business: { plan: 'enterprise', adds: 'as many projects as you like' },
    enterprise: null,
  };

/** How full, from 0 to 100; null where there is no cap. */
export const shareOf = (used: number, cap: number | null): number | null =>
  cap === null ? null : Math.min(100, Math.round((used / Math.max(cap, 1)) * 100));
