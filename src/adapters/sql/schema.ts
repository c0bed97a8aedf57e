/**
 * The tables as Kysely sees them. The migrations are authoritative. Most rows are a noun of the model with its field names as
 * columns (`createdAt` is `created_at`); only the differences are spelled out here.
 */
import type { Generated } from 'kysely';
import type { Account, ApiKey, Session, User } from '../../model/account.js';
import type { FormAlias } from '../../model/alias.js';
import type { AuditEntry } from '../../model/audit.js';
import type { Attempt, Delivery, WebhookState } from '../../model/delivery.js';
import type { Destination, DestinationHealth, DestinationState } from '../../model/destination.js';
import type { Erasure } from '../../model/erasure.js';
import type { StoredFile } from '../../model/file.js';
import type { Form } from '../../model/form.js';
import type { IdentityProvider } from '../../model/identity-provider.js';
import type { Variant } from '../../model/image.js';
import type { Folder, Label, Note, SavedView } from '../../model/inbox.js';
import type { OptIn } from '../../model/opt-in.js';
import type { ServingProcess } from '../../model/process.js';
import type { Project } from '../../model/project.js';
import type { Quarantined } from '../../model/quarantine.js';
import type { Rejections } from '../../model/rejections.js';
import type { Replay } from '../../model/replay.js';
import type { Authenticator, Invitation, LoginLink, Passkey } from '../../model/sign-in.js';
import type { IdempotentResult, Submission, SubmissionMetadata } from '../../model/submission.js';
import type { SuppressedAddress } from '../../model/suppression.js';
import type { DayCount, FormCount } from '../../model/tally.js';

/** Flags are 0 or 1 in both databases. */
export type Flag = 0 | 1;

type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${ColumnName<Rest>}`
    : `_${Lowercase<First>}${ColumnName<Rest>}`
  : Field;

/** Lists are JSON. */
type ColumnValue<Value> = [Value] extends [boolean]
  ? Flag
  : Value extends readonly unknown[]
    ? string
    : Value;

export type Columns<Noun> = {
  -readonly [Field in keyof Noun & string as ColumnName<Field>]: ColumnValue<Noun[Field]>;
};

interface Lease {
  lease_token: string | null;
  lease_owner: string | null;
}

/** Secrets are sealed, as in forms. */
export type ProjectRow = Columns<Project> & { deleted_at: number | null };
/** The settings of mails to visitors are JSON. */
export type FormRow = Columns<Omit<Form, 'autoresponder' | 'doubleOptIn'>> & {
  autoresponder: string | null;
  double_opt_in: string | null;
  deleted_at: number | null;
  moved_up_to: string | null;
  redacted_up_to: string;
};
export type SubmissionRow = Columns<Omit<Submission, 'metadata'> & SubmissionMetadata> & {
  files_count: number;
  webhook_state: WebhookState | null;
  skipped_destinations: string | null;
  folder: Folder;
  trashed_at: number | null;
  is_starred: Flag;
  assignee_id: string | null;
};
export type QuarantinedRow = Columns<Omit<Quarantined, 'metadata'> & SubmissionMetadata> & { size: number };
export type FileRow = Columns<Omit<StoredFile, 'blobKey'>> & { blob_key: string | null };
export type VariantRow = Columns<Variant> & { removed_at: number | null };
export type DeliveryRow = Columns<Omit<Delivery, 'isInFlight'>> &
  Lease & { reclaims: number; digest_id: string | null };
export type AttemptRow = Columns<Attempt> & { delivery_id: string };
/** A mail that a process of the previous release queues here becomes a delivery, see rows/release-before.ts. */
export type MailRow = Lease & {
  id: string;
  submission_id: string;
  form_id: string;
  recipient: string;
  state: string;
  attempt: number;
  next_attempt_at: number | null;
  error: string | null;
  created_at: number;
};
/** `q` is sealed; the counts and the key are JSON. */
export type ErasureRow = Columns<Omit<Erasure, 'key' | 'counts'>> & { key: string; counts: string };
export type ReplayRow = Columns<Replay>;
export type RejectionRow = Columns<Rejections>;
export type ProcessRow = Columns<ServingProcess>;
/** An empty destination id means the whole account. */
export type SuppressedAddressRow = Columns<Omit<SuppressedAddress, 'destinationId'>> & {
  destination_id: string;
};

/** The config is sealed. A built-in destination has none. */
export type DestinationRow = Columns<Omit<Destination, 'config' | 'retryDelaysMs'> & DestinationHealth> & {
  config: string;
  retry_delays: string | null;
  told_state: DestinationState;
};

/** Its settings are sealed. */
export type IdentityProviderRow = Columns<
  Pick<IdentityProvider, 'id' | 'accountId' | 'createdAt' | 'updatedAt'>
> & {
  config: string;
  domains: string;
  is_listed: Flag;
};

export interface Schema {
  instance: { name: string; value: string };
  accounts: Columns<Account>;
  api_keys: Columns<ApiKey> & { key_hash: string };
  logins: { id: string; password_hash: string | null; created_at: number };
  /** Processes of the previous release read and write the password here ('' for none). The authoritative one is in logins. */
  users: Columns<User> & { password_hash: string; read_up_to: string };
  sessions: Columns<Session>;
  invitations: Columns<Invitation> & { token_hash: string };
  login_links: Columns<LoginLink>;
  authenticators: Columns<Authenticator>;
  passkeys: Columns<Passkey>;
  recovery_codes: { login_id: string; code_hash: string };
  identity_providers: IdentityProviderRow;
  identities: { provider_id: string; subject: string; user_id: string };
  projects: ProjectRow;
  forms: FormRow;
  form_aliases: Columns<FormAlias>;
  destinations: DestinationRow;
  form_fields: {
    form_id: string;
    name: string;
    kinds: number;
    place: number;
    first_seen_at: number;
    last_seen_at: number;
  };
  form_caps: { form_id: string; most: number; stored: number };
  form_totals: { form_id: string; slot: number; submissions: number };
  submissions: SubmissionRow & { seq: Generated<number> };
  labels: Columns<Label> & { name_key: string };
  submission_labels: { label_id: string; submission_id: string };
  notes: Columns<Note>;
  saved_views: Columns<SavedView>;
  read_marks: { user_id: string; form_id: string; read_up_to: string };
  read_exceptions: { user_id: string; form_id: string; submission_id: string; is_read: Flag };
  quarantined: QuarantinedRow;
  opt_ins: Columns<OptIn>;
  files: FileRow;
  image_variants: VariantRow;
  deliveries: DeliveryRow;
  delivery_attempts: AttemptRow;
  mails: MailRow;
  replays: ReplayRow;
  redactions: { submission_id: string; form_id: string };
  erasures: ErasureRow;
  erasure_items: { erasure_id: string; kind: 'blob' | 'submission'; ref: string };
  suppressed_addresses: SuppressedAddressRow;
  mail_counts: { name: string; day: number; mails: number };
  mail_permits: { delivery_id: string; day: number };
  spent_challenges: { id: string; expires_at: number };
  form_days: Columns<DayCount> & { form_id: string; slot: number };
  form_quarter_hours: Columns<FormCount> & { slot: number };
  turned_away_examples: RejectionRow;
  processes: ProcessRow;
  idempotency_keys: Columns<IdempotentResult>;
  audit_entries: Columns<AuditEntry>;
  audit_chains: {
    account_id: string;
    seq: number;
    hash: string;
    anchor_seq: number;
    anchor_hash: string;
    mac: string;
  };
}
