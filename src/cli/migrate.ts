/** `inlet migrate`: brings the database to the schema of this version, without serving. */
import type { Command } from './command.js';
import { requireConfig, withFoundation } from './foundation.js';

export const migrateCommand: Command = {
  words: ['migrate'],
  summary: 'Bring the database to the schema of this version; made if there is none.',
  notes: ['Serving does the same at its start. This is for those who want it done before.'],
  options: {},
  run: ({ env, terminal }) =>
    withFoundation(requireConfig(env), 'migrate', async ({ migrated, dataDir }) => {
      if (terminal.json) terminal.sayJson({ database: dataDir.database, applied: migrated });
      else if (migrated.length === 0) terminal.say(`Nothing to do: ${dataDir.database} is up to date.`);
      else terminal.say(...migrated.map((name) => `applied  ${name}`), `${dataDir.database} is up to date.`);
      return 0;
    }),
};
