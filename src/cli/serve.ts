/** `inlet serve`: starts the service, says where it is, and stays until it is asked to end. */

import type { Service, ServiceOptions } from '../compose/service.js';
import type { Config } from '../config/options.js';
import type { FirstAccount } from '../domain/accounts/first-account.js';
import { createLogger, type Logger } from '../kernel/log.js';
import { CannotRun, type Command } from './command.js';
import { type Ending, watchForEnd } from './ending.js';
import { requireConfig } from './foundation.js';
import type { Terminal } from './terminal.js';
import { readVersion } from './version.js';
import { welcomeJson, welcomeLines } from './welcome.js';

export const serveCommand: Command = {
  words: ['serve'],
  summary: 'Serve (the default).',
  notes: [
    'Stops on SIGTERM or SIGINT: requests in flight finish, within 20 seconds at most. A second signal ends at once.',
  ],
  options: {
    role: {
      value: 'ROLE',
      choices: ['all', 'api', 'worker'],
      doc: 'What this process does. The embedded database has one process, which does all.',
    },
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const role = args.text('role') ?? 'all';
    if (role !== 'all') {
      throw new CannotRun(
        `--role ${role} needs a database that several processes share; the embedded one has one process. ` +
          'Use --role all.',
      );
    }
    const log = createLogger(config.logLevel);
    const ending = watchForEnd(log);
    try {
      return await serveUntilEnd(config, log, ending, terminal);
    } finally {
      ending.release();
    }
  },
};

async function serveUntilEnd(
  config: Config,
  log: Logger,
  ending: Ending,
  terminal: Terminal,
): Promise<number> {
  const version = await readVersion();
  let made: FirstAccount | null = null;
  const service = await start(config, log, {
    version,
    onFatal: ending.fail,
    onFirstAccount: (account) => {
      made = account;
    },
  }).catch((error: unknown) => {
    saveKey(made, terminal);
    throw error;
  });
  const { firstAccount } = service;
  const started = {
    host: config.host,
    port: service.port,
    baseUrl: config.baseUrl,
    dataDir: service.dataDir.path,
    version,
    firstAccount: firstAccount && { apiKey: firstAccount.apiKeyToShow },
    setupToken: service.setupToken,
  };
  if (terminal.json) terminal.sayJson(welcomeJson(started));
  else terminal.say(...welcomeLines(started));

  const code = await ending.asked;
  await service.stop();
  log.info('stopped');
  return code;
}

async function start(config: Config, log: Logger, options: ServiceOptions): Promise<Service> {
  const { openFoundation, UnsupportedSettings } = await import('../compose/foundation.js');
  try {
    // The database opens in its own threads while this one loads the framework.
    const [foundation, { startService }] = await Promise.all([
      openFoundation(config, log, { exclusive: true, database: 'migrate', onFatal: options.onFatal }),
      import('../compose/service.js'),
    ]);
    return await startService(config, log, foundation, options);
  } catch (error) {
    throw error instanceof UnsupportedSettings ? new CannotRun(...error.faults) : error;
  }
}

/** The account is stored although the start failed afterwards: the next start will not show its key. */
function saveKey(made: FirstAccount | null, terminal: Terminal): void {
  if (!made?.apiKeyToShow) return;
  if (terminal.json) terminal.sayJson({ api_key: made.apiKeyToShow });
  else terminal.say(`API key  ${made.apiKeyToShow} (shown only now)`);
}
