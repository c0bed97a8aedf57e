import { describe, expect, it } from 'vitest';
import { configurationMarkdown, describeConfig } from './describe.js';
import { loadConfig } from './load.js';
import { settings } from './options.js';

function described(env: Record<string, string>) {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
  return new Map(describeConfig(loaded.config, env).map((setting) => [setting.name, setting]));
}

describe('describeConfig', () => {
  it('names every setting in the order of the table', () => {
    expect([...described({}).keys()]).toEqual(settings.map(([, option]) => option.env));
  });

  it('says where a value comes from', () => {
    const all = described({ PORT: '8080', LOG_LEVEL: '' });
    expect(all.get('PORT')).toEqual({
      name: 'PORT',
      value: '8080',
      source: 'environment',
      doc: 'Port to listen on. 0 picks a free port.',
    });
    expect(all.get('LOG_LEVEL')).toMatchObject({ value: 'info', source: 'default' });
    expect(all.get('BASE_URL')).toMatchObject({ value: 'http://localhost:8080', source: 'default' });
    expect(all.get('DATABASE_URL')).toMatchObject({ value: 'SQLite in DATA_DIR', source: 'default' });
    expect(all.get('TRUST_PROXY')).toMatchObject({ value: 'none', source: 'default' });
    expect(all.get('FILE_TOKEN_TTL')).toMatchObject({ value: '24 h', source: 'default' });
  });

  it.each([
    ['BASE_URL', 'https://x.com/', 'https://x.com'],
    ['WEBHOOK_TIMEOUT', '1m', '1m'],
    ['TRUST_PROXY', 'loopback', 'loopback'],
    ['INLET_SECRET', 'hush'.repeat(8), '********'],
    ['INLET_API_KEY', 'hush'.repeat(5), '********'],
    ['OPS_TOKEN', 'hush'.repeat(4), '********'],
    [
      'DATABASE_URL',
      'postgres://me:hush@db:5432/inlet?sslmode=require',
      'postgres://***@db:5432/inlet?sslmode=require',
    ],
    ['DATABASE_URL', 'postgres://db/inlet?user=me&password=hush', 'postgres://db/inlet?user=me&password=***'],
    ['REDIS_URL', 'redis://:hush@cache:6379/0', 'redis://***@cache:6379/0'],
    ['REDIS_URL', 'redis://cache:6379', 'redis://cache:6379'],
    ['STORAGE_URL', 's3://bucket?region=eu', 's3://bucket?region=eu'],
  ])('shows %s=%s as %s', (name, text, shown) => {
    expect(described({ [name]: text }).get(name)).toMatchObject({ value: shown, source: 'environment' });
  });

  it('hides what belongs to a pair', () => {
    const all = described({
      INLET_ADMIN_EMAIL: 'me@example.com',
      INLET_ADMIN_PASSWORD: 'hushhushhush',
      SMTP_URL: 'smtp://hush:hush@mail:587',
      MAIL_FROM: 'Forms <forms@example.com>',
    });
    expect(all.get('INLET_ADMIN_EMAIL')?.value).toBe('me@example.com');
    expect(all.get('INLET_ADMIN_PASSWORD')?.value).toBe('********');
    expect(all.get('SMTP_URL')?.value).toBe('smtp://***@mail:587');
  });
});

describe('the documentation', () => {
  const page = configurationMarkdown();

  it('has one section for each group and one heading for each setting', () => {
    expect(page.match(/^## .+$/gm)).toEqual([
      '## Server',
      '## Storage',
      '## Accounts and secrets',
      '## Limits',
      '## CAPTCHA',
      '## Webhooks',
      '## Audit log',
      '## Destinations',
      '## E-mail',
      '## Secrets in files',
    ]);
    const names = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(names).toEqual(settings.map(([, option]) => option.env));
  });

  it('shows defaults as they are written, or says what happens without a value', () => {
    expect(page).toContain(
      '### PORT\n\nPort to listen on. 0 picks a free port.\n\n- Default: `3000`\n- Value: a whole number from 0 to 65535\n',
    );
    expect(page).toContain('- Default: `http://localhost:{PORT}`');
    expect(page).toContain('- Default: disk in DATA_DIR');
  });

  it('escapes what Markdown would swallow', () => {
    expect(page).toContain('Name \\<address\\>');
  });
});
