-- A large submission is put into the search index in pieces, so that others are committed between them: a mebibyte of
-- different words held the only writer for 290 ms. `rowid` is the submission's seq * 2^24 + where in its words the piece
-- begins; words that stand in different pieces are brought together when they are searched for.
CREATE VIRTUAL TABLE submission_search_pieces USING fts5 (
  scope, words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
-- The large submission that is being indexed, and how much of its words is.
ALTER TABLE search_progress ADD COLUMN partial_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE search_progress ADD COLUMN partial_length INTEGER NOT NULL DEFAULT 0;

-- The index is merged in steps of its own: those that it takes on top of a write were up to ten times as long as the write.
INSERT INTO submission_search (submission_search, rank) VALUES ('automerge', 0);
INSERT INTO submission_search_pieces (submission_search_pieces, rank) VALUES ('automerge', 0);
