/** `inlet serve`: starts the service, prints its address, and runs until it is asked to stop. */
import { resolve } from 'node:path';
import type { Service, ServiceOptions } from '../../compose/service.js';
import type { Config } from '../../config/options.js';
import { maskUrl } from '../../config/urls.js';
import { createLogger, type Logger } from '../../kernel/log.js';
import { type Role, roles } from '../../model/process.js';
import { CannotRun, type Command, WrongUsage } from '../command.js';
import { internalErrorLines, reasonsOf } from '../failure.js';
import { requireConfig } from '../foundation.js';
import type { Terminal } from '../terminal.js';
import { readVersion } from '../version.js';
import { type ClusterProcess, joinCluster } from './cluster-process.js';
import { type Ending, watchForEnd } from './ending.js';
import { logFirstKey, logStart, writesToJournal } from './journal.js';
import { connectSystemd, reportEveryMs } from './systemd.js';
import { openWhenAvailable } from './waiting.js';
import { type Started, type StartReport, welcomeJson, welcomeLines } from './welcome.js';

const words = ['serve'];
const mostProcesses = 64;

export const serveCommand: Command = {
  words,
  summary: 'Start the service (the default command).',
  notes: [
    'SIGTERM or SIGINT stops it: it drains for SHUTDOWN_DRAIN, then requests in flight have SHUTDOWN_GRACE to finish. A second signal stops it immediately.',
    'Roles and several processes require DATABASE_URL: the embedded database supports one process, which does everything.',
  ],
  options: {
    role: {
      value: 'ROLE',
      choices: roles,
      doc: 'What this process does: handle requests (api), send webhooks and mails (worker), or both (all, the default).',
    },
    processes: {
      value: 'N',
      doc: 'Number of processes that share the port, from 2 to 64. A process that dies is restarted.',
    },
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    const role = (args.text('role') ?? 'all') as Role;
    const processes = processesOf(args.text('processes'));
    refuseEmbedded(config, role, processes);
    const log = createLogger(config.logLevel);
    const member = joinCluster();
    const ending = watchForEnd(log, {
      isLed: member !== null,
      longestStopMs: longestStopMs(config),
      npmEvent: env.npm_lifecycle_event ?? null,
    });
    const everyMs = reportEveryMs(env);
    if (member) return serveInCluster(config, role, log, ending, member, everyMs).finally(ending.release);
    const systemd = connectSystemd(env, log);
    void ending.asked.then(() => systemd?.stopping());
    const toJournal = !terminal.json && writesToJournal(env);
    const reported = toJournal
      ? journalReport(log, config, terminalReport(terminal))
      : terminalReport(terminal);
    const report: StartReport = {
      ...reported,
      started(started) {
        reported.started(started);
        systemd?.ready();
      },
    };
    try {
      if (processes === null) return await serveAlone(config, role, log, ending, report);
      const { leadCluster } = await import('./cluster-leader.js');
      return await leadCluster({ count: processes, reportEveryMs: everyMs, log, ending, report });
    } finally {
      ending.release();
      systemd?.release();
    }
  },
};

/** Webhooks and mails in flight get 4 seconds at the end. */
const longestStopMs = ({ shutdownDrainMs, shutdownGraceMs }: Config): number =>
  shutdownDrainMs + shutdownGraceMs + 5_000;

function processesOf(text: string | null): number | null {
  if (text === null) return null;
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (count >= 2 && count <= mostProcesses) return count;
  throw new WrongUsage(`--processes "${text}" is not a number from 2 to ${mostProcesses}.`, words);
}

function refuseEmbedded(config: Config, role: Role, processes: number | null): void {
  if (config.databaseUrl !== null) return;
  const needs = 'needs a database that several processes share; the embedded one has one process.';
  const set = 'Set DATABASE_URL to a PostgreSQL database, or';
  const faults = [
    ...(role === 'all' ? [] : [`--role ${role} ${needs} ${set} use --role all.`]),
    ...(processes === null ? [] : [`--processes ${processes} ${needs} ${set} leave --processes out.`]),
  ];
  if (faults.length > 0) throw new CannotRun(...faults);
}

