#!/usr/bin/env node
import { startService } from './compose.js';
/** The command line: parses, prints, exits. */
import { loadConfig } from './config/load.js';
import { createLogger } from './kernel/log.js';

const loaded = loadConfig(process.env);
if (!loaded.ok) {
  for (const fault of loaded.faults) process.stderr.write(`${fault}\n`);
  process.exit(1);
}
const log = createLogger(loaded.config.logLevel);
const service = await startService(loaded.config, log, { version: '0.1.0', onFatal: () => process.exit(1) });
process.stdout.write(`listening on ${service.port} key ${service.firstAccount?.apiKeyToShow}\n`);
process.on('SIGTERM', () => void service.stop().then(() => process.exit(0)));
