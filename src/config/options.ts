/**
 * Every setting of Inlet, in one table. The type `Config`, the loader, `inlet config` and the documentation
 * all follow from it.
 *
 * A default is written as a user would write it, and goes through the same parser; `{NAME}` stands for the
 * value of a setting further up. `unset` says in words what happens without a value. `null`: there is none.
 */
import { passwordBytes } from '../model/account.js';
import { allowedTargets, email, host, sender, trustedProxies } from './addresses.js';
import { byteSize, duration, durations, wholeNumber } from './quantities.js';
import { choice, password, type SettingType, text, textOfLength } from './setting-type.js';
import { bucketUrl, linkPrefixUrl, mailServerUrl, serviceUrl, webUrl } from './urls.js';

export interface Option {
  readonly env: string;
  readonly group: string;
  readonly type: SettingType<unknown>;
  readonly default: string | null;
  readonly unset?: string;
  /** `value`: shown to nobody. `url`: shown without credentials. Neither is ever quoted in a fault. */
  readonly secret?: 'value' | 'url';
  readonly doc: string;
}

export const options = {
  host: {
    env: 'HOST',
    group: 'Server',
    type: host,
    default: 'localhost',
    doc: 'Where it listens; 0.0.0.0 or :: for every interface.',
  },
  port: {
    env: 'PORT',
    group: 'Server',
    type: wholeNumber(0, 65_535),
    default: '3000',
    doc: 'Port it listens on; 0 takes any free one.',
  },
  baseUrl: {
    env: 'BASE_URL',
    group: 'Server',
    type: linkPrefixUrl,
    default: 'http://localhost:{PORT}',
    doc: 'Address under which people reach it, the start of every link it makes; never taken from a request.',
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    group: 'Server',
    type: trustedProxies,
    default: '',
    unset: 'nobody',
    doc: 'Proxies whose X-Forwarded-For counts; the right-most hop that is not trusted is the client.',
  },
  opsToken: {
    env: 'OPS_TOKEN',
    group: 'Server',
    type: text(
      '16 to 200 printable ASCII characters without spaces',
      (token) => /^[!-~]{16,200}$/.test(token),
      'is too short, too long or has other characters',
    ),
    default: null,
    unset: 'no token is accepted',
    secret: 'value',
    doc: 'Bearer token for /metrics and the details of /readyz. When set, both ports require it. Without OPS_TOKEN and OPS_PORT, metrics are served only while BASE_URL is a loopback address.',
  },
  opsPort: {
    env: 'OPS_PORT',
    group: 'Server',
    type: wholeNumber(1, 65_535),
    default: null,
    unset: 'no separate port',
    doc: 'Separate port on HOST for /metrics, /readyz with details and /healthz. Do not publish it: it needs no token unless OPS_TOKEN is set.',
  },
  shutdownDrainMs: {
    env: 'SHUTDOWN_DRAIN',
    group: 'Server',
    type: duration('0 s', '10 m'),
    default: '0',
    doc: 'How long it keeps serving after SIGTERM while /readyz is 503, so that load balancers stop sending requests first. 10 s behind a load balancer with several processes; 0 for a single process.',
  },
  shutdownGraceMs: {
    env: 'SHUTDOWN_GRACE',
    group: 'Server',
    type: duration('0 s', '10 m'),
    default: '15',
    doc: 'How long requests in flight may take to finish after the drain. A stop takes at most SHUTDOWN_DRAIN + SHUTDOWN_GRACE + 5 s.',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    group: 'Server',
    type: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    doc: 'Least important log line that is still written.',
  },

  dataDir: {
    env: 'DATA_DIR',
    group: 'Storage',
    type: text('a folder', (path) => !path.includes('\0'), 'is not a path'),
    default: './data',
    doc: 'Folder of the SQLite file, the uploaded files and the generated secret.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    group: 'Storage',
    type: serviceUrl(['postgres', 'postgresql'], 'postgres://user:password@host:5432/inlet'),
    default: null,
    unset: 'SQLite in DATA_DIR',
    secret: 'url',
    doc: 'Moves the database and the delivery queue to PostgreSQL 14 or newer, for any number of processes.',
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    group: 'Storage',
    type: wholeNumber(2, 1000),
    default: '10',
    doc: 'Connections to PostgreSQL that one process may open, beside one for wake-ups.',
  },
  storageUrl: {
    env: 'STORAGE_URL',
    group: 'Storage',
    type: bucketUrl,
    default: null,
    unset: 'disk in DATA_DIR',
    secret: 'url',
    doc: 'Moves uploaded files to a bucket of S3, or of a server that speaks it; keys come from the usual AWS variables. Downloads lead to the bucket; links=off sends them through Inlet, where visitors cannot reach it.',
  },
  redisUrl: {
    env: 'REDIS_URL',
    group: 'Storage',
    type: serviceUrl(['redis', 'rediss'], 'redis://:password@host:6379/0'),
    default: null,
    unset: 'in this process',
    secret: 'url',
    doc: 'Shares rate limits and wake-ups between processes, through Redis or Valkey; while it is away each process counts for itself.',
  },

  secret: {
    env: 'INLET_SECRET',
    group: 'Accounts and secrets',
    type: textOfLength(32, 1024, 'at least 32 characters'),
    default: null,
    unset: 'generated once into DATA_DIR',
    secret: 'value',
    doc: 'Signs file tokens, CAPTCHA challenges and device cookies, and seals stored secrets.',
  },
  apiKey: {
    env: 'INLET_API_KEY',
    group: 'Accounts and secrets',
    type: text(
      '20 to 200 printable ASCII characters without spaces',
      (key) => /^[!-~]{20,200}$/.test(key),
      'is too short, too long or has other characters',
    ),
    default: null,
    unset: 'made and printed once',
    secret: 'value',
    doc: "The first account's API key; counts only while the database is empty.",
  },
  adminEmail: {
    env: 'INLET_ADMIN_EMAIL',
    group: 'Accounts and secrets',
    type: email,
    default: null,
    unset: 'nobody',
    doc: 'The first dashboard user; only together with INLET_ADMIN_PASSWORD.',
  },
  adminPassword: {
    env: 'INLET_ADMIN_PASSWORD',
    group: 'Accounts and secrets',
    type: password(passwordBytes),
    default: null,
    unset: 'nobody',
    secret: 'value',
    doc: "The first dashboard user's password; only together with INLET_ADMIN_EMAIL.",
  },
  defaultPlan: {
    env: 'DEFAULT_PLAN',
    group: 'Accounts and secrets',
    type: choice('starter', 'pro', 'business', 'enterprise'),
    default: 'enterprise',
    doc: 'Plan of the first account: people who host it for themselves get everything.',
  },
  upgradeUrl: {
    env: 'UPGRADE_URL',
    group: 'Accounts and secrets',
    type: webUrl,
    default: '{BASE_URL}/dashboard/plan',
    doc: 'The upgrade_url in answers with status 402.',
  },

  rateLimitPerMinute: {
    env: 'RATE_LIMIT_PER_MINUTE',
    group: 'Limits',
    type: wholeNumber(1, 10_000_000),
    default: '60',
    doc: 'Submissions a minute from one address to one project; the default of a new project. Also how many unknown form ids an address may ask for in a minute.',
  },
  apiRateLimitPerMinute: {
    env: 'API_RATE_LIMIT_PER_MINUTE',
    group: 'Limits',
    type: wholeNumber(1, 10_000_000),
    default: '1000',
    doc: 'Management requests a minute per API key, and per person who is signed in.',
  },
  maxFileBytes: {
    env: 'MAX_FILE_BYTES',
    group: 'Limits',
    type: byteSize('1 B', '1 TiB'),
    default: '10 MiB',
    doc: 'Largest uploaded file; at most MAX_BODY_BYTES.',
  },
  maxFiles: {
    env: 'MAX_FILES',
    group: 'Limits',
    type: wholeNumber(0, 1000),
    default: '10',
    doc: 'Most files in one submission.',
  },
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    group: 'Limits',
    type: byteSize('1 B', '1 TiB'),
    default: '25 MiB',
    doc: 'Largest submission, all its files included.',
  },
  fileTokenTtlMs: {
    env: 'FILE_TOKEN_TTL',
    group: 'Limits',
    type: duration('1 ms', '365 d'),
    default: '24 h',
    doc: 'Life of the token in download_url.',
  },

  imageCacheBytes: {
    env: 'IMAGE_CACHE_BYTES',
    group: 'Limits',
    type: byteSize('0 B', '1000 TiB'),
    default: '1 GiB',
    doc: 'Space for transformed images that are kept; those not used for longest go first.',
  },

  altchaDifficulty: {
    env: 'ALTCHA_DIFFICULTY',
    group: 'CAPTCHA',
    type: wholeNumber(1, 100_000),
    default: '200',
    doc: 'Work of a built-in challenge: keys that a visitor derives on average. 200 take a phone about half a second to one second.',
  },
  turnstileVerifyUrl: {
    env: 'TURNSTILE_VERIFY_URL',
    group: 'CAPTCHA',
    type: webUrl,
    default: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    doc: 'Where tokens of Cloudflare Turnstile are checked.',
  },
  hcaptchaVerifyUrl: {
    env: 'HCAPTCHA_VERIFY_URL',
    group: 'CAPTCHA',
    type: webUrl,
    default: 'https://api.hcaptcha.com/siteverify',
    doc: 'Where tokens of hCaptcha are checked.',
  },
  recaptchaVerifyUrl: {
    env: 'RECAPTCHA_VERIFY_URL',
    group: 'CAPTCHA',
    type: webUrl,
    default: 'https://www.google.com/recaptcha/api/siteverify',
    doc: 'Where tokens of reCAPTCHA are checked.',
  },

  webhookRetryDelaysMs: {
    env: 'WEBHOOK_RETRY_DELAYS',
    group: 'Webhooks',
    type: durations(4, '0 s', '7 d'),
    default: '60,300,1800,7200',
    doc: 'Waits before the attempts 2, 3, 4 and 5.',
  },
  webhookTimeoutMs: {
    env: 'WEBHOOK_TIMEOUT',
    group: 'Webhooks',
    type: duration('1 ms', '10 m'),
    default: '15',
    doc: 'Time for one whole attempt, the answer included.',
  },
  webhookAllowedNetworks: {
    env: 'WEBHOOK_ALLOWED_NETWORKS',
    group: 'Webhooks',
    type: allowedTargets,
    default: '',
    unset: 'only public addresses; with a loopback BASE_URL also loopback and private ones',
    doc: 'What webhooks may reach although it is not public. Link-local and cloud metadata addresses stay blocked, and so do this service, its database, Redis, bucket and mail server.',
  },

  deliveryEpoch: {
    env: 'DELIVERY_EPOCH',
    group: 'Webhooks',
    type: wholeNumber(0, 1_000_000_000),
    default: '0',
    doc: 'Raise it by one after restoring a database: everything that is pending in it is held instead of sent a second time. Set the same number for every process.',
  },

  deliveryLogRetentionMs: {
    env: 'DELIVERY_LOG_RETENTION',
    group: 'Webhooks',
    type: duration('1 s', '3650 d'),
    default: '30 d',
    doc: 'How long the log of attempts is kept; deliveries themselves stay with their submission.',
  },

  smtpUrl: {
    env: 'SMTP_URL',
    group: 'E-mail',
    type: mailServerUrl,
    default: null,
    unset: 'no e-mail is sent',
    secret: 'url',
    doc: 'Mail server for messages to notify_emails; needs MAIL_FROM. ?requireTLS=true refuses to send unencrypted.',
  },
  mailFrom: {
    env: 'MAIL_FROM',
    group: 'E-mail',
    type: sender,
    default: null,
    unset: 'no e-mail is sent',
    doc: 'Sender of those messages.',
  },
} as const satisfies Record<string, Option>;

type Options = typeof options;
type ValueOf<O extends Option> =
  O['type'] extends SettingType<infer T> ? T | (O['default'] extends null ? null : never) : never;

/** The settings as the program uses them. `null`: not set, see `unset` in the table. */
export type Config = { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

export const settings = Object.entries(options) as readonly (readonly [keyof Config, Option])[];

/** What the environment says about a setting, null for nothing. Secrets may begin and end with spaces. */
export function writtenText(option: Option, env: NodeJS.ProcessEnv): string | null {
  const written = env[option.env] ?? '';
  return (option.secret === 'value' ? written : written.trim()) || null;
}
