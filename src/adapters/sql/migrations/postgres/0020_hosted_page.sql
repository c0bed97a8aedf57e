-- The page with the form on it, at the form's own address: whether there is one, its words, and whether search engines may list it.
ALTER TABLE forms ADD COLUMN hosted_page BIGINT NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN hosted_page_title TEXT COLLATE "C";
ALTER TABLE forms ADD COLUMN hosted_page_text TEXT COLLATE "C";
ALTER TABLE forms ADD COLUMN hosted_page_indexed BIGINT NOT NULL DEFAULT 0;
