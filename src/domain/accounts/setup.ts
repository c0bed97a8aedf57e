/**
 * The first dashboard user: named by the settings, or created with the one-time link that a start prints. A link
 * works until it is used, until somebody is a user, or until the next start prints another. Processes that share a
 * database all print the same one: nobody knows whose start comes last.
 */
import { rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import type { User } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Store } from '../../ports/store.js';
import type { Attempts } from './attempts.js';
import type { Devices } from './devices.js';
import type { Passwords } from './passwords.js';
import { openSession, type Welcomed } from './sessions.js';
import { normalEmail, UserExists, type UserService } from './users.js';

export interface SetupService {
  /** At the start. The token of the link to show; null: there is somebody who can sign in. */
  prepare(admin: { readonly email: string; readonly password: string } | null): Promise<string | null>;
  isNeeded(): Promise<boolean>;
  /** Makes the first user, of the oldest account, and signs them in. Throws 403 or 429. */
  complete(input: { token: string; email: string; password: string; address: string }): Promise<Welcomed>;
}

export function createSetupService(deps: {
  store: Store;
  clock: Clock;
  passwords: Passwords;
  users: UserService;
  attempts: Attempts;
  devices: Devices;
  /** Other processes may be starting at this moment. */
  isShared: boolean;
}): SetupService {
  const { store, clock, passwords, users, attempts, devices } = deps;
  return {
    async prepare(admin) {
      if ((await store.users.count()) > 0) return null;
      const [account] = await store.accounts.list();
      if (admin && account) {
        await users.create({ accountId: account.id, ...admin }).catch((error: unknown) => {
          // Another process was faster.
          if (!(error instanceof UserExists)) throw error;
        });
        return null;
      }
      const token = randomSecret();
      if (deps.isShared) return store.setup.share(token);
      await store.setup.put(sha256Hex(token));
      return token;
    },

    isNeeded: async () => (await store.users.count()) === 0,

    async complete({ token, email, password, address }) {
      await attempts.count(`setup:${rateKey(address)}`);
      const tokenHash = sha256Hex(token);
      if (!(await store.setup.holds(tokenHash))) throw refuse.wrongSetupLink();
      const passwordHash = await passwords.hash(password, { like: null, by: 'setup' });
      return store.tx(async (tx) => {
        const isFirst = (await tx.setup.take(tokenHash)) && (await tx.users.count()) === 0;
        const [account] = await tx.accounts.list();
        if (!isFirst || !account) throw refuse.wrongSetupLink();
        const now = clock.now();
        const user: User = {
          id: newId(now),
          accountId: account.id,
          email: normalEmail(email),
          createdAt: now,
        };
        await tx.users.create(user, passwordHash);
        const opened = await openSession(tx, { user, account }, now);
        return { ...opened, device: devices.remember(null, { user, passwordHash }) };
      });
    },
  };
}
