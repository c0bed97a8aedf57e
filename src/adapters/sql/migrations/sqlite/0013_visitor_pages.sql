-- How the pages look that visitors of a form see; null: as Inlet makes them.
ALTER TABLE forms ADD COLUMN page_title TEXT;
ALTER TABLE forms ADD COLUMN page_text TEXT;
ALTER TABLE forms ADD COLUMN page_logo_url TEXT;
ALTER TABLE forms ADD COLUMN page_color TEXT;
