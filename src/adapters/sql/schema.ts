/** The tables as Kysely sees them. The migrations are the truth; this mirrors them column by column. */
import type { Generated } from 'kysely';

/** Flags are 0 or 1 in both databases. */
export type Flag = 0 | 1;

export interface Schema {
  instance: { name: string; value: string };
  accounts: { id: string; name: string; plan: string; created_at: number };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    scope: string;
    prefix: string;
    key_hash: string;
    created_at: number;
    last_used_at: number | null;
  };
  users: { id: string; account_id: string; email: string; password_hash: string; created_at: number };
  sessions: {
    token_hash: string;
    user_id: string;
    created_at: number;
    last_seen_at: number;
    expires_at: number;
  };
  projects: ProjectRow;
  forms: FormRow;
  form_totals: { form_id: string; slot: number; submissions: number };
  submissions: SubmissionRow & { seq: Generated<number> };
  quarantined: QuarantinedRow;
  files: FileRow;
  image_variants: VariantRow;
  deliveries: DeliveryRow;
  delivery_attempts: AttemptRow;
  mails: MailRow;
  replays: ReplayRow;
  spent_challenges: { id: string; expires_at: number };
  form_days: { form_id: string; day: number; kind: string; slot: number; count: number };
  turned_away_examples: TurnedAwayRow;
  processes: ProcessRow;
  idempotency_keys: {
    form_id: string;
    key: string;
    body_hash: string;
    submission_id: string;
    files: string;
    expires_at: number;
  };
}

export interface ProjectRow {
  id: string;
  account_id: string;
  name: string;
  slug: string;
  webhook_url: string | null;
  /** Sealed. */
  webhook_secret: string;
  /** Sealed. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  allowed_origins: string;
  rate_limit_per_minute: number;
  notify_emails: string;
  is_active: Flag;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface FormRow {
  id: string;
  public_id: string;
  project_id: string;
  name: string;
  slug: string;
  webhook_url: string | null;
  success_redirect: string | null;
  is_active: Flag;
  validation_mode: string;
  allowed_origins: string;
  wait_for_webhook: Flag;
  captcha_enabled: Flag;
  captcha_provider: string;
  captcha_site_key: string | null;
  /** Sealed. */
  captcha_secret_key: string | null;
  sandbox_ips: string;
  /** Sealed. */
  sandbox_api_key: string | null;
  blocked_ips: string;
  notify_emails: string;
  retention_days: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface SubmissionRow {
  id: string;
  form_id: string;
  project_id: string;
  data: string;
  ip: string;
  user_agent: string;
  submitted_from: string;
  files_count: number;
  webhook_state: string | null;
  created_at: number;
}

export interface QuarantinedRow {
  id: string;
  form_id: string;
  project_id: string;
  data: string;
  ip: string;
  user_agent: string;
  submitted_from: string;
  field: string;
  files_dropped: number;
  size: number;
  created_at: number;
}

export interface FileRow {
  id: string;
  account_id: string;
  project_id: string;
  form_id: string;
  submission_id: string;
  field_name: string;
  filename: string;
  mime_type: string;
  category: string;
  size_bytes: number;
  sha256: string;
  blob_key: string | null;
  uploaded_at: number;
  deleted_at: number | null;
}

export interface VariantRow {
  blob_key: string;
  file_id: string;
  recipe: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  created_at: number;
  used_at: number;
  removed_at: number | null;
}

export interface DeliveryRow {
  id: string;
  submission_id: string;
  form_id: string;
  project_id: string;
  target: string;
  url: string;
  body: string;
  state: string;
  next_attempt_at: number | null;
  created_at: number;
  attempt: number;
  trigger: string;
  queue: number;
  lease_token: string | null;
  lease_owner: string | null;
  reclaims: number;
}

export interface MailRow {
  id: string;
  submission_id: string;
  form_id: string;
  recipient: string;
  state: string;
  attempt: number;
  next_attempt_at: number | null;
  lease_token: string | null;
  lease_owner: string | null;
  error: string | null;
  created_at: number;
}

export interface ReplayRow {
  id: string;
  account_id: string;
  form_id: string | null;
  project_id: string | null;
  since: number | null;
  until: number;
  delivery_state: string;
  per_minute: number;
  state: string;
  total: number;
  sent: number;
  after_id: string;
  created_at: number;
  finished_at: number | null;
}

export interface TurnedAwayRow {
  form_id: string;
  reason: string;
  id: string;
  at: number;
  seen: string;
  ip: string;
  user_agent: string;
}

export interface ProcessRow {
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  started_at: number;
  seen_at: number;
}

export interface AttemptRow {
  delivery_id: string;
  number: number;
  at: number;
  trigger: string;
  status: number | null;
  duration_ms: number;
  error: string | null;
  response: string | null;
  dns_ms: number | null;
  connect_ms: number | null;
  first_byte_ms: number | null;
  remote_address: string | null;
}
