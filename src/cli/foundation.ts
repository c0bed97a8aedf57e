/** What commands stand on: right settings, and the data of an instance that another process may be serving. */
import type { DatabaseUse, Foundation } from '../compose/foundation.js';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/options.js';
import { createLogger } from '../kernel/log.js';
import type { Account } from '../model/account.js';
import { CannotRun, WrongUsage } from './command.js';

/** Every fault at once, before anything is opened. */
export function requireConfig(env: NodeJS.ProcessEnv): Config {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new CannotRun(...loaded.faults);
  return loaded.config;
}

export async function withFoundation<T>(
  config: Config,
  use: DatabaseUse,
  work: (foundation: Foundation) => Promise<T>,
): Promise<T> {
  const foundation = await openForCommand(config, use);
  try {
    return await work(foundation);
  } finally {
    await foundation.close();
  }
}

export async function openForCommand(config: Config, use: DatabaseUse): Promise<Foundation> {
  // Loaded here, so that `inlet config` and the help answer without waiting for the whole service.
  const { openFoundation } = await import('../compose/foundation.js');
  const log = createLogger('warn', 'stderr');
  return openFoundation(config, log, {
    exclusive: false,
    database: use,
    onFatal: (error) => log.fatal({ err: error }, 'the database file can no longer be written'),
  });
}

/** The account that is named, or the only one there is. */
export async function requireAccount(
  { accounts }: Foundation,
  id: string | null,
  words: readonly string[],
): Promise<Account> {
  if (id !== null) {
    const found = await accounts.find(id);
    if (!found) throw new CannotRun(`There is no account ${id}. See them all: inlet accounts list`);
    return found;
  }
  const [only, ...others] = await accounts.list();
  if (!only) throw new CannotRun('There is no account yet. Make one: inlet accounts create --name NAME');
  if (others.length > 0) {
    throw new WrongUsage(
      `There are ${others.length + 1} accounts: name one with --account ID (see: inlet accounts list).`,
      words,
    );
  }
  return only;
}

const longestName = 200;

export function requireName(text: string, words: readonly string[]): string {
  const name = text.trim();
  if (name.length > longestName) {
    throw new WrongUsage(`--name is longer than ${longestName} characters.`, words);
  }
  return name;
}
