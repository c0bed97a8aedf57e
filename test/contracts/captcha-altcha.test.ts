/** The built-in CAPTCHA with a real SQLite store. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createAltcha } from '#inlet/adapters/captcha/altcha.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import type { Store } from '../../src/ports/store.js';
import { solved } from '../support/altcha.js';
import { temporaryFolder } from '../support/server.js';
import { captchaContract } from './captcha.js';

const secret = 'a secret of the instance, long enough';
let store: Store;
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  const engine = await openSqlite({
    path: join(folder, 'inlet.db'),
    readers: 1,
    now: Date.now,
    mayMigrate: true,
    onFatal: () => {},
  });
  store = createSqlStore(engine, createSealer(deriveKey(secret, 'seal')));
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

captchaContract('altcha', () => {
  const altcha = createAltcha({
    key: deriveKey(secret, 'altcha'),
    difficulty: 2,
    clock: { now: Date.now },
    spend: (id: string, expiresAt: number) => store.challenges.spend(id, expiresAt),
  });
  return {
    verifier: altcha,
    good: async () => ({
      provider: 'altcha',
      siteKey: null,
      secretKey: null,
      token: await solved(await altcha.challenge('form')),
      remoteIp: '192.0.2.1',
      formId: 'form',
    }),
  };
});
