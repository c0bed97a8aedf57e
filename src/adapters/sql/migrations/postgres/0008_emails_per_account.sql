-- An e-mail address is unique within its account, not in the whole instance: nobody learns who has an account elsewhere,
-- and nobody can take an address away.
CREATE UNIQUE INDEX users_by_email ON users (email, account_id);
ALTER TABLE users DROP CONSTRAINT users_email_key;
