export interface Project {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly slug: string;
  readonly webhookUrl: string | null;
  readonly webhookSecret: string;
  /** Signs in addition to the new secret until `previousSecretUntil`, so that endpoints can switch without a gap. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  readonly allowedOrigins: readonly string[];
  readonly rateLimitPerMinute: number;
  readonly notifyEmails: readonly string[];
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What an owner can set. */
export type ProjectSettings = Pick<
  Project,
  'name' | 'webhookUrl' | 'allowedOrigins' | 'rateLimitPerMinute' | 'notifyEmails' | 'isActive'
>;

export interface ProjectListItem {
  readonly project: Project;
  /** Without archived forms, like the list of forms. */
  readonly formsCount: number;
  readonly submissionsCount: number;
}

/** How long the old webhook secret keeps signing after a rotation. */
export const secretOverlapMs = 24 * 60 * 60 * 1000;
