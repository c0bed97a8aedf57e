-- Control fields of a form (_subject, _cc, _next, ...): never data, but the owner can see what was asked for.
ALTER TABLE submissions ADD COLUMN control_fields TEXT;
ALTER TABLE quarantined ADD COLUMN control_fields TEXT;
-- Whom a page may have copied on notifications (_cc): a JSON list of addresses.
ALTER TABLE forms ADD COLUMN allowed_cc_emails TEXT NOT NULL DEFAULT '[]';
