/**
 * A destination is a place that the submissions of a form, or of all forms of a project, are sent to. What a form or a
 * project names in `webhook_url` and `notify_emails` are destinations too, the built-in ones: they have no row until
 * something is known of them beyond those settings.
 */
import type {
  ChatConfig,
  EmailConfig,
  GoogleSheetsConfig,
  KindName,
  TelegramConfig,
  WebhookConfig,
} from '../contract/destination.js';
import type { Form } from './form.js';
import type { Project } from './project.js';

interface Configs extends Readonly<Record<KindName, unknown>> {
  readonly webhook: WebhookConfig;
  readonly email: EmailConfig;
  readonly slack: ChatConfig;
  readonly discord: ChatConfig;
  readonly teams: ChatConfig;
  readonly telegram: TelegramConfig;
  readonly google_sheets: GoogleSheetsConfig;
}

/** Of which kind it is, and what that kind needs to know. */
export type KindAndConfig = {
  readonly [Kind in KindName]: { readonly kind: Kind; readonly config: Configs[Kind] };
}[KindName];

interface Described {
  readonly id: string;
  readonly projectId: string;
  /** null: it is the project's, and gets the submissions of all its forms. */
  readonly formId: string | null;
  readonly name: string;
  readonly isActive: boolean;
  readonly builtIn: boolean;
  /** The text of a JSON value, as its owner wrote it. null: all submissions. */
  readonly filter: string | null;
  /** The text of a JSON value. null: the kind's own message. */
  readonly template: string | null;
  /** The waits before attempts 2, 3, …; null: those of the kind. */
  readonly retryDelaysMs: readonly number[] | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type Destination = Described & KindAndConfig;
export type DestinationOf<Kind extends KindName> = Extract<Destination, { readonly kind: Kind }>;

/** How sending to it goes. */
export interface DestinationHealth {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** When the first of them was. */
  readonly failingSince: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastError: string | null;
  /** When it was disabled because it failed; null while it is active, or when a person switched it off. */
  readonly disabledAt: number | null;
}

export type DestinationState = 'ok' | 'failing' | 'disabled';

/** So many failures in a row, or failures for so long, and its owner is notified. */
const failuresUntilFailing = 10;
const failingAfterMs = 60 * 60_000;

export function stateOf(
  { isActive }: { readonly isActive: boolean },
  health: DestinationHealth,
  now: number,
): DestinationState {
  if (!isActive) return 'disabled';
  const { failures, failingSince } = health;
  const isLong = failingSince !== null && now - failingSince >= failingAfterMs;
  return failures >= failuresUntilFailing || isLong ? 'failing' : 'ok';
}

export const unknownHealth: DestinationHealth = {
  failures: 0,
  failingSince: null,
  lastSuccessAt: null,
  lastError: null,
  disabledAt: null,
};

/**
 * Ids are UUIDs of version 7; those of built-in destinations follow from their owner's and have another version. Only that
 * digit differs: the others are random, those of the release before in the variant too.
 */
const versions = { webhook: '8', email: '5', reply: '6', confirmation: '4' } as const;
export type BuiltInName = keyof typeof versions;
const versionAt = 14;
const builtInNamed = new Map<string, BuiltInName>(
  Object.entries(versions).map(([name, version]) => [version, name as BuiltInName]),
);

const withVersion = (id: string, version: string): string =>
  id.slice(0, versionAt) + version + id.slice(versionAt + 1);

export const builtInId = (ownerId: string, name: BuiltInName): string => withVersion(ownerId, versions[name]);

/** Whose built-in destination has this id, if it is one. */
export function ownerOfBuiltIn(id: string): { readonly ownerId: string; readonly name: BuiltInName } | null {
  const name = builtInNamed.get(id[versionAt] ?? '');
  return name === undefined ? null : { ownerId: withVersion(id, '7'), name };
}

/** What a mail is about: it is written, limited and shown accordingly. */
export type MailPurpose = 'notification' | 'reply' | 'confirmation';

/** A mail to the visitor is not one of a destination that its owner made: it has no health, and nobody is alerted to it. */
export function purposeOf(destinationId: string): MailPurpose {
  const { name } = ownerOfBuiltIn(destinationId) ?? {};
  return name === 'reply' || name === 'confirmation' ? name : 'notification';
}

/** What is stored of a built-in destination beside the setting that it stands for. */
export type Overlay = Pick<Described, 'name' | 'isActive' | 'filter' | 'template' | 'retryDelaysMs'>;

/** What they are called until their owner calls them otherwise. */
export const builtInNames: Readonly<Record<BuiltInName, string>> = {
  webhook: 'Webhook',
  email: 'Notifications',
  reply: 'Reply to the visitor',
  confirmation: 'Confirmation',
};

const builtIn = (owner: Form | Project, name: BuiltInName, stored: Overlay | null): Described => ({
  id: builtInId(owner.id, name),
  projectId: 'publicId' in owner ? owner.projectId : owner.id,
  formId: 'publicId' in owner ? owner.id : null,
  name: stored?.name ?? builtInNames[name],
  isActive: stored?.isActive ?? true,
  builtIn: true,
  filter: stored?.filter ?? null,
  template: stored?.template ?? null,
  retryDelaysMs: stored?.retryDelaysMs ?? null,
  createdAt: owner.createdAt,
  updatedAt: owner.updatedAt,
});

/** What `webhook_url` stands for; null: the owner has none. */
export const builtInWebhook = (
  owner: Form | Project,
  stored: Overlay | null,
): DestinationOf<'webhook'> | null =>
  owner.webhookUrl === null
    ? null
    : {
        ...builtIn(owner, 'webhook', stored),
        kind: 'webhook',
        config: {
          url: owner.webhookUrl,
          method: 'POST',
          headers: {},
          secret: null,
          content_type: 'application/json',
        },
      };

/** What `notify_emails` stand for: each address gets a mail of its own. */
export const builtInEmail = (owner: Form | Project, stored: Overlay | null): DestinationOf<'email'> => ({
  ...builtIn(owner, 'email', stored),
  kind: 'email',
  config: { to: [...owner.notifyEmails], cc: [], bcc: [] },
});

/** A mail to the visitor: whom it goes to is in each delivery. */
export const builtInToVisitor = (form: Form, purpose: 'reply' | 'confirmation'): DestinationOf<'email'> => ({
  ...builtIn(form, purpose, null),
  kind: 'email',
  config: { to: [], cc: [], bcc: [] },
});

/** Whether what a header of this name holds is likely a credential: it is never shown. */
export const isSecretHeader = (name: string): boolean =>
  /auth|cookie|token|key|secret|password|signature|credential/i.test(name);
