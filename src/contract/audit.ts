import { type Static, Type } from 'typebox';
import { exactly, instant, Media, named, nullableText, pageOf, pageQuery, shape } from './shapes.js';

export const actorKinds = ['user', 'key', 'cli', 'system', 'link'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** All recorded actions. A published name never changes. */
const auditActions = [
  'account.created',
  'account.updated',
  'account.plan_changed',
  'user.created',
  'user.updated',
  'user.deleted',
  'user.password_changed',
  'user.password_reset',
  'user.email_changed',
  'user.two_factors_reset',
  'invitation.created',
  'invitation.deleted',
  'authenticator.added',
  'authenticator.removed',
  'recovery_codes.renewed',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'identity_provider.created',
  'identity_provider.updated',
  'identity_provider.deleted',
  'session.started',
  'session.failed',
  'session.ended',
  'api_key.created',
  'api_key.revoked',
  'project.created',
  'project.updated',
  'project.deleted',
  'project.secret_rotated',
  'form.created',
  'form.updated',
  'form.duplicated',
  'form.moved',
  'form.deleted',
  'alias.created',
  'alias.deleted',
  'destination.created',
  'destination.updated',
  'destination.deleted',
  'label.created',
  'label.updated',
  'label.deleted',
  'view.created',
  'view.updated',
  'view.deleted',
  'note.created',
  'note.updated',
  'note.deleted',
  'submission.viewed',
  'submission.updated',
  'submission.deleted',
  'submissions.listed',
  'submissions.updated',
  'submissions.deleted',
  'submissions.exported',
  'submissions.imported',
  'file.viewed',
  'file.downloaded',
  'file.shared',
  'file.deleted',
  'quarantine.listed',
  'quarantine.released',
  'quarantine.deleted',
  'delivery.viewed',
  'deliveries.listed',
  'deliveries.retried',
  'replay.started',
  'replay.cancelled',
  'rejections.viewed',
  'suppressed_addresses.listed',
  'suppressed_address.deleted',
  'person.searched',
  'person.exported',
  'person.erased',
  'audit.viewed',
  'audit.exported',
  'audit.redacted',
] as const;
export type AuditAction = (typeof auditActions)[number];

const actorKind = (description: string) =>
  Type.Unsafe<ActorKind>({ type: 'string', enum: [...actorKinds], description });

const values = (description: string) =>
  Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], description });

export const AuditEntry = shape('AuditEntry', {
  seq: Type.Integer({ description: 'Counts from 1, without gaps, by account.' }),
  at: instant('When it happened.'),
  action: Type.Unsafe<AuditAction>({ type: 'string', description: 'What was done, such as `form.updated`.' }),
  actor: exactly({
    kind: actorKind('A user, an API key, the command line, Inlet itself, or anyone with the link of a file.'),
    id: nullableText({ description: 'The user or the key.' }),
    name: nullableText({ description: 'The e-mail address or the name of the key at that time.' }),
  }),
  address: nullableText({ description: 'The IP address that the request came from.' }),
  user_agent: nullableText({ description: 'What the client called itself.' }),
  object: exactly({
    kind: Type.String({ description: 'Such as `form`.' }),
    id: nullableText({ description: 'null: many, or all of the account.' }),
    name: nullableText({ description: 'Its name at that time.' }),
  }),
  before: values('The fields that changed, as they were; secrets are masked.'),
  after: values('The same fields as they are since then, or details of what was done.'),
  is_redacted: Type.Boolean({ description: 'Values were blanked because a person was erased.' }),
  previous_hash: Type.String({ description: 'The hash of the entry before it.' }),
  hash: Type.String({
    description: 'Covers the entry and previous_hash, keyed with the secret of the instance.',
  }),
});
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = named('AuditPage', pageOf(AuditEntry));
export type AuditPage = Static<typeof AuditPage>;

const filters = {
  actor: Type.Optional(
    Type.String({ maxLength: 300, description: 'The id of a user or a key, or a name as it was then.' }),
  ),
  actor_kind: Type.Optional(actorKind('Only by these.')),
  action: Type.Optional(
    Type.String({
      maxLength: 60,
      pattern: '^[a-z_]+([.][a-z_]+)?$',
      description: 'An action, or its first part: `form` finds `form.created`, `form.updated` and so on.',
    }),
  ),
  object: Type.Optional(Type.String({ maxLength: 64, description: 'The id of what it was done to.' })),
  object_kind: Type.Optional(Type.String({ maxLength: 60, description: 'Such as `form`.' })),
  from: Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description: 'From then on.' })),
  to: Type.Optional(Type.String({ format: 'date-time', maxLength: 40, description: 'Before then.' })),
};

export const AuditQuery = exactly({ ...pageQuery, ...filters });
export type AuditQuery = Static<typeof AuditQuery>;

const exportFormats = ['ndjson', 'csv'] as const;

export const AuditExportQuery = exactly({
  ...filters,
  format: Type.Optional(
    Type.Unsafe<(typeof exportFormats)[number]>({
      type: 'string',
      enum: [...exportFormats],
      default: 'ndjson',
      description: 'How entries are written.',
    }),
  ),
});
export type AuditExportQuery = Static<typeof AuditExportQuery>;

export const AuditExport = new Media(
  ['application/x-ndjson', 'text/csv'],
  { type: 'string', description: 'One entry per line, newest first.' },
  '{"seq":1,"action":"form.updated"}\n',
);
