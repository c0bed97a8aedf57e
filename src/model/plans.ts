/** The plan table: the only place that says what a plan includes. */

export const planNames = ['starter', 'pro', 'business', 'enterprise'] as const;
export type PlanName = (typeof planNames)[number];

export interface Plan {
  /** null: no limit. */
  readonly maxProjects: number | null;
  readonly fileUploads: boolean;
  readonly imageTransformation: boolean;
}

export const plans: Readonly<Record<PlanName, Plan>> = {
  starter: { maxProjects: 3, fileUploads: false, imageTransformation: false },
  pro: { maxProjects: 25, fileUploads: true, imageTransformation: false },
  business: { maxProjects: 100, fileUploads: true, imageTransformation: true },
  enterprise: { maxProjects: null, fileUploads: true, imageTransformation: true },
};

export const isPlanName = (text: string): text is PlanName => (planNames as readonly string[]).includes(text);