async function serveAlone(
  config: Config,
  role: Role,
  log: Logger,
  ending: Ending,
  report: StartReport,
): Promise<number> {
  let madeKey: string | null = null;
  return serveUntilEnd(config, role, log, ending, {
    peerMetrics: null,
    onFirstAccount: ({ apiKeyToShow }) => {
      madeKey = apiKeyToShow;
    },
    onStarted: report.started,
  }).catch((error: unknown) => {
    if (madeKey !== null) report.keyOfFailedStart(madeKey);
    throw error;
  });
}

/** The leader prints everything: once, not once per process. */
async function serveInCluster(
  config: Config,
  role: Role,
  log: Logger,
  ending: Ending,
  member: ClusterProcess,
  everyMs: number | null,
): Promise<number> {
  member.onStop(ending.end);
  const beat = (): void => member.tell({ inlet: 'alive' });
  try {
    const code = await serveUntilEnd(config, role, log, ending, {
      peerMetrics: member.peerMetrics,
      onFirstAccount: ({ apiKeyToShow }) => member.tell({ inlet: 'first-account', apiKey: apiKeyToShow }),
      onStarted(started) {
        member.tell({ inlet: 'started', started });
        if (everyMs !== null) setInterval(beat, everyMs).unref();
      },
    });
    await member.leaveNumbers();
    return code;
  } catch (error) {
    member.tell({ inlet: 'failed', lines: reasonsOf(error) ?? internalErrorLines(error) });
    return 1;
  }
}

interface Serving extends Pick<ServiceOptions, 'peerMetrics' | 'onFirstAccount'> {
  onStarted(started: Started): void;
}

async function serveUntilEnd(
  config: Config,
  role: Role,
  log: Logger,
  ending: Ending,
  { peerMetrics, onFirstAccount, onStarted }: Serving,
): Promise<number> {
  const version = await readVersion();
  const service = await start(config, log, ending, {
    ...{ version, role, peerMetrics, onFirstAccount },
    onFatal: ending.fail,
  });
  if (!service) return ending.asked;
  const { firstAccount } = service;
  onStarted({
    host: config.host,
    port: service.port,
    baseUrl: config.baseUrl,
    dataDir: service.dataDir.path,
    database: config.databaseUrl === null ? null : maskUrl(config.databaseUrl),
    files: config.storageUrl,
    version,
    role,
    processes: 1,
    firstAccount: firstAccount && { apiKey: firstAccount.apiKeyToShow },
    setupToken: service.setupToken,
  });
  const code = await ending.asked;
  await service.stop({ drains: code === 0 });
  log.info('stopped');
  return code;
}

/** Returns null when a stop was requested before the database was available. */
async function start(
  config: Config,
  log: Logger,
  ending: Ending,
  options: ServiceOptions,
): Promise<Service | null> {
  const { openFoundation } = await import('../../compose/foundation.js');
  const use = { exclusive: true, database: 'migrate', onFatal: options.onFatal } as const;
  // The database opens in its own threads while this one loads the framework.
  const [foundation, { startService }] = await Promise.all([
    openWhenAvailable(() => openFoundation(config, log, use), log, ending),
    import('../../compose/service.js'),
  ]);
  return foundation && startService(config, log, foundation, options);
}

const terminalReport = (terminal: Terminal): StartReport => ({
  started(started) {
    if (terminal.json) terminal.sayJson(welcomeJson(started));
    else terminal.say(...welcomeLines(started));
  },
  keyOfFailedStart(apiKey) {
    if (terminal.json) terminal.sayJson({ api_key: apiKey });
    else terminal.say(`API key  ${apiKey} (shown only now)`);
  },
});

/** A key that cannot be written to its file is printed after all, because it is never shown again. */
function journalReport(log: Logger, { dataDir }: Config, instead: StartReport): StartReport {
  const orElse = (work: () => void, print: () => void): void => {
    try {
      work();
    } catch (error) {
      log.warn({ err: error }, 'secrets of the first start cannot be written to the data folder');
      print();
    }
  };
  return {
    started: (started) =>
      orElse(
        () => logStart(log, started),
        () => instead.started(started),
      ),
    keyOfFailedStart: (apiKey) =>
      orElse(
        () => logFirstKey(log, resolve(dataDir), apiKey),
        () => instead.keyOfFailedStart(apiKey),
      ),
  };
}
