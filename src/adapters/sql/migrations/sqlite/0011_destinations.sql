-- Where submissions are sent to. A built-in destination stands for `webhook_url` or `notify_emails` of its form or project:
-- its id follows from its owner's, and it has a row only once something is known of it beyond those settings.
CREATE TABLE destinations (
  id TEXT PRIMARY KEY NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  form_id TEXT REFERENCES forms (id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  built_in INTEGER NOT NULL,
  -- Sealed, because it holds secrets; empty for a built-in one.
  config TEXT NOT NULL,
  filter TEXT,
  template TEXT,
  retry_delays TEXT,
  -- How sending to it goes: failed attempts since the last success, and since when.
  failures INTEGER NOT NULL,
  failing_since INTEGER,
  last_success_at INTEGER,
  last_error TEXT,
  disabled_at INTEGER,
  -- What its owners were told last: ok, failing or disabled.
  told_state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX destinations_by_form ON destinations (form_id, id) WHERE form_id IS NOT NULL;
CREATE INDEX destinations_by_project ON destinations (project_id, form_id, id);
CREATE INDEX destinations_failing ON destinations (id) WHERE failures > 0 OR told_state <> 'ok';

-- Those that were not sent there because of its filter; ids in a JSON list.
ALTER TABLE submissions ADD COLUMN skipped_destinations TEXT;

-- Deliveries of before have no destination_id: it follows from `target`.
ALTER TABLE deliveries ADD COLUMN destination_id TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN kind TEXT NOT NULL DEFAULT 'webhook';
-- The origin and the destination: each destination has its own queue, and those of one origin are limited together.
ALTER TABLE deliveries ADD COLUMN lane TEXT NOT NULL DEFAULT '';
-- The other side asked to be left alone until then.
ALTER TABLE deliveries ADD COLUMN held_until INTEGER;
-- Attempts that somebody asked for are none of the schedule, which goes on after them.
ALTER TABLE deliveries ADD COLUMN extra_attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN resume_at INTEGER;

UPDATE deliveries SET
  destination_id = CASE target
    WHEN 'form' THEN substr(form_id, 1, 14) || '8' || substr(form_id, 16)
    ELSE substr(project_id, 1, 14) || '8' || substr(project_id, 16) END
WHERE state = 'pending';
-- Queues have other numbers, so that processes of the release before find none of these. What they are sending stays theirs
-- until it has ended; then it is taken in, as is what they still queue.
UPDATE deliveries SET lane = ' ' || destination_id, queue = queue + 4 WHERE state = 'pending' AND lease_token IS NULL;
CREATE INDEX deliveries_of_before ON deliveries (id) WHERE state = 'pending' AND queue < 4;

DROP INDEX deliveries_queue;
CREATE INDEX deliveries_queue ON deliveries (lane, queue, next_attempt_at, id) WHERE state = 'pending';

-- A replay of one destination sends it submissions that it never got.
ALTER TABLE replays ADD COLUMN destination_id TEXT;
ALTER TABLE replays ADD COLUMN filter TEXT;

-- Mails are deliveries too. The table stays: processes of the release before still write to it, and send what they have begun.
INSERT INTO deliveries (id, submission_id, form_id, project_id, target, url, body, state, next_attempt_at, created_at,
    attempt, queue, destination_id, kind, lane)
  SELECT m.id, m.submission_id, m.form_id, f.project_id, 'form', m.recipient, '',
    CASE m.state WHEN 'sent' THEN 'delivered' ELSE m.state END, m.next_attempt_at, m.created_at,
    m.attempt, CASE m.attempt WHEN 0 THEN 5 ELSE 6 END,
    substr(f.id, 1, 14) || '5' || substr(f.id, 16), 'email', 'smtp ' || substr(f.id, 1, 14) || '5' || substr(f.id, 16)
  FROM mails m JOIN forms f ON f.id = m.form_id WHERE m.lease_token IS NULL;
INSERT INTO delivery_attempts (delivery_id, number, at, "trigger", duration_ms, error)
  SELECT m.id, m.attempt, m.created_at, 'auto', 0, m.error FROM mails m JOIN forms f ON f.id = m.form_id
  WHERE m.attempt > 0 AND m.lease_token IS NULL;
UPDATE submissions SET webhook_state = 'pending'
  WHERE id IN (SELECT submission_id FROM mails WHERE state = 'pending');
DELETE FROM mails WHERE lease_token IS NULL;
