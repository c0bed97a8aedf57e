/**
 * The first dashboard user: configured in the settings, or created with the one-time link that is printed at startup. A link
 * works until it is used, until there is a user, or until the next start prints another. Processes that share a database all
 * print the same link, because any of them may start last.
 */
import { rateKey } from '../../kernel/addresses.js';
import type { Clock } from '../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import { theSystem, userActor } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import type { Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { Attempts } from './attempts.js';
import type { Devices } from './devices.js';
import type { Passwords } from './passwords.js';
import { openSession, type Place, type Welcomed } from './sessions.js';
import { newUser, normalEmail, owner, UserExists, type UserService, userObject } from './users.js';

export interface SetupService {
  /** Called at startup. Returns the token of the link to show, or null when there is a user who can sign in. */
  prepare(admin: { readonly email: string; readonly password: string } | null): Promise<string | null>;
  isNeeded(): Promise<boolean>;
  /** Creates the first user, in the oldest account, and signs them in. Throws 403, 429 or 503. */
  complete(input: Place & { token: string; email: string; password: string }): Promise<Welcomed>;
}

export function createSetupService(deps: {
  store: Store;
  clock: Clock;
  passwords: Passwords;
  users: UserService;
  attempts: Attempts;
  devices: Devices;
  /** Whether other processes may be starting at the same time. */
  isShared: boolean;
}): SetupService {
  const { store, clock, passwords, users, attempts, devices } = deps;
  return {
    async prepare(admin) {
      if ((await store.users.count()) > 0) return null;
      const [account] = await store.accounts.list();
      if (admin && account) {
        await users.create({ accountId: account.id, actor: theSystem }, admin).catch((error: unknown) => {
          // Another process created the user first.
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

    async complete({ token, email, password, ...place }) {
      await attempts.count(`setup:${rateKey(place.address)}`);
      const tokenHash = sha256Hex(token);
      if (!(await store.setup.holds(tokenHash))) throw refuse.wrongSetupLink();
      const passwordHash = await passwords.hash(password, { like: null, by: 'setup' });
      return store.tx(async (tx) => {
        const isFirst = (await tx.setup.take(tokenHash)) && (await tx.users.count()) === 0;
        const [account] = await tx.accounts.list();
        if (!isFirst || !account) throw refuse.wrongSetupLink();
        const now = clock.now();
        const user = newUser({
          ...{ accountId: account.id, email: normalEmail(email) },
          ...{ access: owner, now },
        });
        await tx.users.create(user, passwordHash);
        const who = { accountId: account.id, actor: { ...userActor(user), ...place } };
        record(tx, who, { action: 'user.created', object: userObject(user), after: user });
        const opened = await openSession(tx, { user, account }, { ...place, now });
        return { ...opened, device: devices.remember(null, { user, passwordHash }) };
      });
    },
  };
}
