import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  const loaded = loadConfig(env);
  return loaded.ok ? [] : loaded.faults;
}

describe('faults between settings', () => {
  const because = 'expected at most that, because a file comes inside a body';
  const smtp = 'expected a URL such as smtp://user:password@host:587';
  const tooLarge = (file: string, body: string) =>
    `MAX_FILE_BYTES (${file}) is larger than MAX_BODY_BYTES (${body}); ${because}`;

  it.each<[Record<string, string>, string]>([
    [{ INLET_ADMIN_EMAIL: 'a@b.de' }, 'INLET_ADMIN_EMAIL is set without INLET_ADMIN_PASSWORD; expected both'],
    [
      { INLET_ADMIN_PASSWORD: 'x'.repeat(12) },
      'INLET_ADMIN_PASSWORD is set without INLET_ADMIN_EMAIL; expected both',
    ],
    [
      { INLET_ADMIN_EMAIL: 'me', INLET_ADMIN_PASSWORD: 'x'.repeat(12) },
      'INLET_ADMIN_EMAIL "me" is not an e-mail address; expected an e-mail address',
    ],
    [
      { INLET_ADMIN_EMAIL: 'a@b.de', INLET_ADMIN_PASSWORD: 'hush' },
      'INLET_ADMIN_PASSWORD is too short; expected 10 to 128 bytes',
    ],
    [
      { INLET_ADMIN_EMAIL: 'a@b.de', INLET_ADMIN_PASSWORD: `${'ä'.repeat(64)}x` },
      'INLET_ADMIN_PASSWORD is too long; expected 10 to 128 bytes',
    ],
    [{ PORT: '0' }, 'PORT 0 needs BASE_URL; expected both, or a fixed PORT'],
    [{ PORT: '3001', OPS_PORT: '3001' }, 'OPS_PORT is the same as PORT; expected another port'],
    [{ SMTP_URL: 'smtp://mail' }, 'SMTP_URL is set without MAIL_FROM; expected both'],
    [
      { SMTP_URL: 'smtp://mail?logger=true', MAIL_FROM: 'a@b.de' },
      `SMTP_URL has the unknown parameter logger (known: requireTLS, ignoreTLS, opportunisticTLS, ` +
        `tls.rejectUnauthorized, name, authMethod, tls.servername); ${smtp}`,
    ],
    [
      { SMTP_URL: 'smtp://mail?requireTLS=yes', MAIL_FROM: 'a@b.de' },
      `SMTP_URL has requireTLS neither true nor false; ${smtp}`,
    ],
    [
      { SMTP_URL: 'mail:25', MAIL_FROM: 'a@b.de' },
      `SMTP_URL does not start with smtp:// or smtps://; ${smtp}`,
    ],
    [{ MAX_FILE_BYTES: '30MB', MAX_BODY_BYTES: '20MB' }, `${tooLarge('30MB', '20MB')}: change one of them`],
    [{ MAX_FILE_BYTES: '30MB' }, `${tooLarge('30MB', '25 MiB by default')}: set MAX_BODY_BYTES too`],
    [{ MAX_BODY_BYTES: '5MB' }, `${tooLarge('10 MiB by default', '5MB')}: set MAX_FILE_BYTES too`],
  ])('%j', (env, fault) => {
    expect(faultsOf(env)).toEqual([fault]);
  });

  it('names each fault once: none follows from another', () => {
    expect(faultsOf({ MAX_FILE_BYTES: 'big', MAX_BODY_BYTES: '5MB' })).toHaveLength(1);
    expect(faultsOf({ SMTP_URL: 'smtp://mail', MAIL_FROM: 'nobody' })).toHaveLength(1);
    expect(faultsOf({ PORT: 'x' })).toHaveLength(1);
  });
});
