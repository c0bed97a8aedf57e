-- The inbox. Moving, starring, assigning and labelling touch rows that people work on; a new submission has the defaults, is
-- in none of the partial indexes, and writes nothing about who has read it.
ALTER TABLE submissions ADD COLUMN folder TEXT NOT NULL DEFAULT 'inbox';
ALTER TABLE submissions ADD COLUMN trashed_at INTEGER;
ALTER TABLE submissions ADD COLUMN is_starred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE submissions ADD COLUMN assignee_id TEXT;

-- The folder stands in the index of the list, so that a list of one folder walks past the others without reading their rows.
DROP INDEX submissions_by_form;
CREATE INDEX submissions_by_form ON submissions (form_id, id, folder);
DROP INDEX submissions_by_project;
CREATE INDEX submissions_by_project ON submissions (project_id, id, folder);
CREATE INDEX submissions_by_form_folder ON submissions (form_id, folder, id) WHERE folder <> 'inbox';
CREATE INDEX submissions_by_project_folder ON submissions (project_id, folder, id) WHERE folder <> 'inbox';
CREATE INDEX submissions_trashed ON submissions (trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX submissions_starred_by_form ON submissions (form_id, id) WHERE is_starred = 1;
CREATE INDEX submissions_starred_by_project ON submissions (project_id, id) WHERE is_starred = 1;
CREATE INDEX submissions_by_assignee ON submissions (assignee_id, id) WHERE assignee_id IS NOT NULL;

CREATE TABLE labels (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  -- The name in lower case: two labels differ by more than that.
  name_key TEXT NOT NULL,
  color TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX labels_by_name ON labels (account_id, name_key);

CREATE TABLE submission_labels (
  label_id TEXT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  submission_id TEXT NOT NULL,
  PRIMARY KEY (label_id, submission_id)
) WITHOUT ROWID;
CREATE INDEX submission_labels_by_submission ON submission_labels (submission_id, label_id);

CREATE TABLE notes (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  submission_id TEXT NOT NULL,
  -- NULL: written with an API key.
  author_id TEXT,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX notes_by_submission ON notes (submission_id, id);

CREATE TABLE saved_views (
  id TEXT PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  form_id TEXT,
  project_id TEXT,
  query TEXT NOT NULL,
  position INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX saved_views_by_account ON saved_views (account_id, position, id);

-- What a user has read: everything up to a submission, of all forms (`users`) or of one (`read_marks`), but for the exceptions.
ALTER TABLE users ADD COLUMN read_up_to TEXT NOT NULL DEFAULT '';
UPDATE users SET read_up_to = COALESCE((SELECT max(id) FROM submissions), '');

CREATE TABLE read_marks (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  form_id TEXT NOT NULL,
  read_up_to TEXT NOT NULL,
  PRIMARY KEY (user_id, form_id)
) WITHOUT ROWID;
CREATE INDEX read_marks_by_form ON read_marks (form_id);

CREATE TABLE read_exceptions (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  form_id TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  is_read INTEGER NOT NULL,
  PRIMARY KEY (user_id, form_id, submission_id)
) WITHOUT ROWID;
CREATE INDEX read_exceptions_by_submission ON read_exceptions (submission_id);
CREATE INDEX read_exceptions_unread ON read_exceptions (user_id, form_id, submission_id) WHERE is_read = 0;
