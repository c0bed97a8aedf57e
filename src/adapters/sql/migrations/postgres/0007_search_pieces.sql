-- Nothing: the step of SQLite with this number, because the numbers are the same for both.
SELECT 1;
