/**
 * What a copy of an instance takes along: every table and every column of the schema, or the reason why not. The
 * compiler holds this to `Schema`, so that nobody adds a table without deciding what a copy does with it.
 */
import type { Schema } from './schema.js';

interface CopiedTable<T extends keyof Schema> {
  /** In the order of an index that is unique; the copy goes along it. */
  readonly key: readonly (keyof Schema[T] & string)[];
  readonly columns: Readonly<Record<keyof Schema[T] & string, true>>;
  /** Columns that may hold much: a page of rows ends by their bytes too. */
  readonly large?: readonly (keyof Schema[T] & string)[];
}

interface LeftOut {
  readonly leftOut: string;
}

/** In an order in which every reference finds its row. */
const tables: { readonly [T in keyof Schema]: CopiedTable<T> | LeftOut } = {
  instance: { leftOut: 'goes first and by name, see copy-mark.ts' },
  accounts: { key: ['id'], columns: { id: true, name: true, plan: true, created_at: true } },
  api_keys: {
    key: ['id'],
    columns: {
      id: true,
      account_id: true,
      name: true,
      scope: true,
      prefix: true,
      key_hash: true,
      created_at: true,
      last_used_at: true,
    },
  },
  processes: { leftOut: 'whoever serves the copy says so itself' },
  users: {
    key: ['id'],
    columns: { id: true, account_id: true, email: true, password_hash: true, created_at: true },
  },
  sessions: { leftOut: 'cookies belong to an address; people sign in again' },
  projects: {
    key: ['id'],
    columns: {
      id: true,
      account_id: true,
      name: true,
      slug: true,
      webhook_url: true,
      webhook_secret: true,
      previous_secret: true,
      previous_secret_until: true,
      allowed_origins: true,
      rate_limit_per_minute: true,
      notify_emails: true,
      is_active: true,
      created_at: true,
      updated_at: true,
      deleted_at: true,
    },
    large: ['allowed_origins', 'notify_emails'],
  },
  forms: {
    key: ['id'],
    columns: {
      id: true,
      public_id: true,
      project_id: true,
      name: true,
      slug: true,
      webhook_url: true,
      success_redirect: true,
      is_active: true,
      validation_mode: true,
      allowed_origins: true,
      wait_for_webhook: true,
      captcha_enabled: true,
      captcha_provider: true,
      captcha_site_key: true,
      captcha_secret_key: true,
      sandbox_ips: true,
      sandbox_api_key: true,
      blocked_ips: true,
      notify_emails: true,
      retention_days: true,
      created_at: true,
      updated_at: true,
      deleted_at: true,
    },
    large: ['allowed_origins', 'sandbox_ips', 'blocked_ips', 'notify_emails'],
  },
  form_totals: { key: ['form_id', 'slot'], columns: { form_id: true, slot: true, submissions: true } },
  form_days: {
    key: ['form_id', 'day', 'kind', 'slot'],
    columns: { form_id: true, day: true, kind: true, slot: true, count: true },
  },
  submissions: {
    key: ['seq'],
    columns: {
      seq: true,
      id: true,
      form_id: true,
      project_id: true,
      data: true,
      ip: true,
      user_agent: true,
      submitted_from: true,
      files_count: true,
      webhook_state: true,
      created_at: true,
    },
    large: ['data', 'user_agent', 'submitted_from'],
  },
  quarantined: {
    key: ['id'],
    columns: {
      id: true,
      form_id: true,
      project_id: true,
      data: true,
      ip: true,
      user_agent: true,
      submitted_from: true,
      field: true,
      files_dropped: true,
      size: true,
      created_at: true,
    },
    large: ['data', 'user_agent', 'submitted_from'],
  },
  files: {
    key: ['id'],
    columns: {
      id: true,
      account_id: true,
      project_id: true,
      form_id: true,
      submission_id: true,
      field_name: true,
      filename: true,
      mime_type: true,
      category: true,
      size_bytes: true,
      sha256: true,
      blob_key: true,
      uploaded_at: true,
      deleted_at: true,
    },
  },
  image_variants: {
    key: ['blob_key'],
    columns: {
      blob_key: true,
      file_id: true,
      recipe: true,
      mime_type: true,
      size_bytes: true,
      sha256: true,
      created_at: true,
      used_at: true,
      removed_at: true,
    },
  },
  // A lease that a dead process left behind goes along: it runs out by itself.
  deliveries: {
    key: ['id'],
    columns: {
      id: true,
      submission_id: true,
      form_id: true,
      project_id: true,
      target: true,
      url: true,
      body: true,
      state: true,
      next_attempt_at: true,
      created_at: true,
      attempt: true,
      trigger: true,
      queue: true,
      lease_token: true,
      lease_owner: true,
      reclaims: true,
    },
    large: ['body', 'url'],
  },
  delivery_attempts: {
    key: ['delivery_id', 'number'],
    columns: {
      delivery_id: true,
      number: true,
      at: true,
      trigger: true,
      status: true,
      duration_ms: true,
      error: true,
      response: true,
      dns_ms: true,
      connect_ms: true,
      first_byte_ms: true,
      remote_address: true,
    },
    large: ['response'],
  },
  mails: {
    key: ['id'],
    columns: {
      id: true,
      submission_id: true,
      form_id: true,
      recipient: true,
      state: true,
      attempt: true,
      next_attempt_at: true,
      lease_token: true,
      lease_owner: true,
      error: true,
      created_at: true,
    },
  },
  replays: {
    key: ['id'],
    columns: {
      id: true,
      account_id: true,
      form_id: true,
      project_id: true,
      since: true,
      until: true,
      delivery_state: true,
      per_minute: true,
      state: true,
      total: true,
      sent: true,
      after_id: true,
      created_at: true,
      finished_at: true,
    },
  },
  idempotency_keys: {
    key: ['form_id', 'key'],
    columns: {
      form_id: true,
      key: true,
      body_hash: true,
      submission_id: true,
      files: true,
      expires_at: true,
    },
    large: ['files'],
  },
  spent_challenges: { key: ['id'], columns: { id: true, expires_at: true } },
  turned_away_examples: {
    key: ['form_id', 'reason', 'id'],
    columns: { form_id: true, reason: true, id: true, at: true, seen: true, ip: true, user_agent: true },
    large: ['seen', 'user_agent'],
  },
};

export interface TableToCopy {
  readonly name: keyof Schema;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  readonly large: readonly string[];
}

export const copiedTables: readonly TableToCopy[] = Object.entries(tables).flatMap(([name, table]) =>
  'leftOut' in table
    ? []
    : [
        {
          name: name as keyof Schema,
          key: table.key,
          columns: Object.keys(table.columns),
          large: table.large ?? [],
        },
      ],
);
