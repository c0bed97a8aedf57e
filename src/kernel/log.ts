/** The logger: JSON lines on standard output, or on standard error where output is for results; secrets never reach it. */
import { type Logger, pino } from 'pino';

export type { Logger };

// A last line of defence: nothing should log these, and if something does, they are gone.
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
