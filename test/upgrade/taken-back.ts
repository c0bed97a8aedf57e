import { readdirSync, readFileSync } from 'node:fs';
import { isOnPostgres } from '../support/engine.js';

const added =
  /^(?:CREATE (?<kind>TABLE|(?:UNIQUE )?INDEX) (?<made>\w+)|ALTER TABLE (?<table>\w+) ADD COLUMN (?<column>\w+))/gm;

/** Drops the tables, indexes and columns that migrations after the eleventh add, starting with the last one. */
function additionsDropped(onPostgres: boolean): string {
  const folder = new URL(
    `../../src/adapters/sql/migrations/${onPostgres ? 'postgres' : 'sqlite'}/`,
    import.meta.url,
  );
  return readdirSync(folder)
    .filter((name) => name > '0012')
    .sort()
    .flatMap((name) => [...readFileSync(new URL(name, folder), 'utf8').matchAll(added)])
    .map(({ groups: { kind, made, table, column } = {} }) =>
      kind === undefined
        ? `ALTER TABLE ${table} DROP COLUMN ${column};`
        : `DROP ${kind.replace('UNIQUE ', '')} ${made};`,
    )
    .reverse()
    .join('\n');
}

const triggersDropped = (onPostgres: boolean): string =>
  onPostgres
    ? 'DROP FUNCTION users_of_before CASCADE;'
    : 'DROP TRIGGER users_made_before; DROP TRIGGER passwords_changed_before;';

/** Takes back all migrations after the eleventh and the data in what they added. Anything else is taken back by hand. */
export const schemaEleven = (onPostgres = isOnPostgres): string => `
  ${triggersDropped(onPostgres)}
  ${additionsDropped(onPostgres)}
  DELETE FROM instance WHERE name = 'fields_learned';
  CREATE INDEX submissions_by_form ON submissions (form_id, id);
  CREATE INDEX submissions_by_project ON submissions (project_id, id);
  DELETE FROM schema_migrations WHERE number > 11;
`;
