/** What commands build on: valid settings, and the data of an instance that another process may be serving. */
import type { DatabaseUse, Foundation } from '../compose/foundation.js';
import { loadConfig } from '../config/load.js';
import type { Config } from '../config/options.js';
import type { Account } from '../model/account.js';
import { CannotRun, WrongUsage } from './command.js';

/** Reports every fault at once, before anything is opened. */
export function requireConfig(env: NodeJS.ProcessEnv): Config {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new CannotRun(...loaded.faults);
  return loaded.config;
}

// Loaded on demand, so that `inlet config` and the help do not wait for the whole service.
const load = () => import('../compose/foundation.js');

export const withFoundation = async <T>(
  config: Config,
  use: DatabaseUse,
  work: (foundation: Foundation) => Promise<T>,
): Promise<T> => (await load()).withFoundation(config, use, work);

export const openForCommand = async (config: Config, use: DatabaseUse): Promise<Foundation> =>
  (await load()).openForCommand(config, use);

/** The named account, or the only one there is. */
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

/** The named account, or all of them. */
export const accountsMeant = async (
  foundation: Foundation,
  id: string | null,
  words: readonly string[],
): Promise<readonly Account[]> =>
  id === null ? foundation.accounts.list() : [await requireAccount(foundation, id, words)];

const longestName = 200;

export function requireName(text: string, words: readonly string[]): string {
  const name = text.trim();
  if (name.length > longestName) {
    throw new WrongUsage(`--name is longer than ${longestName} characters.`, words);
  }
  return name;
}
