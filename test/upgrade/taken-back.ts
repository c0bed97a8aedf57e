import { isOnPostgres } from '../support/engine.js';

const triggersDropped = (onPostgres: boolean): string =>
  onPostgres
    ? 'DROP FUNCTION users_of_before CASCADE;'
    : 'DROP TRIGGER users_made_before; DROP TRIGGER passwords_changed_before;';

/** Migrations 12 to 31 taken back: what they added is gone, with what was written into it. */
export const schemaEleven = (onPostgres = isOnPostgres): string => `
  ALTER TABLE accounts DROP COLUMN two_factors_required;
  ALTER TABLE sessions DROP COLUMN address;
  ALTER TABLE sessions DROP COLUMN user_agent;
  DROP TABLE invitations;
  DROP TABLE login_links;
  DROP TABLE authenticators;
  DROP TABLE recovery_codes;
  DROP TABLE passkeys;
  ${triggersDropped(onPostgres)}
  DROP INDEX sessions_by_provider;
  ALTER TABLE sessions DROP COLUMN provider_id;
  DROP TABLE identities;
  DROP TABLE identity_providers;
  DROP TABLE audit_entries;
  DROP TABLE audit_chains;
  DROP INDEX users_by_login;
  ALTER TABLE users DROP COLUMN login_id;
  ALTER TABLE users DROP COLUMN role;
  ALTER TABLE users DROP COLUMN projects;
  DROP TABLE logins;
  ALTER TABLE api_keys DROP COLUMN project_ids;
  DROP TABLE erasure_items;
  DROP TABLE erasures;
  DROP TABLE redactions;
  ALTER TABLE forms DROP COLUMN redact_fields;
  ALTER TABLE forms DROP COLUMN redacted_up_to;
  DROP INDEX files_of_form;
  ALTER TABLE forms DROP COLUMN store_ip;
  ALTER TABLE forms DROP COLUMN store_user_agent;
  ALTER TABLE forms DROP COLUMN file_retention_days;
  ALTER TABLE api_keys DROP COLUMN expires_at;
  DROP INDEX deliveries_of_digest;
  DROP INDEX deliveries_for_digest;
  DROP INDEX deliveries_digest_mails;
  ALTER TABLE deliveries DROP COLUMN digest_id;
  ALTER TABLE forms DROP COLUMN autoresponder;
  DROP INDEX deliveries_suppressed;
  DROP TABLE mail_permits;
  DROP TABLE mail_counts;
  DROP TABLE suppressed_addresses;
  DROP TABLE opt_ins;
  ALTER TABLE forms DROP COLUMN double_opt_in;

  ALTER TABLE forms DROP COLUMN hosted_page;
  ALTER TABLE forms DROP COLUMN hosted_page_title;
  ALTER TABLE forms DROP COLUMN hosted_page_text;
  ALTER TABLE forms DROP COLUMN hosted_page_indexed;

  ALTER TABLE forms DROP COLUMN opens_at;
  ALTER TABLE forms DROP COLUMN closes_at;
  ALTER TABLE forms DROP COLUMN max_submissions;
  DROP TABLE form_caps;

  ALTER TABLE forms DROP COLUMN fields;
  ALTER TABLE forms DROP COLUMN unknown_fields;

  DROP TABLE form_fields;
  DELETE FROM instance WHERE name = 'fields_learned';

  DROP INDEX forms_moving;
  ALTER TABLE forms DROP COLUMN moved_up_to;

  ALTER TABLE delivery_attempts DROP COLUMN request;
  ALTER TABLE delivery_attempts DROP COLUMN response_headers;
  ALTER TABLE forms DROP COLUMN is_archived;
  DROP TABLE form_quarter_hours;

  ALTER TABLE forms DROP COLUMN page_title;
  ALTER TABLE forms DROP COLUMN page_text;
  ALTER TABLE forms DROP COLUMN page_logo_url;
  ALTER TABLE forms DROP COLUMN page_color;

  DROP TABLE read_exceptions;
  DROP TABLE read_marks;
  DROP TABLE saved_views;
  DROP TABLE notes;
  DROP TABLE submission_labels;
  DROP TABLE labels;
  DROP INDEX submissions_by_form;
  DROP INDEX submissions_by_project;
  DROP INDEX submissions_by_form_folder;
  DROP INDEX submissions_by_project_folder;
  DROP INDEX submissions_trashed;
  DROP INDEX submissions_starred_by_form;
  DROP INDEX submissions_starred_by_project;
  DROP INDEX submissions_by_assignee;
  ALTER TABLE users DROP COLUMN read_up_to;
  ALTER TABLE submissions DROP COLUMN folder;
  ALTER TABLE submissions DROP COLUMN trashed_at;
  ALTER TABLE submissions DROP COLUMN is_starred;
  ALTER TABLE submissions DROP COLUMN assignee_id;
  CREATE INDEX submissions_by_form ON submissions (form_id, id);
  CREATE INDEX submissions_by_project ON submissions (project_id, id);
  DELETE FROM schema_migrations WHERE number > 11;
`;
