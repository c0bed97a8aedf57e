/**
 * A destination is a place that the submissions of a form, or of all forms of a project, are sent to. `webhook_url` and
 * `notify_emails` of a form or project are destinations too, the built-in ones: they have no row until there is something
 * to store beyond those settings.
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

/** The kind, with the config of that kind. */
export type KindAndConfig = {
  readonly [Kind in KindName]: { readonly kind: Kind; readonly config: Configs[Kind] };
}[KindName];

interface Described {
  readonly id: string;
  readonly projectId: string;
  /** null: it belongs to the project, and gets the submissions of all its forms. */
  readonly formId: string | null;
  readonly name: string;
  readonly isActive: boolean;
  readonly builtIn: boolean;
  /** The text of a JSON value, as written by the owner. null: all submissions. */
  readonly filter: string | null;
  /** The text of a JSON value. null: the default message of the kind. */
  readonly template: string | null;
  /** The waits before attempts 2, 3, … null: the defaults of the kind. */
  readonly retryDelaysMs: readonly number[] | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type Destination = Described & KindAndConfig;
export type DestinationOf<Kind extends KindName> = Extract<Destination, { readonly kind: Kind }>;

/** The recent results of sending to a destination. */
export interface DestinationHealth {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** When the first of these failures happened. */
  readonly failingSince: number | null;
  /** While it fails: when the last of these failures happened. */
  readonly lastFailedAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastError: string | null;
  /** When it was disabled because of failures. null while it is active, or when a user disabled it. */
  readonly disabledAt: number | null;
}

export type DestinationState = 'ok' | 'failing' | 'disabled';

/** After this many failures in a row, or failures for this long, the owner is notified. */
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
  lastFailedAt: null,
  lastSuccessAt: null,
  lastError: null,
  disabledAt: null,
};

/**
 * Ids are UUIDs of version 7. Those of built-in destinations are derived from their owner's and have another version. Only
 * that digit differs: the others are random, in ids of the previous release even the variant.
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

/** Returns the owner of the built-in destination with this id, or null when it is not the id of one. */
export function ownerOfBuiltIn(id: string): { readonly ownerId: string; readonly name: BuiltInName } | null {
  const name = builtInNamed.get(id[versionAt] ?? '');
  return name === undefined ? null : { ownerId: withVersion(id, '7'), name };
}

/** What a mail is about. This determines how it is written, limited and shown. */
export type MailPurpose = 'notification' | 'reply' | 'confirmation';

/** Mails to the visitor do not belong to a destination that the owner created: they have no health, and cause no alerts. */
export function purposeOf(destinationId: string): MailPurpose {
  const { name } = ownerOfBuiltIn(destinationId) ?? {};
  return name === 'reply' || name === 'confirmation' ? name : 'notification';
}

/** What is stored for a built-in destination in addition to its setting. */
export type Overlay = Pick<Described, 'name' | 'isActive' | 'filter' | 'template' | 'retryDelaysMs'>;

/** Their names until the owner changes them. */
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

/** The destination for `webhook_url`. Returns null when the owner has none. */
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

/** The destination for `notify_emails`. Each address gets its own mail. */
export const builtInEmail = (owner: Form | Project, stored: Overlay | null): DestinationOf<'email'> => ({
  ...builtIn(owner, 'email', stored),
  kind: 'email',
  config: { to: [...owner.notifyEmails], cc: [], bcc: [] },
});

/** The ids of the built-in destinations that a change of their owner sends elsewhere. */
export const readdressed = <Owner extends Form | Project>(before: Owner, after: Owner): readonly string[] => [
  ...(after.webhookUrl === before.webhookUrl ? [] : [builtInId(after.id, 'webhook')]),
  ...(`${after.notifyEmails}` === `${before.notifyEmails}` ? [] : [builtInId(after.id, 'email')]),
];

/** The destination for mails to the visitor. The recipient is in each delivery. */
export const builtInToVisitor = (form: Form, purpose: 'reply' | 'confirmation'): DestinationOf<'email'> => ({
  ...builtIn(form, purpose, null),
  kind: 'email',
  config: { to: [], cc: [], bcc: [] },
});

/** Whether a header with this name probably contains a credential, which is never shown. */
export const isSecretHeader = (name: string): boolean =>
  /auth|cookie|token|key|secret|password|signature|credential/i.test(name);
