import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeConfig } from './describe.js';
import { loadConfig } from './load.js';

const folder = mkdtempSync(join(tmpdir(), 'inlet-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function configOf(env: Record<string, string>) {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
  return loaded.config;
}

function faultsOf(env: Record<string, string>): readonly string[] {
  const loaded = loadConfig(env);
  return loaded.ok ? [] : loaded.faults;
}

const url = 'postgres://inlet:hush@db/inlet';
const secret = ' spaces count in a secret of 32 or more ';

describe('settings from files', () => {
  it('reads the file, without the line break at its end', () => {
    const config = configOf({
      DATABASE_URL_FILE: file('database-url', `${url}\n`),
      INLET_SECRET_FILE: file('secret', `${secret}\r\n`),
      BASE_URL_FILE: file('base-url', 'https://forms.example.com'),
    });
    expect(config).toMatchObject({ databaseUrl: url, secret, baseUrl: 'https://forms.example.com' });
  });

  it('reads a systemd credential with the name of the setting', () => {
    const CREDENTIALS_DIRECTORY = join(folder, 'credentials');
    mkdirSync(CREDENTIALS_DIRECTORY);
    writeFileSync(join(CREDENTIALS_DIRECTORY, 'OPS_TOKEN'), 'ops-token-0123456789\n');
    writeFileSync(join(CREDENTIALS_DIRECTORY, 'unrelated'), 'something');
    const env = { CREDENTIALS_DIRECTORY };
    expect(configOf(env).opsToken).toBe('ops-token-0123456789');
    const shown = describeConfig(configOf(env), env).find(({ name }) => name === 'OPS_TOKEN');
    expect(shown).toMatchObject({ value: '********', source: 'credential' });
  });

  it('shows where a value comes from, without it', () => {
    const env = { DATABASE_URL_FILE: file('url', url) };
    const shown = describeConfig(configOf(env), env).find(({ name }) => name === 'DATABASE_URL');
    expect(shown).toMatchObject({ value: 'postgres://***@db/inlet', source: 'file' });
  });

  it.each([
    ['a missing file', () => join(folder, 'absent'), 'names a file that does not exist'],
    ['a folder', () => folder, 'does not name a file'],
    ['an empty file', () => file('empty', '\n'), 'names an empty file'],
    ['a large file', () => file('large', 'x'.repeat(65_537)), 'names a file of more than 64 KiB'],
  ])('rejects %s', (_, path, wrong) => {
    expect(faultsOf({ DATABASE_URL_FILE: path() })).toEqual([
      `DATABASE_URL_FILE ${wrong}; expected a readable file with the value of DATABASE_URL`,
    ]);
  });

  it('rejects a setting that is given twice', () => {
    expect(faultsOf({ DATABASE_URL: url, DATABASE_URL_FILE: file('twice', url) })).toEqual([
      'DATABASE_URL is set twice: by DATABASE_URL and by DATABASE_URL_FILE; expected one of them',
    ]);
  });

  it('quotes no content of a wrong value', () => {
    const faults = faultsOf({ DATABASE_URL_FILE: file('wrong', 'mysql://inlet:hush@db/inlet') });
    expect(faults).toHaveLength(1);
    expect(faults[0]).not.toContain('hush');
  });

  it('has no file for what is neither a secret nor a URL', () => {
    expect(faultsOf({ PORT_FILE: file('port', '8080'), LOG_LEVEL_FILE: '/x' })).toEqual([
      'LOG_LEVEL_FILE is not a setting: LOG_LEVEL cannot come from a file',
      'PORT_FILE is not a setting: PORT cannot come from a file',
    ]);
  });
});
