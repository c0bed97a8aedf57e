/**
 * What a copy of an instance includes: every table of the schema with all its columns, or the reason why it is left out.
 * The compiler checks this against `Schema`, so a new table cannot be added without deciding what a copy does with it.
 */
import type { Schema } from '../schema.js';

interface CopiedTable<T extends keyof Schema> {
  /** The columns of a unique index, in its order. The copy follows this index. */
  readonly key: readonly (keyof Schema[T] & string)[];
  /** Columns that may be large: their bytes also limit a page of rows. */
  readonly large?: readonly (keyof Schema[T] & string)[];
}

interface LeftOut {
  readonly leftOut: string;
}

/** Ordered so that every reference finds its row. */
const tables: { readonly [T in keyof Schema]: CopiedTable<T> | LeftOut } = {
  instance: { leftOut: 'goes first and by name, see mark.ts' },
  accounts: { key: ['id'] },
  api_keys: { key: ['id'] },
  processes: { leftOut: 'the processes that serve the copy register themselves' },
  logins: { key: ['id'] },
  users: { key: ['id'], large: ['projects'] },
  identity_providers: { key: ['id'], large: ['config'] },
  identities: { key: ['provider_id', 'subject'] },
  sessions: { leftOut: 'cookies belong to an address; people sign in again' },
  invitations: { leftOut: 'their links lead to the instance that was copied' },
  login_links: { leftOut: 'they lead to the instance that was copied' },
  authenticators: { key: ['login_id'] },
  passkeys: { key: ['id'] },
  recovery_codes: { key: ['login_id', 'code_hash'] },
  projects: { key: ['id'], large: ['allowed_origins', 'notify_emails'] },
  forms: {
    key: ['id'],
    large: [
      'allowed_origins',
      'sandbox_ips',
      'blocked_ips',
      'notify_emails',
      'allowed_cc_emails',
      'fields',
      'redact_fields',
      'autoresponder',
      'double_opt_in',
    ],
  },
  form_aliases: { key: ['alias'] },
  destinations: { key: ['id'], large: ['config', 'filter', 'template'] },
  form_fields: { key: ['form_id', 'name'] },
  form_caps: { leftOut: 'made by the next commit' },
  form_totals: { key: ['form_id', 'slot'] },
  form_days: { key: ['form_id', 'day', 'kind', 'slot'] },
  form_quarter_hours: { key: ['form_id', 'quarter_hour', 'kind', 'slot'] },
  submissions: {
    key: ['seq'],
    large: ['data', 'user_agent', 'submitted_from', 'control_fields', 'skipped_destinations'],
  },
  labels: { key: ['id'] },
  submission_labels: { key: ['label_id', 'submission_id'] },
  notes: { key: ['id'], large: ['text'] },
  saved_views: { key: ['id'], large: ['query'] },
  read_marks: { key: ['user_id', 'form_id'] },
  read_exceptions: { key: ['user_id', 'form_id', 'submission_id'] },
  quarantined: { key: ['id'], large: ['data', 'user_agent', 'submitted_from', 'control_fields'] },
  opt_ins: { key: ['submission_id'], large: ['user_agent'] },
  files: { key: ['id'] },
  image_variants: { key: ['blob_key'] },
  // A lease that a dead process left behind is copied too: it expires.
  deliveries: { key: ['id'], large: ['body', 'url'] },
  delivery_attempts: { key: ['delivery_id', 'number'], large: ['response', 'request', 'response_headers'] },
  mails: { key: ['id'] },
  replays: { key: ['id'], large: ['filter'] },
  redactions: { key: ['submission_id'] },
  erasures: { key: ['id'], large: ['key'] },
  erasure_items: { key: ['erasure_id', 'kind', 'ref'] },
  suppressed_addresses: { key: ['id'] },
  mail_counts: { key: ['name', 'day'] },
  mail_permits: { key: ['delivery_id'] },
  idempotency_keys: { key: ['form_id', 'key'], large: ['files'] },
  spent_challenges: { key: ['id'] },
  audit_entries: { key: ['account_id', 'seq'], large: ['before_values', 'after_values', 'user_agent'] },
  audit_chains: { key: ['account_id'] },
  turned_away_examples: { key: ['form_id', 'reason', 'id'], large: ['seen', 'user_agent'] },
};

export interface TableToCopy {
  readonly name: keyof Schema;
  readonly key: readonly string[];
  readonly large: readonly string[];
}

export const copiedTables: readonly TableToCopy[] = Object.entries(tables).flatMap(([name, table]) =>
  'leftOut' in table ? [] : [{ name: name as keyof Schema, key: table.key, large: table.large ?? [] }],
);
