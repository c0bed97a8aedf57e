import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  const loaded = loadConfig(env);
  return loaded.ok ? [] : loaded.faults;
}

describe('names that are no setting', () => {
  it.each([
    ['INLET_APIKEY', 'did you mean INLET_API_KEY?'],
    ['INLET_ADMIN_MAIL', 'did you mean INLET_ADMIN_EMAIL?'],
    ['INLET_SECRETS', 'did you mean INLET_SECRET?'],
    ['INLET_PORT', 'did you mean PORT?'],
    ['INLET_DATA_DIR', 'did you mean DATA_DIR?'],
    ['INLET_SECRET_FIL', 'did you mean INLET_SECRET_FILE?'],
    ['INLET_COLOUR', 'expected INLET_SECRET, INLET_API_KEY, INLET_ADMIN_EMAIL, INLET_ADMIN_PASSWORD'],
  ])('%s', (name, hint) => {
    expect(faultsOf({ [name]: 'hush' })).toEqual([`${name} is not a setting; ${hint}`]);
  });

  it('lets the variables pass that Kubernetes makes for a service called inlet', () => {
    expect(
      faultsOf({
        INLET_SERVICE_HOST: '10.0.0.1',
        INLET_SERVICE_PORT: '3000',
        INLET_SERVICE_PORT_HTTP: '3000',
        INLET_PORT: 'tcp://10.0.0.1:3000',
        INLET_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
        INLET_PORT_3000_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual([]);
  });

  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATA_BASE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATABASE_URL_FIL', 'DATABASE_URL_FILE'],
    ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
    ['DATABASE_POOLSIZE', 'DATABASE_POOL_SIZE'],
    ['STORAGE_URLS', 'STORAGE_URL'],
    ['STORGE_URL', 'STORAGE_URL'],
    ['REDIS_ULR', 'REDIS_URL'],
    ['BASEURL', 'BASE_URL'],
    ['TRUST_PROXYS', 'TRUST_PROXY'],
    ['WEBHOK_TIMEOT', 'WEBHOOK_TIMEOUT'],
    ['DATADIR', 'DATA_DIR'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['OPS_TOKN', 'OPS_TOKEN'],
    ['SMTP_URI', 'SMTP_URL'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['MAX_FILE_BYTE', 'MAX_FILE_BYTES'],
    ['WEBHOOK_TIMEOUTS', 'WEBHOOK_TIMEOUT'],
    ['PROT', 'PORT'],
    ['HSOT', 'HOST'],
  ])('rejects %s, a near miss of %s', (name, meant) => {
    expect(faultsOf({ [name]: 'hush' })).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
  });

  it.each(['PORT', 'HOST', 'DATA_DIR', 'MAIL_FROM', 'INLET_ADMIN_EMAIL'])(
    'rejects %s_FILE: only secrets and addresses come from files',
    (name) => {
      const file = `${name}_FILE`;
      expect(faultsOf({ [file]: '/run/secrets/it' })).toEqual([
        `${file} is not a setting: ${name} cannot come from a file`,
      ]);
    },
  );

  it('takes a name beside the setting that it resembles for another program’s', () => {
    expect(faultsOf({ REDIS_URI: 'redis://other', REDIS_URL: 'redis://ours' })).toEqual([]);
  });

  it('takes an empty variable for none', () => {
    expect(faultsOf({ DATABSE_URL: '' })).toEqual([]);
  });

  // Set by shells, containers, service managers, hosting platforms and other programs.
  it.each(
    `
    PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL TERM LANG LC_ALL TZ HOSTNAME HOST_NAME HOSTTYPE HOST_IP HOSTS PORTS PORT0
    TMPDIR EDITOR MAIL PS1 _ COLUMNS LINES DISPLAY XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR DATA_HOME BASE_DIR BASE_PATH
    NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION npm_config_loglevel npm_package_version NPM_TOKEN YARN_VERSION host port
    INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET WATCHDOG_USEC CREDENTIALS_DIRECTORY STATE_DIRECTORY RUNTIME_DIRECTORY LISTEN_FDS
    CI GITHUB_TOKEN GITHUB_BASE_REF DYNO RAILWAY_ENVIRONMENT RENDER_EXTERNAL_URL FLY_APP_NAME KUBERNETES_PORT KUBERNETES_SERVICE_HOST
    DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_FILE DATABASE_PRIVATE_URL POSTGRES_URL
    POSTGRES_PASSWORD PGHOST PGPASSWORD PGDATA REDIS_HOST REDIS_PORT REDIS_TLS_URL REDISCLOUD_URL SMTP_HOST SMTP_PORT SMTP_USER
    MAIL_HOST MAIL_TO MAILTO LOG_FILE LOG_FORMAT LOG_DIR PID_FILE API_KEY API_URL APP_URL APP_PORT HTTP_PORT HTTPS_PORT METRICS_PORT
    AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY S3_BUCKET STORAGE_DIR STORAGE_CLASS SECRET SECRET_KEY DOMAIN VERSION
    TEST_DATABASE_URL TEST_REDIS_URL FILE_TOKEN WEBHOOK_URL MAX_OLD_SPACE DEFAULT_LANG
  `
      .trim()
      .split(/\s+/),
  )('lets %s pass', (name) => {
    expect(faultsOf({ [name]: 'something' })).toEqual([]);
  });
});
