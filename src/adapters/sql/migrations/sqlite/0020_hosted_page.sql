-- The page with the form on it, at the form's own address: whether there is one, its words, and whether search engines may list it.
ALTER TABLE forms ADD COLUMN hosted_page INTEGER NOT NULL DEFAULT 0;
ALTER TABLE forms ADD COLUMN hosted_page_title TEXT;
ALTER TABLE forms ADD COLUMN hosted_page_text TEXT;
ALTER TABLE forms ADD COLUMN hosted_page_indexed INTEGER NOT NULL DEFAULT 0;
