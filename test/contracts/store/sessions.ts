import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#inlet/kernel/secrets.js';
import type { Session } from '../../../src/model/account.js';
import type { Store } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { anAccount, aUser, madeAccount, nextInstant } from './samples.js';

const aSession = (userId: string, some: Partial<Session> = {}): Session => {
  const createdAt = nextInstant();
  return {
    tokenHash: `hash ${createdAt}`,
    userId,
    providerId: null,
    createdAt,
    lastSeenAt: createdAt,
    expiresAt: createdAt,
    address: '203.0.113.7',
    userAgent: 'Firefox',
    ...some,
  };
};

const madeUser = async (store: Store, accountId: string) => {
  const user = aUser(accountId);
  await store.users.create(user, `password of ${user.id}`);
  return user;
};

export function sessionsContract(make: MakeHarness): void {
  describe('users of an account', () => {
    const harness = shared(make);

    it('are found, listed oldest first and deleted by their own account only', async () => {
      const { store } = harness();
      const [owner, outsider] = [await madeAccount(store), await madeAccount(store)];
      const [first, second] = [aUser(owner.id), aUser(owner.id)];
      await store.users.create(second, 'x');
      await store.users.create(first, 'y');
      await madeUser(store, outsider.id);
      expect(await store.users.list(owner.id)).toEqual([first, second]);
      expect(await store.users.find(owner.id, first.id)).toEqual({ user: first, passwordHash: 'y' });
      expect(await store.users.find(outsider.id, first.id)).toBeNull();
      expect(await store.users.delete(outsider.id, first.id)).toBe(false);
      expect(await store.users.delete(owner.id, first.id)).toBe(true);
      expect(await store.users.delete(owner.id, first.id)).toBe(false);
      expect(await store.users.list(owner.id)).toEqual([second]);
      expect(await store.users.listByEmail(first.email)).toEqual([]);
    });
  });

  describe('a login', () => {
    const harness = shared(make);

    it('has users in several accounts, with one password', async () => {
      const { store } = harness();
      const [one, two] = [await madeAccount(store), await madeAccount(store)];
      const ada = aUser(one.id);
      await store.users.create(ada, 'first');
      const there = aUser(two.id, {
        ...{ loginId: ada.loginId, email: ada.email, role: null },
        projects: [{ projectId: 'p', role: 'viewer' }],
      });
      await store.users.join(there);
      expect(await store.users.listOfLogin(ada.loginId)).toEqual([
        { user: ada, account: one },
        { user: there, account: two },
      ]);
      expect(await store.users.find(two.id, there.id)).toEqual({ user: there, passwordHash: 'first' });
      await store.users.setPassword(ada.loginId, 'second');
      expect(await store.users.listByEmail(ada.email)).toEqual([
        { user: ada, passwordHash: 'second' },
        { user: there, passwordHash: 'second' },
      ]);
      const sessions = [aSession(ada.id), aSession(there.id)];
      for (const session of sessions) await store.sessions.create(session);
      await store.sessions.endAllOf(ada.loginId);
      for (const { tokenHash } of sessions) expect(await store.sessions.find(tokenHash)).toBeNull();
    });

    it('stays until its last user is deleted', async () => {
      const { store } = harness();
      const [one, two] = [await madeAccount(store), await madeAccount(store)];
      const ada = aUser(one.id);
      const again = () => aUser(two.id, { loginId: ada.loginId, email: ada.email });
      const there = again();
      await store.users.create(ada, 'hash');
      await store.users.join(there);
      await store.users.delete(one.id, ada.id);
      expect(await store.users.listOfLogin(ada.loginId)).toEqual([{ user: there, account: two }]);
      await store.users.delete(two.id, there.id);
      await expect(store.users.join(again())).rejects.toMatchObject({ rule: 'reference' });
      expect(await store.users.listByEmail(ada.email)).toEqual([]);
    });

    it('may have no password, and get one', async () => {
      const { store } = harness();
      const ada = aUser((await madeAccount(store)).id);
      await store.users.create(ada, null);
      expect(await store.users.find(ada.accountId, ada.id)).toEqual({ user: ada, passwordHash: null });
      await store.users.setPassword(ada.loginId, 'hash');
      expect(await store.users.find(ada.accountId, ada.id)).toEqual({ user: ada, passwordHash: 'hash' });
    });

    it('is one user of an account', async () => {
      const { store } = harness();
      const ada = await madeUser(store, (await madeAccount(store)).id);
      const second = aUser(ada.accountId, { loginId: ada.loginId, email: ada.email });
      await expect(store.users.join(second)).rejects.toMatchObject({ rule: 'unique' });
    });
  });

  describe('a session', () => {
    const harness = shared(make);

    it('is found by its hash, with user and account as they are now', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const user = await madeUser(store, account.id);
      const session = aSession(user.id, { lastSeenAt: 2, expiresAt: 3 });
      await store.sessions.create(session);
      expect(await store.sessions.find(session.tokenHash)).toEqual({ session, user, account });
      expect(await store.sessions.find(session.tokenHash.toUpperCase())).toBeNull();
      await store.accounts.update(account.id, { plan: 'pro' });
      expect((await store.sessions.find(session.tokenHash))?.account.plan).toBe('pro');
    });

    it('is not one of a user who does not exist, and not one of two with the same hash', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const user = await madeUser(store, account.id);
      const orphan = store.sessions.create(aSession(aUser(anAccount().id).id));
      await expect(orphan).rejects.toMatchObject({ name: 'StoreConflict', rule: 'reference' });
      const session = aSession(user.id);
      await store.sessions.create(session);
      await expect(store.sessions.create(session)).rejects.toMatchObject({ rule: 'unique' });
    });

    it('remembers when it was seen; a late note does not bring it back', async () => {
      const { store } = harness();
      const user = await madeUser(store, (await madeAccount(store)).id);
      const session = aSession(user.id);
      await store.sessions.create(session);
      await store.sessions.touch(session.tokenHash, 10, 20);
      expect((await store.sessions.find(session.tokenHash))?.session).toEqual({
        ...session,
        lastSeenAt: 10,
        expiresAt: 20,
      });
      await store.sessions.end(session.tokenHash);
      await store.sessions.end(session.tokenHash);
      await store.sessions.touch(session.tokenHash, 11, 21);
      expect(await store.sessions.find(session.tokenHash)).toBeNull();
    });

    it('ends alone, with all of its user, or with its user', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const [ada, bob] = [await madeUser(store, account.id), await madeUser(store, account.id)];
      const [one, two, others] = [aSession(ada.id), aSession(ada.id), aSession(bob.id)];
      for (const session of [one, two, others]) await store.sessions.create(session);
      const alive = async () => {
        const found = await Promise.all(
          [one, two, others].map(({ tokenHash }) => store.sessions.find(tokenHash)),
        );
        return found.map((session) => session !== null);
      };
      await store.sessions.end(one.tokenHash);
      expect(await alive()).toEqual([false, true, true]);
      await store.sessions.create(one);
      await store.sessions.endAllOf(ada.id);
      expect(await alive()).toEqual([false, false, true]);
      await store.users.delete(account.id, bob.id);
      expect(await alive()).toEqual([false, false, false]);
    });
  });

  describe('expired sessions', () => {
    const harness = fresh(make);

    it('are purged, in bounded steps, and the others stay', async () => {
      const { store } = harness();
      const user = await madeUser(store, (await madeAccount(store)).id);
      const now = nextInstant();
      const [expired, valid] = [
        aSession(user.id, { expiresAt: now }),
        aSession(user.id, { expiresAt: now + 1 }),
      ];
      await store.tx(async (tx) => {
        for (const session of [expired, valid]) await tx.sessions.create(session);
        for (let i = 0; i < 250; i += 1) await tx.sessions.create(aSession(user.id, { expiresAt: now - 1 }));
      });
      expect(await store.purge.purgeSessionsStep(now - 2)).toBe(false);
      let steps = 0;
      while (await store.purge.purgeSessionsStep(now)) steps += 1;
      expect(steps).toBeGreaterThan(1);
      expect(await store.sessions.find(expired.tokenHash)).toBeNull();
      expect((await store.sessions.find(valid.tokenHash))?.session).toEqual(valid);
    });
  });

  describe('the set-up link', () => {
    const harness = fresh(make);

    it('is the one that was put last, and is taken once', async () => {
      const { store } = harness();
      expect(await store.setup.take('a')).toBe(false);
      await store.setup.put('a');
      await store.setup.put('b');
      expect([await store.setup.holds('a'), await store.setup.holds('b')]).toEqual([false, true]);
      expect(await store.setup.take('a')).toBe(false);
      const tries = Array.from({ length: 10 }, () => store.setup.take('b'));
      expect((await Promise.all(tries)).filter((isFirst) => isFirst)).toHaveLength(1);
      expect(await store.setup.holds('b')).toBe(false);
      // The instance's other data is unchanged.
      expect(await store.secretOpens()).toBe(true);
    });

    it('is gone when it is cleared, and stays when its transaction is undone', async () => {
      const { store } = harness();
      await store.setup.put('a');
      const undone = store.tx(async (tx) => {
        expect(await tx.setup.take('a')).toBe(true);
        throw new Error('changed my mind');
      });
      await expect(undone).rejects.toThrow('changed my mind');
      expect(await store.setup.holds('a')).toBe(true);
      await store.setup.clear();
      expect(await store.setup.take('a')).toBe(false);
    });

    it('is the same for all who share it, until it is used', async () => {
      const { store } = harness();
      const another = await harness().another();
      try {
        const tokens = await Promise.all([store, another].map(({ setup }, i) => setup.share(`token ${i}`)));
        expect(tokens[0]).toBe(tokens[1]);
        const [token = ''] = tokens;
        expect(await another.setup.share('later')).toBe(token);
        expect(await store.setup.holds(sha256Hex(token))).toBe(true);
        expect(await another.setup.take(sha256Hex(token))).toBe(true);
        expect(await store.setup.holds(sha256Hex(token))).toBe(false);
        expect(await store.setup.share('new')).toBe('new');
        await store.setup.clear();
        expect(await store.setup.share('newer')).toBe('newer');
        await store.setup.put('alone');
        expect([await store.setup.holds('alone'), await store.setup.holds(sha256Hex('newer'))]).toEqual([
          true,
          false,
        ]);
      } finally {
        await another.close();
      }
    });

    it('begins once: whoever comes at the same moment waits, and begins if the other did not end well', async () => {
      const { store } = harness();
      const another = await harness().another();
      try {
        const beginning = (on: Store, endsWell: boolean) =>
          on.tx(async (tx) => {
            const isFirst = await tx.setup.begin();
            if (!endsWell) throw new Error('cut off');
            return isFirst;
          });
        await expect(beginning(store, false)).rejects.toThrow('cut off');
        const firsts = await Promise.all([store, another, store, another].map((one) => beginning(one, true)));
        expect(firsts.filter((isFirst) => isFirst)).toHaveLength(1);
        expect(await beginning(another, true)).toBe(false);
      } finally {
        await another.close();
      }
    });
  });
}
