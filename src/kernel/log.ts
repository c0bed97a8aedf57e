/** Writes JSON lines to standard output, or to standard error where standard output is for results. Secrets are redacted. */
import { type Logger, pino } from 'pino';

export type { Logger };

// A last line of defence: nothing should log these values, and if something does, they are redacted.
const secretNames = [
  'authorization',
  'cookie',
  'token',
  'api_key',
  'apiKey',
  'sandboxApiKey',
  'captchaSecretKey',
  'password',
  'secret',
  'webhookSecret',
];
const redacted = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

export const createLogger = (level: string, to: 'stdout' | 'stderr' = 'stdout'): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '[hidden]' },
    },
    pino.destination(to === 'stdout' ? 1 : 2),
  );
