/** Starts the demo instance and everything outside it, fills it, and runs until it is asked to stop. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Service } from '../../compose/service.js';
import type { Config } from '../../config/options.js';
import { createLogger, type Logger } from '../../kernel/log.js';
import type { Store } from '../../ports/store.js';
import type { CommandInput } from '../command.js';
import { requireConfig } from '../foundation.js';
import { type Ending, watchForEnd } from '../serve/ending.js';
import { localUrl } from '../serve/welcome.js';
import { alignedRows, type Terminal } from '../terminal.js';
import { readVersion } from '../version.js';
import { newPassword, type SignIn, signInDemo } from './api.js';
import { fillDemo } from './fill.js';
import { freePort, type Outside, openOutside } from './outside.js';

const longestStopMs = 10_000;

export async function runDemo({ env, terminal }: CommandInput): Promise<number> {
  const outside = await openOutside();
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-demo-'));
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  // Also when a second signal ends the process at once.
  process.once('exit', remove);
  try {
    const who = { email: 'ada@example.com', password: newPassword() };
    const config = requireConfig(await settings(env, dataDir, outside, who));
    return await serve(config, env, { outside, who, terminal });
  } finally {
    outside.close();
    remove();
    process.off('exit', remove);
  }
}

/** The operator's own settings must not reach a demo: it would fill the operator's database. */
async function settings(
  env: NodeJS.ProcessEnv,
  dataDir: string,
  { mailUrl, places }: Outside,
  { email, password }: SignIn,
): Promise<NodeJS.ProcessEnv> {
  const host = env.HOST ?? '127.0.0.1';
  const port = env.PORT ?? String(await freePort());
  return {
    HOST: host,
    PORT: port,
    BASE_URL: localUrl(host, Number(port)),
    DATA_DIR: dataDir,
    LOG_LEVEL: env.LOG_LEVEL ?? 'error',
    INLET_ADMIN_EMAIL: email,
    INLET_ADMIN_PASSWORD: password,
    SMTP_URL: mailUrl,
    MAIL_FROM: 'The bookshop <forms@example.com>',
    TELEGRAM_API_URL: places.good,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    // Short, so that you can watch a destination fail and recover.
    WEBHOOK_RETRY_DELAYS: '5,20,120,600',
    RATE_LIMIT_PER_MINUTE: '1000',
    SHUTDOWN_DRAIN: '0',
    SHUTDOWN_GRACE: '1',
  };
}

interface Demo {
  readonly outside: Outside;
  readonly who: SignIn;
  readonly terminal: Terminal;
}

async function serve(config: Config, env: NodeJS.ProcessEnv, demo: Demo): Promise<number> {
  const log = createLogger(config.logLevel);
  const ending = watchForEnd(log, { isLed: false, longestStopMs, npmEvent: env.npm_lifecycle_event ?? null });
  try {
    const { service, store } = await start(config, log, ending);
    try {
      const filled = fill(config, store, demo);
      // When stopped during the fill, its errors do not matter.
      filled.catch(() => {});
      const code = await Promise.race([ending.asked, filled]);
      if (code === undefined) report(config, demo);
      return code ?? (await ending.asked);
    } finally {
      await service.stop({ drains: false });
    }
  } finally {
    ending.release();
  }
}

async function start(
  config: Config,
  log: Logger,
  { fail }: Ending,
): Promise<{ readonly service: Service; readonly store: Store }> {
  const [{ openFoundation }, { startService }, version] = await Promise.all([
    import('../../compose/foundation.js'),
    import('../../compose/service.js'),
    readVersion(),
  ]);
  const foundation = await openFoundation(config, log, {
    exclusive: true,
    database: 'migrate',
    onFatal: fail,
  });
  const service = await startService(config, log, foundation, {
    ...{ version, role: 'all', peerMetrics: null, onFirstAccount: () => {} },
  });
  return { service, store: foundation.store };
}

async function fill({ baseUrl }: Config, store: Store, { outside, who, terminal }: Demo): Promise<void> {
  terminal.note('Filling the demo. This takes some seconds.');
  const api = await signInDemo(baseUrl, who);
  const forms = await fillDemo({ api, tallies: store.tallies, outside, now: Date.now() });
  outside.show({ dashboardUrl: `${baseUrl}/dashboard`, forms });
}

function report({ baseUrl, dataDir }: Config, { outside, who, terminal }: Demo): void {
  const { email, password } = who;
  const dashboardUrl = `${baseUrl}/dashboard`;
  if (terminal.json) {
    terminal.sayJson({
      dashboard_url: dashboardUrl,
      email,
      password,
      try_url: outside.url,
      data_dir: dataDir,
    });
    return;
  }
  const rows = [
    ['Dashboard', dashboardUrl],
    ['E-mail', email],
    ['Password', password],
    ['Forms to try', outside.url],
    ['Data', `${dataDir} (deleted when you stop)`],
  ];
  terminal.say(
    'The Inlet demo is running. Everything in it is made up.',
    ...alignedRows(rows).map((line) => `  ${line}`),
    '',
    'Press Ctrl+C to stop.',
  );
}
