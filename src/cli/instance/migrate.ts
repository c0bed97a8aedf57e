/** `inlet migrate`: updates the database to the schema of this version, without serving. */
import { maskUrl } from '../../config/urls.js';
import type { Command } from '../command.js';
import { requireConfig, withFoundation } from '../foundation.js';

export const migrateCommand: Command = {
  words: ['migrate'],
  summary: 'Update the database schema to this version. Creates the database if there is none.',
  notes: ['The service also does this when it starts. Use this command to do it beforehand.'],
  options: {},
  run({ env, terminal }) {
    const config = requireConfig(env);
    return withFoundation(config, 'migrate', async ({ migrated, dataDir }) => {
      const database = config.databaseUrl === null ? dataDir.database : maskUrl(config.databaseUrl);
      if (terminal.json) terminal.sayJson({ database, applied: migrated });
      else if (migrated.length === 0) terminal.say(`Nothing to do: ${database} is up to date.`);
      else terminal.say(...migrated.map((name) => `applied  ${name}`), `${database} is up to date.`);
      return 0;
    });
  },
};
