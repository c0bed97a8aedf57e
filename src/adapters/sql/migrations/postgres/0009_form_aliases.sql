-- Names that a form had at another form service: its id there, an access key, a form name or an e-mail address. Whatever
-- names one reaches the form, so an alias belongs to one form of the whole instance.
CREATE TABLE form_aliases (
  alias TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  form_id TEXT COLLATE "C" NOT NULL REFERENCES forms (id),
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX form_aliases_by_form ON form_aliases (form_id, id);
