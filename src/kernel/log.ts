/** The logger: JSON lines on standard error's sibling, standard output; secrets never reach it. */
import { type Logger, pino } from 'pino';

export type { Logger };

// A last line of defence: nothing should log these, and if something does, they are gone.
const redacted = [
  'authorization',
  'cookie',
  'token',
  'api_key',
  'apiKey',
  'password',
  'secret',
  'webhookSecret',
  '*.authorization',
  '*.cookie',
  '*.token',
  '*.api_key',
  '*.apiKey',
  '*.password',
  '*.secret',
  '*.webhookSecret',
];

export const createLogger = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redacted, censor: '[hidden]' },
  });
