/** Migrations 12 to 23 taken back, on either engine: what they added is gone, with what was written into it. */
export const schemaEleven = `
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
