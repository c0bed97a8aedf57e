-- Which fields the submissions of a form have had, learned by the commit that stores them. `name` is JSON text, because a name may
-- hold characters that no database takes; `kinds` is a set of bits, see model/observed-field.ts.
CREATE TABLE form_fields (
  form_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  kinds BIGINT NOT NULL,
  place BIGINT NOT NULL,
  first_seen_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  PRIMARY KEY (form_id, name)
);
