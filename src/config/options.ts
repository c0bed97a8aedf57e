/**
 * Every setting of Inlet, in one table. The type `Config`, the loader, `inlet config` and the documentation
 * are all derived from it.
 *
 * A default is written as a user would write it and goes through the same parser. `{NAME}` stands for the
 * value of a setting further up. `null` means no default. `unset` describes what happens without a value.
 */
import { passwordBytes } from '../model/account.js';
import { allowedTargets, domainName, email, host, sender, trustedProxies } from './addresses.js';
import { rsaPrivateKey } from './keys.js';
import { byteSize, duration, durations, wholeNumber } from './quantities.js';
import { bearer, choice, password, type SettingType, text, textOfLength } from './setting-type.js';
import { bucketUrl, linkPrefixUrl, mailServerUrl, serviceUrl, webUrl } from './urls.js';

export interface Option {
  readonly env: string;
  readonly group: string;
  readonly type: SettingType<unknown>;
  readonly default: string | null;
  readonly unset?: string;
  /** `value`: never shown. `url`: shown without credentials. Neither is ever quoted in a fault. */
  readonly secret?: 'value' | 'url';
  readonly doc: string;
}

export const options = {
  host: {
    env: 'HOST',
    group: 'Server',
    type: host,
    default: 'localhost',
    doc: 'Address to listen on. 0.0.0.0 or :: listens on all interfaces.',
  },
  port: {
    env: 'PORT',
    group: 'Server',
    type: wholeNumber(0, 65_535),
    default: '3000',
    doc: 'Port to listen on. 0 picks a free port.',
  },
  baseUrl: {
    env: 'BASE_URL',
    group: 'Server',
    type: linkPrefixUrl,
    default: 'http://localhost:{PORT}',
    doc: 'Public URL of this instance. Every generated link starts with it; the Host header is never used.',
  },
  trustProxy: {
    env: 'TRUST_PROXY',
    group: 'Server',
    type: trustedProxies,
    default: '',
    unset: 'none',
    doc: 'Proxies whose X-Forwarded-For header is trusted. The right-most untrusted address is the client.',
  },
  opsToken: {
    env: 'OPS_TOKEN',
    group: 'Server',
    type: bearer(16, 200),
    default: null,
    unset: 'no token is accepted',
    secret: 'value',
    doc: 'Bearer token for /metrics and the details of /readyz. If set, both ports require it. Without OPS_TOKEN and OPS_PORT, metrics are served only if BASE_URL is a loopback address.',
  },
  opsPort: {
    env: 'OPS_PORT',
    group: 'Server',
    type: wholeNumber(1, 65_535),
    default: null,
    unset: 'no separate port',
    doc: 'Separate port on HOST for /metrics, /readyz with details, and /healthz. Do not publish it: it requires a token only if OPS_TOKEN is set.',
  },
  shutdownDrainMs: {
    env: 'SHUTDOWN_DRAIN',
    group: 'Server',
    type: duration('0 s', '10 m'),
    default: '0',
    doc: 'How long to keep serving after SIGTERM while /readyz returns 503, so that load balancers stop sending requests first. Use 10 s for several processes behind a load balancer, 0 for a single process.',
  },
  shutdownGraceMs: {
    env: 'SHUTDOWN_GRACE',
    group: 'Server',
    type: duration('0 s', '10 m'),
    default: '15',
    doc: 'How long requests in flight have to finish after the drain. Stopping takes at most SHUTDOWN_DRAIN + SHUTDOWN_GRACE + 5 s.',
  },
  logLevel: {
    env: 'LOG_LEVEL',
    group: 'Server',
    type: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    doc: 'Minimum log level.',
  },

  dataDir: {
    env: 'DATA_DIR',
    group: 'Storage',
    type: text('a folder', (path) => !path.includes('\0'), 'is not a path'),
    default: './data',
    doc: 'Folder for the SQLite database, uploaded files and the generated secret.',
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    group: 'Storage',
    type: serviceUrl(['postgres', 'postgresql'], 'postgres://user:password@host:5432/inlet'),
    default: null,
    unset: 'SQLite in DATA_DIR',
    secret: 'url',
    doc: 'Stores the database and the delivery queue in PostgreSQL 14 or newer, which any number of processes can share.',
  },
  databasePoolSize: {
    env: 'DATABASE_POOL_SIZE',
    group: 'Storage',
    type: wholeNumber(2, 1000),
    default: '10',
    doc: 'Maximum PostgreSQL connections per process, plus one for wake-ups.',
  },
  storageUrl: {
    env: 'STORAGE_URL',
    group: 'Storage',
    type: bucketUrl,
    default: null,
    unset: 'disk in DATA_DIR',
    secret: 'url',
    doc: 'Stores uploaded files in an S3 or S3-compatible bucket. Credentials come from the usual AWS variables. Downloads redirect to the bucket; with links=off they go through Inlet, for a bucket that visitors cannot reach.',
  },
  redisUrl: {
    env: 'REDIS_URL',
    group: 'Storage',
    type: serviceUrl(['redis', 'rediss'], 'redis://:password@host:6379/0'),
    default: null,
    unset: 'in memory, per process',
    secret: 'url',
    doc: 'Shares rate limits and wake-ups between processes through Redis or Valkey. While it is unavailable, each process counts on its own.',
  },

  secret: {
    env: 'INLET_SECRET',
    group: 'Accounts and secrets',
    type: textOfLength(32, 1024, 'at least 32 characters'),
    default: null,
    unset: 'generated once in DATA_DIR',
    secret: 'value',
    doc: 'Signs file tokens, CAPTCHA challenges and device cookies, and encrypts stored secrets. Use the same one for every process.',
  },
  apiKey: {
    env: 'INLET_API_KEY',
    group: 'Accounts and secrets',
    type: bearer(20, 200),
    default: null,
    unset: 'generated and printed once',
    secret: 'value',
    doc: 'API key of the first account. Used only if the database is empty.',
  },
  adminEmail: {
    env: 'INLET_ADMIN_EMAIL',
    group: 'Accounts and secrets',
    type: email,
    default: null,
    unset: 'none; a set-up link is printed',
    doc: 'E-mail address of the first dashboard user. Requires INLET_ADMIN_PASSWORD.',
  },
  adminPassword: {
    env: 'INLET_ADMIN_PASSWORD',
    group: 'Accounts and secrets',
    type: password(passwordBytes),
    default: null,
    unset: 'none; a set-up link is printed',
    secret: 'value',
    doc: 'Password of the first dashboard user. Requires INLET_ADMIN_EMAIL.',
  },
  defaultPlan: {
    env: 'DEFAULT_PLAN',
    group: 'Accounts and secrets',
    type: choice('starter', 'pro', 'business', 'enterprise'),
    default: 'enterprise',
    doc: 'Plan of the first account. The default includes everything.',
  },
  upgradeUrl: {
    env: 'UPGRADE_URL',
    group: 'Accounts and secrets',
    type: webUrl,
    default: '{BASE_URL}/dashboard/plan',
    doc: 'The upgrade_url in responses with status 402.',
  },

  rateLimitPerMinute: {
    env: 'RATE_LIMIT_PER_MINUTE',
    group: 'Limits',
    type: wholeNumber(1, 10_000_000),
    default: '60',
    doc: 'Default for new projects: submissions per minute from one address. Also limits how many unknown form ids an address can request per minute.',
  },
  apiRateLimitPerMinute: {
    env: 'API_RATE_LIMIT_PER_MINUTE',
    group: 'Limits',
    type: wholeNumber(1, 10_000_000),
    default: '1000',
    doc: 'Management requests per minute for each API key and each signed-in user.',
  },
  maxFileBytes: {
    env: 'MAX_FILE_BYTES',
    group: 'Limits',
    type: byteSize('1 B', '1 TiB'),
    default: '10 MiB',
    doc: 'Maximum size of an uploaded file. Cannot exceed MAX_BODY_BYTES.',
  },
  maxFiles: {
    env: 'MAX_FILES',
    group: 'Limits',
    type: wholeNumber(0, 1000),
    default: '10',
    doc: 'Maximum number of files per submission.',
  },
  maxBodyBytes: {
    env: 'MAX_BODY_BYTES',
    group: 'Limits',
    type: byteSize('1 B', '1 TiB'),
    default: '25 MiB',
    doc: 'Maximum size of a submission, including its files.',
  },
  fileTokenTtlMs: {
    env: 'FILE_TOKEN_TTL',
    group: 'Limits',
    type: duration('1 ms', '365 d'),
    default: '24 h',
    doc: 'How long the token in download_url is valid.',
  },

  imageCacheBytes: {
    env: 'IMAGE_CACHE_BYTES',
    group: 'Limits',
    type: byteSize('0 B', '1000 TiB'),
    default: '1 GiB',
    doc: 'Maximum space for cached image variants. The least recently used are deleted first.',
  },

  altchaDifficulty: {
    env: 'ALTCHA_DIFFICULTY',
    group: 'CAPTCHA',
    type: wholeNumber(1, 100_000),
    default: '200',
    doc: 'Difficulty of the built-in CAPTCHA: the average number of keys a visitor has to derive. 200 takes about 0.5 to 1 s on a phone.',
  },
  turnstileVerifyUrl: {
    env: 'TURNSTILE_VERIFY_URL',
    group: 'CAPTCHA',
    type: webUrl,
    default: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    doc: 'URL that verifies Cloudflare Turnstile tokens.',
  },
  hcaptchaVerifyUrl: {
    env: 'HCAPTCHA_VERIFY_URL',
    group: 'CAPTCHA',
    type: webUrl,
    default: 'https://api.hcaptcha.com/siteverify',
    doc: 'URL that verifies hCaptcha tokens.',
  },
  recaptchaVerifyUrl: {
    env: 'RECAPTCHA_VERIFY_URL',
    group: 'CAPTCHA',
    type: webUrl,
    default: 'https://www.google.com/recaptcha/api/siteverify',
    doc: 'URL that verifies reCAPTCHA tokens.',
  },

  webhookRetryDelaysMs: {
    env: 'WEBHOOK_RETRY_DELAYS',
    group: 'Webhooks',
    type: durations(4, '0 s', '7 d'),
    default: '60,300,1800,7200',
    doc: 'Delays before attempts 2, 3, 4 and 5.',
  },
  webhookTimeoutMs: {
    env: 'WEBHOOK_TIMEOUT',
    group: 'Webhooks',
    type: duration('1 ms', '10 m'),
    default: '15',
    doc: 'Timeout of one attempt, including the response body.',
  },
  webhookAllowedNetworks: {
    env: 'WEBHOOK_ALLOWED_NETWORKS',
    group: 'Webhooks',
    type: allowedTargets,
    default: '',
    unset: 'public addresses only; with a loopback BASE_URL also loopback and private ones',
    doc: 'Non-public networks and hosts that webhooks can reach. Link-local and cloud metadata addresses stay blocked, and so do this service, its database, Redis, bucket and mail server.',
  },

  deliveryEpoch: {
    env: 'DELIVERY_EPOCH',
    group: 'Webhooks',
    type: wholeNumber(0, 1_000_000_000),
    default: '0',
    doc: 'Increase by one after restoring a database: everything pending in it is held instead of being sent a second time. Set the same number for every process.',
  },

  deliveryLogRetentionMs: {
    env: 'DELIVERY_LOG_RETENTION',
    group: 'Webhooks',
    type: duration('1 s', '3650 d'),
    default: '30 d',
    doc: 'How long delivery attempts are stored. Deliveries themselves stay until their submission is deleted.',
  },

  auditRetentionDays: {
    env: 'AUDIT_RETENTION_DAYS',
    group: 'Audit log',
    type: wholeNumber(1, 36_500),
    default: null,
    unset: 'entries are kept for ever',
    doc: 'Days that entries of the audit log are kept.',
  },

  destinationDisableAfterMs: {
    env: 'DESTINATION_DISABLE_AFTER',
    group: 'Destinations',
    type: duration('0 s', '365 d'),
    default: '5 d',
    doc: 'A destination is disabled, and its owners are notified, when its failures go on for so long: from the first to the last, without a success between them; 0: never.',
  },
  googleApiUrl: {
    env: 'GOOGLE_API_URL',
    group: 'Destinations',
    type: linkPrefixUrl,
    default: null,
    unset: 'https://sheets.googleapis.com, and https://oauth2.googleapis.com/token for tokens',
    doc: 'Base URL of the Google Sheets API, for a proxy or tests. Tokens are requested at /token below it. Allow an address that is not public with WEBHOOK_ALLOWED_NETWORKS.',
  },
  telegramApiUrl: {
    env: 'TELEGRAM_API_URL',
    group: 'Destinations',
    type: linkPrefixUrl,
    default: 'https://api.telegram.org',
    doc: 'Base URL of the Telegram Bot API, for a proxy or tests. Allow an address that is not public with WEBHOOK_ALLOWED_NETWORKS.',
  },

  smtpUrl: {
    env: 'SMTP_URL',
    group: 'E-mail',
    type: mailServerUrl,
    default: null,
    unset: 'no e-mail is sent',
    secret: 'url',
    doc: 'Mail server for all mails: notifications, replies to visitors, confirmations, invitations, password resets and alerts. Requires MAIL_FROM. With ?requireTLS=true nothing is sent unencrypted.',
  },
  mailFrom: {
    env: 'MAIL_FROM',
    group: 'E-mail',
    type: sender,
    default: null,
    unset: 'no e-mail is sent',
    doc: 'Sender of all mails.',
  },
  dkimDomain: {
    env: 'DKIM_DOMAIN',
    group: 'E-mail',
    type: domainName,
    default: null,
    unset: 'Inlet does not sign mails',
    doc: 'Domain that mails are signed for, usually that of MAIL_FROM. Requires DKIM_SELECTOR and DKIM_PRIVATE_KEY. inlet doctor --mail shows the DNS record.',
  },
  dkimSelector: {
    env: 'DKIM_SELECTOR',
    group: 'E-mail',
    type: domainName,
    default: null,
    unset: 'Inlet does not sign mails',
    doc: 'Name of the key: the public key is published at SELECTOR._domainkey.DOMAIN.',
  },
  dkimPrivateKey: {
    env: 'DKIM_PRIVATE_KEY',
    group: 'E-mail',
    type: rsaPrivateKey,
    default: null,
    unset: 'Inlet does not sign mails',
    secret: 'value',
    doc: 'Private key that signs mails.',
  },
} as const satisfies Record<string, Option>;

type Options = typeof options;
type ValueOf<O extends Option> =
  O['type'] extends SettingType<infer T> ? T | (O['default'] extends null ? null : never) : never;

/** The parsed settings. `null` means not set; see `unset` in the table. */
export type Config = { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

export const settings = Object.entries(options) as readonly (readonly [keyof Config, Option])[];

/** The setting's text in the environment, or null if it is empty or not set. Secrets can start and end with spaces. */
export function writtenText(option: Option, env: NodeJS.ProcessEnv): string | null {
  const written = env[option.env] ?? '';
  return (option.secret === 'value' ? written : written.trim()) || null;
}
