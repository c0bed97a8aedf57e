/**
 * A start under systemd, with the journal as output. The journal stores what it gets and many users may read it, so secrets
 * go into files in the data folder that only its owner can read, and everything else is log lines from the start.
 */
import { fstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../kernel/log.js';
import { localUrl, type Started, setupUrl } from './welcome.js';

/** A terminal or a script started from a unit inherits the variable too, but has another output, so both must match. */
export function writesToJournal({ JOURNAL_STREAM }: NodeJS.ProcessEnv): boolean {
  if (JOURNAL_STREAM === undefined) return false;
  const { dev, ino } = fstatSync(1, { bigint: true });
  return JOURNAL_STREAM === `${dev}:${ino}`;
}

const keyFile = 'first-api-key';
const setupFile = 'setup-link';

/** Replaces the file, so that it has our permissions whatever was there before. */
function writeSecret(path: string, text: string): string {
  rmSync(path, { force: true });
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  return path;
}

export function logFirstKey(log: Logger, dataDir: string, apiKey: string): void {
  const file = writeSecret(join(dataDir, keyFile), apiKey);
  log.info({ api_key_file: file }, 'the first API key is in this file: read it, then delete the file');
}

export function logStart(log: Logger, started: Started): void {
  const { baseUrl, dataDir, database, files, version, role, processes, firstAccount, setupToken } = started;
  log.info(
    {
      version,
      address: localUrl(started.host, started.port),
      base_url: baseUrl,
      data_dir: dataDir,
      ...(database === null ? {} : { database }),
      ...(files === null ? {} : { files }),
      role,
      processes,
    },
    'serving',
  );
  if (firstAccount?.apiKey) logFirstKey(log, dataDir, firstAccount.apiKey);
  const link = join(dataDir, setupFile);
  if (setupToken === null) {
    rmSync(link, { force: true });
    return;
  }
  writeSecret(link, setupUrl(baseUrl, setupToken));
  log.info({ setup_link_file: link }, 'no user exists yet: open the link in this file, it works once');
}
