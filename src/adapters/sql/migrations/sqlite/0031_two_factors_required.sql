-- 1: users of the account who sign in with a password need a second factor.
ALTER TABLE accounts ADD COLUMN two_factors_required INTEGER NOT NULL DEFAULT 0;
