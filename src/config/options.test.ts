import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';
import { options, settings } from './options.js';

describe('the table', () => {
  it('holds every setting of Inlet, each once', () => {
    const names = settings.map(([, option]) => option.env);
    expect([...names].sort()).toEqual(
      (
        'ALTCHA_DIFFICULTY API_RATE_LIMIT_PER_MINUTE AUDIT_RETENTION_DAYS BASE_URL DATABASE_POOL_SIZE DATABASE_URL DATA_DIR DEFAULT_PLAN ' +
        'DELIVERY_EPOCH DELIVERY_LOG_RETENTION DESTINATION_DISABLE_AFTER DKIM_DOMAIN DKIM_PRIVATE_KEY DKIM_SELECTOR FILE_TOKEN_TTL GOOGLE_API_URL HCAPTCHA_VERIFY_URL HOST ' +
        'IMAGE_CACHE_BYTES INLET_ADMIN_EMAIL INLET_ADMIN_PASSWORD INLET_API_KEY INLET_SECRET LOG_LEVEL MAIL_FROM ' +
        'MAX_BODY_BYTES MAX_FILES MAX_FILE_BYTES OPS_PORT OPS_TOKEN PORT RATE_LIMIT_PER_MINUTE RECAPTCHA_VERIFY_URL REDIS_URL SHUTDOWN_DRAIN SHUTDOWN_GRACE SMTP_URL ' +
        'STORAGE_URL TELEGRAM_API_URL TRUST_PROXY TURNSTILE_VERIFY_URL UPGRADE_URL WEBHOOK_ALLOWED_NETWORKS WEBHOOK_RETRY_DELAYS WEBHOOK_TIMEOUT'
      ).split(' '),
    );
  });

  it.each(settings)('%s has one line of documentation, and words where there is no default', (_, option) => {
    expect(option.doc).toMatch(/^[A-Z].*\.$/);
    expect(option.type.expects).toMatch(/^[^\n]+$/);
    expect(Boolean(option.unset)).toBe(!option.default);
  });

  it.each(settings)('%s stands below the settings that its default is made from', (key, option) => {
    const above = settings.slice(
      0,
      settings.findIndex(([other]) => other === key),
    );
    const named = [...(option.default ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(above.map(([, other]) => other.env)).toEqual(expect.arrayContaining(named));
  });

  it('hides what is secret', () => {
    const hidden = settings
      .filter(([, option]) => option.secret)
      .map(([, { env, secret }]) => `${env} ${secret}`);
    expect(hidden).toEqual([
      'OPS_TOKEN value',
      'DATABASE_URL url',
      'STORAGE_URL url',
      'REDIS_URL url',
      'INLET_SECRET value',
      'INLET_API_KEY value',
      'INLET_ADMIN_PASSWORD value',
      'SMTP_URL url',
      'DKIM_PRIVATE_KEY value',
    ]);
  });
});

describe('the defaults', () => {
  it('are those of a fresh installation', () => {
    const loaded = loadConfig({});
    if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
    const { trustProxy, ...config } = loaded.config;
    expect(trustProxy.networks.isEmpty).toBe(true);
    expect(config).toEqual({
      host: 'localhost',
      port: 3000,
      baseUrl: 'http://localhost:3000',
      opsToken: null,
      opsPort: null,
      shutdownDrainMs: 0,
      shutdownGraceMs: 15_000,
      logLevel: 'info',
      dataDir: './data',
      databaseUrl: null,
      databasePoolSize: 10,
      storageUrl: null,
      redisUrl: null,
      secret: null,
      apiKey: null,
      adminEmail: null,
      adminPassword: null,
      defaultPlan: 'enterprise',
      upgradeUrl: 'http://localhost:3000/dashboard/plan',
      rateLimitPerMinute: 60,
      apiRateLimitPerMinute: 1000,
      maxFileBytes: 10 * 1024 * 1024,
      maxFiles: 10,
      maxBodyBytes: 25 * 1024 * 1024,
      fileTokenTtlMs: 24 * 60 * 60 * 1000,
      imageCacheBytes: 1024 ** 3,
      auditRetentionDays: null,
      altchaDifficulty: 200,
      turnstileVerifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
      hcaptchaVerifyUrl: 'https://api.hcaptcha.com/siteverify',
      recaptchaVerifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
      webhookRetryDelaysMs: [60_000, 300_000, 1_800_000, 7_200_000],
      webhookTimeoutMs: 15_000,
      webhookAllowedNetworks: { networks: [], hostNames: [] },
      deliveryEpoch: 0,
      deliveryLogRetentionMs: 30 * 24 * 60 * 60 * 1000,
      destinationDisableAfterMs: 5 * 24 * 60 * 60 * 1000,
      googleApiUrl: null,
      telegramApiUrl: 'https://api.telegram.org',
      smtpUrl: null,
      mailFrom: null,
      dkimDomain: null,
      dkimSelector: null,
      dkimPrivateKey: null,
    });
  });
});

describe('the bounds', () => {
  // A timer with a longer delay fires immediately.
  const longestTimerMs = 2 ** 31 - 1;

  it('keep every wait within the reach of a timer', () => {
    expect(options.webhookTimeoutMs.type.parse('10 m')).toEqual({ ok: true, value: 600_000 });
    expect(options.webhookTimeoutMs.type.parse(`${longestTimerMs + 1} ms`).ok).toBe(false);
    const week = 7 * 24 * 60 * 60 * 1000;
    expect(options.webhookRetryDelaysMs.type.parse('7d,7d,7d,7d')).toEqual({
      ok: true,
      value: [week, week, week, week],
    });
    expect(options.webhookRetryDelaysMs.type.parse(`0,0,0,${longestTimerMs + 1} ms`).ok).toBe(false);
  });
});
