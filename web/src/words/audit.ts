/** The audit log. */
import type { AuditEntry } from '../wire.js';

export const description =
  'Who changed settings, and who saw, exported or deleted what people sent. Entries cannot be changed or deleted.';
export const nothing = 'No entries';
export const nothingHint = 'No entry matches these filters.';
export const time = 'Time';
export const what = 'What';
export const who = 'Who';
export const ipAddress = 'IP address';
export const changes = 'Changes';
export const field = 'Field';
export const before = 'Before';
export const after = 'After';
export const userAgent = 'User agent';
export const entry = 'Entry';
export const hash = 'Hash';
export const erased = 'erased';
export const erasedHint = 'Values of this entry were erased together with a person.';
export const showMore = 'Show more';
export const details = (seq: number): string => `Details of entry ${seq}`;
export const anything = 'Everything';
export const byWhom = 'E-mail address or name of a key';
export const area = 'Area';
export const since = 'From day';
export const until = 'To day';
export const exportCsv = 'Export as CSV';
export const exportJson = 'Export as JSON lines';

export const actorKinds: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  user: 'User',
  key: 'API key',
  cli: 'Command line',
  system: 'Inlet',
  link: 'File link',
};

/** By the first part of the action. */
export const areas: Readonly<Record<string, string>> = {
  submission: 'One submission',
  submissions: 'Many submissions',
  file: 'Files',
  form: 'Forms',
  project: 'Projects',
  destination: 'Destinations',
  delivery: 'One delivery',
  deliveries: 'Deliveries',
  replay: 'Replays',
  quarantine: 'Quarantine',
  session: 'Sign-ins',
  user: 'Users',
  invitation: 'Invitations',
  authenticator: 'Authenticator apps',
  recovery_codes: 'Recovery codes',
  passkey: 'Passkeys',
  identity_provider: 'Single sign-on',
  person: 'Personal data',
  api_key: 'API keys',
  account: 'Account',
  alias: 'Aliases',
  label: 'Labels',
  view: 'Saved views',
  note: 'Notes',
  rejections: 'Rejected requests',
  suppressed_addresses: 'List of suppressed addresses',
  suppressed_address: 'Suppressed addresses',
  audit: 'Audit log',
};

const actions: Readonly<Record<AuditEntry['action'], string>> = {
  'account.created': 'Account created',
  'account.updated': 'Account changed',
  'account.plan_changed': 'Plan changed',
  'user.created': 'User created',
  'user.updated': 'Role changed',
  'user.deleted': 'User deleted',
  'user.password_changed': 'Password changed',
  'user.password_reset': 'Password reset',
  'user.email_changed': 'E-mail address changed',
  'user.two_factors_reset': 'Two factors reset',
  'invitation.created': 'User invited',
  'invitation.deleted': 'Invitation revoked',
  'authenticator.added': 'Authenticator app added',
  'authenticator.removed': 'Authenticator app removed',
  'recovery_codes.renewed': 'Recovery codes renewed',
  'passkey.added': 'Passkey added',
  'passkey.renamed': 'Passkey renamed',
  'passkey.removed': 'Passkey removed',
  'identity_provider.created': 'Identity provider added',
  'identity_provider.updated': 'Identity provider changed',
  'identity_provider.deleted': 'Identity provider deleted',
  'session.started': 'Signed in',
  'session.failed': 'Sign-in failed',
  'session.ended': 'Signed out',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'project.created': 'Project created',
  'project.updated': 'Project changed',
  'project.deleted': 'Project deleted',
  'project.secret_rotated': 'Webhook secret replaced',
  'form.created': 'Form created',
  'form.updated': 'Form changed',
  'form.duplicated': 'Form duplicated',
  'form.moved': 'Form moved',
  'form.deleted': 'Form deleted',
  'alias.created': 'Alias added',
  'alias.deleted': 'Alias removed',
  'destination.created': 'Destination created',
  'destination.updated': 'Destination changed',
  'destination.deleted': 'Destination deleted',
  'label.created': 'Label created',
  'label.updated': 'Label changed',
  'label.deleted': 'Label deleted',
  'view.created': 'View saved',
  'view.updated': 'View changed',
  'view.deleted': 'View deleted',
  'note.created': 'Note written',
  'note.updated': 'Note changed',
  'note.deleted': 'Note deleted',
  'submission.viewed': 'Submission viewed',
  'submission.updated': 'Submission changed',
  'submission.deleted': 'Submission deleted',
  'submissions.listed': 'Submissions listed',
  'submissions.updated': 'Submissions changed',
  'submissions.deleted': 'Submissions deleted',
  'submissions.exported': 'Submissions exported',
  'submissions.imported': 'Submissions imported',
  'file.viewed': 'File viewed',
  'file.downloaded': 'File downloaded',
  'file.shared': 'Link to a file created',
  'file.deleted': 'File deleted',
  'quarantine.listed': 'Quarantine viewed',
  'quarantine.released': 'Released from quarantine',
  'quarantine.deleted': 'Deleted from quarantine',
  'delivery.viewed': 'Delivery viewed',
  'deliveries.listed': 'Deliveries listed',
  'deliveries.retried': 'Sent again',
  'replay.started': 'Replay started',
  'replay.cancelled': 'Replay cancelled',
  'rejections.viewed': 'Rejected requests viewed',
  'suppressed_addresses.listed': 'Suppressed addresses listed',
  'suppressed_address.deleted': 'Suppressed address removed',
  'person.searched': 'Person searched for',
  'person.exported': 'Person exported',
  'person.erased': 'Person erased',
  'audit.viewed': 'Audit log viewed',
  'audit.exported': 'Audit log exported',
  'audit.redacted': 'Values erased',
};

/** Falls back to the action itself for entries written by a later release. */
export const actionWord = (action: string): string =>
  (actions as Readonly<Record<string, string>>)[action] ?? action;

/** Objects without a name, by kind. */
const unnamed: Readonly<Record<string, string>> = {
  delivery: 'a delivery',
  destination: 'a destination',
  erasure: 'an erasure',
  file: 'a file',
  form: 'a form',
  project: 'a project',
  quarantine: 'a submission in quarantine',
  replay: 'a replay',
  submission: 'a submission',
  suppressed_address: 'an address',
  user: 'a user',
};
const deleted: Readonly<Record<string, string>> = {
  form: 'a form that was deleted',
  project: 'a project that was deleted',
  submission: 'a submission that was deleted',
};
export const unnamedObject = (kind: string, isGone: boolean): string =>
  (isGone ? deleted[kind] : undefined) ?? unnamed[kind] ?? kind.replaceAll('_', ' ');
