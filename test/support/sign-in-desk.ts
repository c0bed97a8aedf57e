/** Sign-ins on a real store, with a clock that the test moves and free password hashing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryCounters } from '#inlet/adapters/counters/memory.js';
import { openSqlite } from '#inlet/adapters/sql/sqlite/sqlite.js';
import { createSqlStore } from '#inlet/adapters/sql/store.js';
import { createAttempts } from '#inlet/domain/accounts/attempts.js';
import { createDevices } from '#inlet/domain/accounts/devices.js';
import { createPasswords } from '#inlet/domain/accounts/passwords.js';
import { createPendingSignIns } from '#inlet/domain/accounts/second-factor.js';
import { createSessionService } from '#inlet/domain/accounts/sessions.js';
import { createSetupService } from '#inlet/domain/accounts/setup.js';
import { createUserService } from '#inlet/domain/accounts/users.js';
import { createEmailChange } from '#inlet/domain/signing-in/email-change.js';
import { createSecondFactors } from '#inlet/domain/signing-in/second-factors.js';
import { createSealer, deriveKey } from '#inlet/kernel/secrets.js';
import { commandLine } from '#inlet/model/audit.js';
import { anAccount, epoch } from '../contracts/store/samples.js';

export const home = '203.0.113.7';
export const nowhere = { address: home, userAgent: '', replacing: null, device: null };
export const byCommand = (accountId: string) => ({ accountId, actor: commandLine });

export async function openDesk() {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-sessions-'));
  const time = { now: epoch };
  const clock = { now: () => time.now };
  const engine = await openSqlite({
    path: join(folder, 'inlet.db'),
    readers: 1,
    now: clock.now,
    mayMigrate: true,
    onFatal(error) {
      throw error;
    },
  });
  const store = createSqlStore(engine, createSealer(deriveKey('master', 'seal')));
  const checked: string[] = [];
  let salts = 0;
  const passwords = createPasswords(async (password, like) => {
    if (like === null) salts += 1;
    else checked.push(like);
    await work.before();
    return `${like?.split('$')[0] ?? `salt ${salts}`}$${password}`;
  });
  const work = { before: async (): Promise<void> => {} };
  const attempts = createAttempts({ clock, counters: memoryCounters({ now: clock.now }) });
  const devices = createDevices({ key: deriveKey('master', 'devices'), clock });
  const reports: unknown[] = [];
  const pending = createPendingSignIns({ sealer: createSealer(deriveKey('master', 'second factor')), clock });
  const makeSessions = () =>
    createSessionService({
      store,
      clock,
      attempts,
      devices,
      passwords,
      pending,
      observe: (report) => void reports.push(report),
      onLateFault(error) {
        throw error;
      },
    });
  const sessions = makeSessions();
  const users = createUserService({ store, clock, passwords, onSessionsEnded: sessions.forgetLogin });
  const secondFactors = createSecondFactors({ store, clock, attempts, sessions });
  const emailChange = createEmailChange({
    ...{ store, clock, attempts, passwords, sessions },
    mails: { canSend: true, link: (page, token) => `${page} ${token}`, send: async () => true },
  });
  const setup = createSetupService({ store, clock, passwords, users, attempts, devices, isShared: false });
  const account = anAccount();
  await store.accounts.create(account);
  const ada = await users.create(byCommand(account.id), { email: 'Ada@example.com', password: 'right' });
  return {
    ...{
      time,
      store,
      sessions,
      users,
      setup,
      secondFactors,
      emailChange,
      account,
      ada,
      checked,
      reports,
      work,
      pending,
      makeSessions,
    },
    signIn: (some: Partial<Parameters<typeof sessions.signIn>[0]> = {}) =>
      sessions.signIn({
        email: 'ada@example.com',
        password: 'right',
        ...nowhere,
        ...some,
      }),
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
