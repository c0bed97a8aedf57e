-- Ids are TEXT (UUID v7), instants integer milliseconds, flags 0 or 1, lists JSON text. Payloads are TEXT and never
-- JSON columns: their bytes are signed and shown to users, and must come back as they went in.

-- What belongs to the instance as a whole, such as the value that tells whether the secret is the right one.
CREATE TABLE instance (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
);

CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  scope TEXT NOT NULL,
  prefix TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

CREATE TABLE users (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE projects (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  webhook_url TEXT,
  webhook_secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  allowed_origins TEXT NOT NULL,
  rate_limit_per_minute INTEGER NOT NULL,
  notify_emails TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
);
CREATE UNIQUE INDEX projects_by_slug ON projects (account_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX projects_by_account ON projects (account_id, id);
CREATE INDEX projects_deleted ON projects (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE forms (
  id TEXT PRIMARY KEY NOT NULL,
  public_id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  webhook_url TEXT,
  success_redirect TEXT,
  is_active INTEGER NOT NULL,
  validation_mode TEXT NOT NULL,
  allowed_origins TEXT NOT NULL,
  wait_for_webhook INTEGER NOT NULL,
  captcha_enabled INTEGER NOT NULL,
  captcha_provider TEXT NOT NULL,
  captcha_site_key TEXT,
  captcha_secret_key TEXT,
  sandbox_ips TEXT NOT NULL,
  sandbox_api_key TEXT,
  blocked_ips TEXT NOT NULL,
  notify_emails TEXT NOT NULL,
  retention_days INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
);
CREATE UNIQUE INDEX forms_by_slug ON forms (project_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX forms_by_project ON forms (project_id, id);
CREATE INDEX forms_deleted ON forms (deleted_at) WHERE deleted_at IS NOT NULL;

-- Counting a million rows takes longer than showing a page of them. The slot spreads one form's counter over
-- several rows, so that processes which share a database need not wait for each other; the total is their sum.
CREATE TABLE form_totals (
  form_id TEXT NOT NULL,
  slot INTEGER NOT NULL,
  submissions INTEGER NOT NULL,
  PRIMARY KEY (form_id, slot)
) WITHOUT ROWID;

-- `seq` is the order of commits and is never used twice: the search index follows it.
CREATE TABLE submissions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  form_id TEXT NOT NULL REFERENCES forms (id),
  project_id TEXT NOT NULL,
  data TEXT NOT NULL,
  ip TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  submitted_from TEXT NOT NULL,
  files_count INTEGER NOT NULL,
  webhook_state TEXT,
  created_at INTEGER NOT NULL
);
CREATE INDEX submissions_by_form ON submissions (form_id, id);
CREATE INDEX submissions_by_project ON submissions (project_id, id);
-- Only the rare states: 'delivered' is found by walking the plain index, and a form without webhook pays nothing.
CREATE INDEX submissions_by_form_state ON submissions (form_id, webhook_state, id)
  WHERE webhook_state IN ('pending', 'failed');
CREATE INDEX submissions_by_project_state ON submissions (project_id, webhook_state, id)
  WHERE webhook_state IN ('pending', 'failed');

CREATE TABLE files (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  field_name TEXT NOT NULL,
  filename TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  category TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- NULL once the bytes are gone; the row stays as the tombstone that answers 410.
  blob_key TEXT UNIQUE,
  uploaded_at INTEGER NOT NULL,
  deleted_at INTEGER
);
CREATE INDEX files_by_submission ON files (submission_id, id);
CREATE INDEX files_unremoved ON files (deleted_at) WHERE deleted_at IS NOT NULL AND blob_key IS NOT NULL;

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY NOT NULL,
  submission_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  target TEXT NOT NULL,
  url TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX deliveries_by_submission ON deliveries (submission_id, id);
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE state = 'pending';

CREATE TABLE delivery_attempts (
  delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  "trigger" TEXT NOT NULL,
  status INTEGER,
  duration_ms INTEGER NOT NULL,
  error TEXT,
  response TEXT,
  PRIMARY KEY (delivery_id, number)
);

CREATE TABLE idempotency_keys (
  form_id TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  files TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (form_id, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_by_submission ON idempotency_keys (submission_id);

-- Written behind the submissions, in steps, and brought up to date before every search: indexing inside the
-- submission's transaction doubled the cost of a row (19 to 39 microseconds).
CREATE VIRTUAL TABLE submission_search USING fts5 (
  scope, words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE TABLE search_progress (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  indexed_seq INTEGER NOT NULL
);
INSERT INTO search_progress VALUES (1, 0);
