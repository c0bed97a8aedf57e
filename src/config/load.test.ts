import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';
import type { Config } from './options.js';

type Env = Record<string, string>;

function configOf(env: Env): Config {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

function faultsOf(env: Env): readonly string[] {
  const loaded = loadConfig(env);
  return loaded.ok ? [] : loaded.faults;
}

const secretText = 'x'.repeat(32);
const keyText = 'k'.repeat(20);

describe('values that are taken', () => {
  it.each<[string, string, keyof Config, unknown]>([
    ['HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['HOST', '::', 'host', '::'],
    ['HOST', 'inlet_web.internal', 'host', 'inlet_web.internal'],
    ['PORT', ' 65535 ', 'port', 65_535],
    ['BASE_URL', 'https://forms.example.com/', 'baseUrl', 'https://forms.example.com'],
    ['BASE_URL', 'https://Example.com:443/tools/inlet//', 'baseUrl', 'https://example.com/tools/inlet'],
    ['BASE_URL', 'http://[::1]:8080', 'baseUrl', 'http://[::1]:8080'],
    [
      'BASE_URL',
      'https://forms.example.com/in/',
      'upgradeUrl',
      'https://forms.example.com/in/dashboard/plan',
    ],
    ['PORT', '8080', 'baseUrl', 'http://localhost:8080'],
    ['PORT', '8080', 'upgradeUrl', 'http://localhost:8080/dashboard/plan'],
    [
      'UPGRADE_URL',
      'https://example.com/buy?from=inlet#pro',
      'upgradeUrl',
      'https://example.com/buy?from=inlet#pro',
    ],
    ['LOG_LEVEL', 'SILENT', 'logLevel', 'silent'],
    ['DATA_DIR', '/var/lib/inlet', 'dataDir', '/var/lib/inlet'],
    ['DATABASE_URL', 'postgres://u:p%23@db:5432/inlet', 'databaseUrl', 'postgres://u:p%23@db:5432/inlet'],
    ['DATABASE_URL', 'postgresql://db/inlet', 'databaseUrl', 'postgresql://db/inlet'],
    ['DATABASE_URL', 'postgres:///inlet?host=/run/pg', 'databaseUrl', 'postgres:///inlet?host=/run/pg'],
    ['STORAGE_URL', 's3://my-bucket', 'storageUrl', 's3://my-bucket'],
    [
      'STORAGE_URL',
      's3://b-1?endpoint=http://s3:9000&region=eu',
      'storageUrl',
      's3://b-1?endpoint=http://s3:9000&region=eu',
    ],
    ['REDIS_URL', 'rediss://:pw@cache:6379/1', 'redisUrl', 'rediss://:pw@cache:6379/1'],
    ['INLET_SECRET', ` ${secretText} `, 'secret', ` ${secretText} `],
    ['INLET_API_KEY', keyText, 'apiKey', keyText],
    ['OPS_TOKEN', 'k'.repeat(16), 'opsToken', 'k'.repeat(16)],
    ['OPS_PORT', '9464', 'opsPort', 9464],
    ['INLET_API_KEY', '!'.repeat(200), 'apiKey', '!'.repeat(200)],
    ['DEFAULT_PLAN', 'starter', 'defaultPlan', 'starter'],
    ['RATE_LIMIT_PER_MINUTE', '10000000', 'rateLimitPerMinute', 10_000_000],
    ['API_RATE_LIMIT_PER_MINUTE', '1', 'apiRateLimitPerMinute', 1],
    ['MAX_FILE_BYTES', '1048576', 'maxFileBytes', 1_048_576],
    ['MAX_FILE_BYTES', '1.5 kib', 'maxFileBytes', 1536],
    ['MAX_FILE_BYTES', '25 MB', 'maxFileBytes', 25_000_000],
    ['MAX_FILE_BYTES', '25MiB', 'maxFileBytes', 26_214_400],
    ['MAX_BODY_BYTES', '1GiB', 'maxBodyBytes', 1_073_741_824],
    ['MAX_FILES', '0', 'maxFiles', 0],
    ['FILE_TOKEN_TTL', '24h', 'fileTokenTtlMs', 86_400_000],
    ['FILE_TOKEN_TTL', '15m', 'fileTokenTtlMs', 900_000],
    ['FILE_TOKEN_TTL', '90s', 'fileTokenTtlMs', 90_000],
    ['FILE_TOKEN_TTL', '7 d', 'fileTokenTtlMs', 604_800_000],
    ['WEBHOOK_TIMEOUT', '15', 'webhookTimeoutMs', 15_000],
    ['WEBHOOK_TIMEOUT', '0.25', 'webhookTimeoutMs', 250],
    ['WEBHOOK_TIMEOUT', '.5 min', 'webhookTimeoutMs', 30_000],
    ['WEBHOOK_TIMEOUT', '750ms', 'webhookTimeoutMs', 750],
    ['WEBHOOK_RETRY_DELAYS', '0, 0.05,1m,2h', 'webhookRetryDelaysMs', [0, 50, 60_000, 7_200_000]],
    ['MAIL_FROM', 'forms@example.com', 'mailFrom', 'forms@example.com'],
    ['MAIL_FROM', 'Example Forms <forms@example.com>', 'mailFrom', 'Example Forms <forms@example.com>'],
    ['MAIL_FROM', '"Example, Inc." <forms@example.com>', 'mailFrom', '"Example, Inc." <forms@example.com>'],
  ])('%s=%s', (name, text, key, value) => {
    expect(configOf({ [name]: text })[key]).toEqual(value);
  });

  it('takes pairs', () => {
    const config = configOf({
      PORT: '0',
      BASE_URL: 'https://forms.example.com',
      INLET_ADMIN_EMAIL: 'me@example.com',
      INLET_ADMIN_PASSWORD: 'pässword 123',
      SMTP_URL: 'smtps://user:pw@mail.example.com',
      MAIL_FROM: 'forms@example.com',
    });
    expect(config.adminPassword).toBe('pässword 123');
    expect(config.smtpUrl).toBe('smtps://user:pw@mail.example.com');
    expect(config.port).toBe(0);
  });

  it('sorts what webhooks may reach into networks and names', () => {
    const text = '10.1.2.3/8, ::1,192.168.0.7,Hooks.Internal,localhost,';
    const { networks, hostNames } = configOf({ WEBHOOK_ALLOWED_NETWORKS: text }).webhookAllowedNetworks;
    expect(networks.map((network) => network.text)).toEqual(['10.0.0.0/8', '::1', '192.168.0.7']);
    expect(hostNames).toEqual(['hooks.internal', 'localhost']);
  });

  it('trusts the proxies that are named', () => {
    const { networks } = configOf({ TRUST_PROXY: 'loopback, 192.0.2.0/24' }).trustProxy;
    expect(['127.0.0.1', '192.0.2.9', '10.0.0.1'].map((ip) => networks.has(ip))).toEqual([true, true, false]);
  });

  it('treats an empty variable as not set', () => {
    const names = ['PORT', 'BASE_URL', 'DATABASE_URL', 'INLET_SECRET', 'INLET_ADMIN_EMAIL', 'INLET_OTHER'];
    const config = configOf(Object.fromEntries(names.map((name) => [name, ''])));
    expect(config).toEqual(configOf({}));
    expect(configOf({ LOG_LEVEL: '  ' }).logLevel).toBe('info');
  });

  it('ignores variables of other programs', () => {
    expect(faultsOf({ PATH: '/bin', HOSTNAME: 'box', AWS_REGION: 'eu', PORTS: 'x' })).toEqual([]);
  });
});

describe('faults', () => {
  const expected = {
    web: 'expected an http:// or https:// URL without user and password',
    proxies: 'expected IP addresses, CIDRs or the words loopback and private, separated by commas',
    port: 'expected a whole number from 0 to 65535',
    base: 'expected an http:// or https:// URL without user, password, query and fragment; a path is allowed',
    size: 'expected a size from 1 B to 1 TiB: bytes, or with a unit as in 500 KB, 10 MiB, 1 GiB',
    timeout: 'expected a time from 1 ms to 10 m: seconds, or with a unit as in 500 ms, 90 s, 15 m, 24 h, 7 d',
    delays: 'expected 4 waits from 0 s to 7 d, separated by commas: seconds, or with a unit as in 1 m',
    postgres: 'expected a URL such as postgres://user:password@host:5432/inlet',
    bucket: 'expected a URL such as s3://bucket?endpoint=https://s3.example.com&region=eu-central-1',
    key: 'expected 20 to 200 printable ASCII characters without spaces',
    from: 'expected an e-mail address, or Name <address> with quotes around a name that has punctuation',
    targets: 'expected CIDRs, IP addresses or host names, separated by commas',
  };

  it.each<[string, string, string]>([
    [
      'HOST',
      'http://localhost',
      '"http://localhost" is no host; expected a host name or an IP address, without port and brackets',
    ],
    [
      'HOST',
      '10.0.0.256',
      '"10.0.0.256" is no host; expected a host name or an IP address, without port and brackets',
    ],
    ['PORT', 'http', `"http" is not a whole number; ${expected.port}`],
    ['PORT', '80.5', `"80.5" is not a whole number; ${expected.port}`],
    ['PORT', '-1', `"-1" is too small; ${expected.port}`],
    ['PORT', '65536', `"65536" is too large; ${expected.port}`],
    ['RATE_LIMIT_PER_MINUTE', '0', '"0" is too small; expected a whole number from 1 to 10000000'],
    [
      'API_RATE_LIMIT_PER_MINUTE',
      '1e3',
      '"1e3" is not a whole number; expected a whole number from 1 to 10000000',
    ],
    ['MAX_FILES', '1001', '"1001" is too large; expected a whole number from 0 to 1000'],
    [
      'BASE_URL',
      'localhost:3000',
      `"localhost:3000" does not start with http:// or https://; ${expected.base}`,
    ],
    ['BASE_URL', 'https://', `"https://" is not a URL; ${expected.base}`],
    ['BASE_URL', 'https://me:pw@x.com', `"https://***@x.com" carries a user or a password; ${expected.base}`],
    ['BASE_URL', 'https://x.com/?', `"https://x.com/?" has a query or a fragment; ${expected.base}`],
    ['UPGRADE_URL', '/plans', `"/plans" does not start with http:// or https://; ${expected.web}`],
    [
      'LOG_LEVEL',
      'verbose',
      '"verbose" is not one of the choices; expected trace, debug, info, warn, error, fatal or silent',
    ],
    [
      'DEFAULT_PLAN',
      'free',
      '"free" is not one of the choices; expected starter, pro, business or enterprise',
    ],
    ['TRUST_PROXY', 'loopback,,proxy', `"loopback,,proxy" has a wrong entry, number 3; ${expected.proxies}`],
    [
      'WEBHOOK_ALLOWED_NETWORKS',
      'ok.internal,10.0.0.0/33',
      `"ok.internal,10.0.0.0/33" has a wrong entry, number 2; ${expected.targets}`,
    ],
    [
      'WEBHOOK_ALLOWED_NETWORKS',
      'http://u:p@x',
      `"http://***@x" has a wrong entry, number 1; ${expected.targets}`,
    ],
    [
      'DATABASE_URL',
      'mysql://u:hush@db/x',
      `does not start with postgres:// or postgresql://; ${expected.postgres}`,
    ],
    [
      'DATABASE_URL',
      'postgres://u:hu#sh@db/x',
      `is not a URL (write special characters of a password as %XX); ${expected.postgres}`,
    ],
    ['DATABASE_URL', 'postgres:///inlet', `names no host; ${expected.postgres}`],
    [
      'REDIS_URL',
      'http://cache',
      'does not start with redis:// or rediss://; expected a URL such as redis://:password@host:6379/0',
    ],
    ['STORAGE_URL', 'https://s3.example.com/b', `does not start with s3://; ${expected.bucket}`],
    ['STORAGE_URL', 's3://bucket:hush', `is not a URL; ${expected.bucket}`],
    [
      'STORAGE_URL',
      's3://key:hush@bucket',
      `carries credentials; they belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; ${expected.bucket}`,
    ],
    ['STORAGE_URL', 's3://?region=eu', `names no valid bucket; ${expected.bucket}`],
    ['STORAGE_URL', 's3://bucket/folder', `has a path or a fragment; ${expected.bucket}`],
    [
      'STORAGE_URL',
      's3://bucket?secret=hush',
      `has a parameter other than endpoint, region and links; ${expected.bucket}`,
    ],
    ['STORAGE_URL', 's3://bucket?links=no', `has links neither on nor off; ${expected.bucket}`],
    ['STORAGE_URL', 's3://bucket?region=a&region=b', `has a parameter twice; ${expected.bucket}`],
    [
      'STORAGE_URL',
      's3://bucket?endpoint=minio:9000',
      `has an endpoint that does not start with http:// or https://; ${expected.bucket}`,
    ],
    ['INLET_SECRET', 'hush', 'is too short; expected at least 32 characters'],
    [
      'INLET_API_KEY',
      `hush${'k'.repeat(15)}`,
      `is too short, too long or has other characters; ${expected.key}`,
    ],
    [
      'INLET_API_KEY',
      `hush ${'k'.repeat(20)}`,
      `is too short, too long or has other characters; ${expected.key}`,
    ],
    ['INLET_API_KEY', 'k'.repeat(201), `is too short, too long or has other characters; ${expected.key}`],
    [
      'OPS_TOKEN',
      `hush${'k'.repeat(11)}`,
      'is too short, too long or has other characters; expected 16 to 200 printable ASCII characters without spaces',
    ],
    ['OPS_PORT', '0', '"0" is too small; expected a whole number from 1 to 65535'],
    ['MAX_FILE_BYTES', '10 apples', `"10 apples" is not a size; ${expected.size}`],
    ['MAX_FILE_BYTES', '-1', `"-1" is not a size; ${expected.size}`],
    ['MAX_FILE_BYTES', '0', `"0" is too small; ${expected.size}`],
    ['MAX_BODY_BYTES', '2 TiB', `"2 TiB" is too large; ${expected.size}`],
    ['WEBHOOK_TIMEOUT', 'soon', `"soon" is not a time; ${expected.timeout}`],
    ['WEBHOOK_TIMEOUT', '0', `"0" is too small; ${expected.timeout}`],
    ['WEBHOOK_TIMEOUT', '1h', `"1h" is too large; ${expected.timeout}`],
    ['WEBHOOK_RETRY_DELAYS', '60,300', `"60,300" has 2 instead of 4 entries; ${expected.delays}`],
    ['WEBHOOK_RETRY_DELAYS', '1,2,3,4,5', `"1,2,3,4,5" has 5 instead of 4 entries; ${expected.delays}`],
    [
      'WEBHOOK_RETRY_DELAYS',
      '1,-2,3,4',
      `"1,-2,3,4" has a wrong entry, number 2, which is not a time; ${expected.delays}`,
    ],
    ['MAIL_FROM', 'Forms', `"Forms" is not an e-mail address; ${expected.from}`],
    [
      'MAIL_FROM',
      'Example, Inc. <forms@example.com>',
      `"Example, Inc. <forms@example.com>" is not an e-mail address; ${expected.from}`,
    ],
    [
      'MAIL_FROM',
      'A\r\nBcc: x <a@b.de>',
      `"A\\r\\nBcc: x <a@b.de>" is not an e-mail address; ${expected.from}`,
    ],
  ])('%s=%s', (name, text, rest) => {
    expect(faultsOf({ [name]: text })).toEqual([`${name} ${rest}`]);
  });

  it('shortens a value that would fill the screen', () => {
    expect(faultsOf({ PORT: 'x'.repeat(5000) })).toEqual([
      `PORT "${'x'.repeat(100)}…" is not a whole number; ${expected.port}`,
    ]);
  });
});

describe('all faults at once', () => {
  const env = {
    PORT: 'x',
    BASE_URL: 'ftp://me:hush@x',
    TRUST_PROXY: 'hush\nhush',
    DATABASE_URL: 'hush:hush@db',
    STORAGE_URL: 'hush',
    REDIS_URL: 'redis://:hu:sh@:x',
    INLET_SECRET: 'hush',
    INLET_API_KEY: 'hush',
    INLET_ADMIN_PASSWORD: 'hush',
    SMTP_URL: 'smtp://hush:hush@mail:hush',
    INLET_TOKEN: 'hush',
  };

  it('has one line for each', () => {
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'PORT',
      'BASE_URL',
      'TRUST_PROXY',
      'DATABASE_URL',
      'STORAGE_URL',
      'REDIS_URL',
      'INLET_SECRET',
      'INLET_API_KEY',
      'INLET_ADMIN_PASSWORD',
      'SMTP_URL',
      'INLET_ADMIN_PASSWORD',
      'SMTP_URL',
      'INLET_TOKEN',
    ]);
    expect(faults.filter((fault) => fault.includes('\n'))).toEqual([]);
  });

  it('shows no secret', () => {
    const telling = faultsOf(env).filter((fault) => fault.includes('hush'));
    expect(telling.map((fault) => fault.split(' ')[0])).toEqual(['TRUST_PROXY']);
  });
});
