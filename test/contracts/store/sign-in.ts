import { describe, expect, it } from 'vitest';
import { newId } from '#inlet/kernel/ids.js';
import type { Authenticator, Invitation, LoginLink } from '../../../src/model/sign-in.js';
import { type Store, StoreConflict } from '../../../src/ports/store.js';
import { fresh, type MakeHarness, shared } from './harness.js';
import { aUser, madeAccount, nextInstant } from './samples.js';

const madeUser = async (store: Store) => {
  const user = aUser((await madeAccount(store)).id);
  await store.users.create(user, 'hash');
  return user;
};

const anInvitation = (accountId: string, some: Partial<Invitation> = {}): Invitation => {
  const createdAt = nextInstant();
  return {
    id: newId(createdAt),
    accountId,
    email: `${createdAt}@example.com`,
    role: 'editor',
    createdAt,
    expiresAt: createdAt + 1000,
    ...some,
  };
};

const aLink = (loginId: string, some: Partial<LoginLink> = {}): LoginLink => {
  const createdAt = nextInstant();
  return {
    tokenHash: `link ${createdAt}`,
    loginId,
    purpose: 'reset',
    email: 'ada@example.com',
    passwordHash: null,
    createdAt,
    expiresAt: createdAt + 1000,
    ...some,
  };
};

const anAuthenticator = (loginId: string): Authenticator => ({
  loginId,
  secret: 'GEZDGNBVGY3TQOJQ',
  isConfirmed: false,
  lastStep: 0,
  createdAt: nextInstant(),
});

const conflict = (rule: string) => expect.objectContaining({ name: StoreConflict.name, rule });
const winners = (results: readonly boolean[]) => results.filter((isFirst) => isFirst).length;

export function signInContract(make: MakeHarness): void {
  describe('an invitation', () => {
    const harness = shared(make);

    it('is found by its token, listed until it expires, and deleted once by its account', async () => {
      const { store } = harness();
      const [owner, outsider] = [await madeAccount(store), await madeAccount(store)];
      const [first, second] = [anInvitation(owner.id), anInvitation(owner.id)];
      await store.invitations.put(first, 'hash of the first');
      await store.invitations.put(second, 'hash of the second');
      expect(await store.invitations.findByToken('hash of the first')).toEqual(first);
      expect(await store.invitations.findByToken('hash')).toBeNull();
      expect(await store.invitations.list(owner.id, first.createdAt)).toEqual([first, second]);
      expect(await store.invitations.list(owner.id, first.expiresAt)).toEqual([second]);
      expect(await store.invitations.list(outsider.id, 0)).toEqual([]);
      expect(await store.invitations.delete(outsider.id, first.id)).toBe(false);
      const tries = Array.from({ length: 5 }, () => store.invitations.delete(owner.id, first.id));
      expect(winners(await Promise.all(tries))).toBe(1);
    });

    it('takes the place of one to the same address of the account', async () => {
      const { store } = harness();
      const [owner, other] = [await madeAccount(store), await madeAccount(store)];
      const email = 'same@example.com';
      const [before, after] = [anInvitation(owner.id, { email }), anInvitation(owner.id, { email })];
      await store.invitations.put(before, 'before');
      await store.invitations.put(anInvitation(other.id, { email }), 'elsewhere');
      await store.invitations.put(after, 'after');
      expect(await store.invitations.list(owner.id, 0)).toEqual([after]);
      expect(await store.invitations.findByToken('before')).toBeNull();
      expect(await store.invitations.findByToken('elsewhere')).not.toBeNull();
      const nobodys = store.invitations.put(anInvitation('nobody'), 'x');
      await expect(nobodys).rejects.toEqual(conflict('reference'));
    });
  });

  describe('a link for a login', () => {
    const harness = shared(make);

    it('is taken once, for its purpose only, and voided with its kind', async () => {
      const { store } = harness();
      const { loginId } = await madeUser(store);
      const [reset, email] = [aLink(loginId), aLink(loginId, { purpose: 'email', passwordHash: 'h' })];
      for (const link of [reset, email]) await store.loginLinks.create(link);
      expect(await store.loginLinks.find(reset.tokenHash, 'reset')).toEqual(reset);
      expect(await store.loginLinks.find(reset.tokenHash, 'email')).toBeNull();
      expect(await store.loginLinks.take(reset.tokenHash, 'email')).toBe(false);
      const tries = Array.from({ length: 5 }, () => store.loginLinks.take(reset.tokenHash, 'reset'));
      expect(winners(await Promise.all(tries))).toBe(1);
      await store.loginLinks.voidAll(loginId, 'reset');
      expect(await store.loginLinks.find(email.tokenHash, 'email')).toEqual(email);
      await store.loginLinks.voidAll(loginId, 'email');
      expect(await store.loginLinks.find(email.tokenHash, 'email')).toBeNull();
      await expect(store.loginLinks.create(aLink('nobody'))).rejects.toEqual(conflict('reference'));
    });

    it('goes with the last user of the login, as its factors do', async () => {
      const { store } = harness();
      const user = await madeUser(store);
      const link = aLink(user.loginId);
      await store.loginLinks.create(link);
      await store.factors.putAuthenticator(anAuthenticator(user.loginId));
      await store.factors.putRecoveryCodes(user.loginId, ['a', 'b']);
      await store.users.delete(user.accountId, user.id);
      expect(await store.loginLinks.find(link.tokenHash, 'reset')).toBeNull();
      expect(await store.factors.findAuthenticator(user.loginId)).toBeNull();
      expect(await store.factors.countRecoveryCodes(user.loginId)).toBe(0);
    });
  });

  describe('a second factor', () => {
    const harness = shared(make);

    it('is confirmed by a step, and each step counts once', async () => {
      const { store } = harness();
      const { loginId } = await madeUser(store);
      const [before, now] = [anAuthenticator(loginId), anAuthenticator(loginId)];
      await store.factors.putAuthenticator(before);
      await store.factors.putAuthenticator(now);
      expect(await store.factors.findAuthenticator(loginId)).toEqual(now);
      // This authenticator has been replaced.
      expect(await store.factors.spendStep(before, 6)).toBe(false);
      const tries = Array.from({ length: 5 }, () => store.factors.spendStep(now, 7));
      expect(winners(await Promise.all(tries))).toBe(1);
      expect(await store.factors.spendStep(now, 6)).toBe(false);
      expect(await store.factors.findAuthenticator(loginId)).toEqual({
        ...now,
        isConfirmed: true,
        lastStep: 7,
      });
      expect(await store.factors.deleteAuthenticator(loginId)).toBe(true);
      expect(await store.factors.deleteAuthenticator(loginId)).toBe(false);
      const nobodys = store.factors.putAuthenticator(anAuthenticator('nobody'));
      await expect(nobodys).rejects.toEqual(conflict('reference'));
    });

    it('can be a passkey, which its own login renames and deletes', async () => {
      const { store } = harness();
      const [{ loginId }, other] = [await madeUser(store), await madeUser(store)];
      const createdAt = nextInstant();
      const passkey = (id: string, counter: number, later: number) => ({
        ...{ id: `${id} ${createdAt}`, loginId, name: id, publicKey: 'key', counter },
        ...{ createdAt: createdAt + later, lastUsedAt: null },
      });
      const [plain, counting] = [passkey('plain', 0, 0), passkey('counting', 4, 1)];
      for (const one of [counting, plain]) await store.factors.addPasskey(one);
      await expect(store.factors.addPasskey(plain)).rejects.toEqual(conflict('unique'));
      expect(await store.factors.listPasskeys(loginId)).toEqual([plain, counting]);
      expect(await store.factors.listPasskeys(other.loginId)).toEqual([]);
      expect(await store.factors.usedPasskey(plain.id, 0, 7)).toBe(true);
      expect(await store.factors.findPasskey(plain.id)).toEqual({ ...plain, lastUsedAt: 7 });
      expect(await store.factors.usedPasskey(counting.id, 4, 7)).toBe(false);
      expect(await store.factors.usedPasskey(counting.id, 5, 7)).toBe(true);
      expect(await store.factors.renamePasskey(other.loginId, plain.id, 'Theirs')).toBe(false);
      expect(await store.factors.renamePasskey(loginId, plain.id, 'Mine')).toBe(true);
      expect((await store.factors.findPasskey(plain.id))?.name).toBe('Mine');
      expect(await store.factors.deletePasskey(other.loginId, plain.id)).toBe(false);
      expect(await store.factors.deletePasskey(loginId, plain.id)).toBe(true);
      expect(await store.factors.deleteAll(loginId)).toBe(true);
      expect(await store.factors.deleteAll(loginId)).toBe(false);
      expect(await store.factors.findPasskey(counting.id)).toBeNull();
    });

    it('can be one of its recovery codes, each of which counts once', async () => {
      const { store } = harness();
      const [{ loginId }, other] = [await madeUser(store), await madeUser(store)];
      await store.factors.putRecoveryCodes(loginId, ['old']);
      await store.factors.putRecoveryCodes(loginId, ['a', 'b']);
      expect(await store.factors.countRecoveryCodes(loginId)).toBe(2);
      expect(await store.factors.spendRecoveryCode(loginId, 'old')).toBe(false);
      expect(await store.factors.spendRecoveryCode(other.loginId, 'a')).toBe(false);
      const tries = Array.from({ length: 5 }, () => store.factors.spendRecoveryCode(loginId, 'a'));
      expect(winners(await Promise.all(tries))).toBe(1);
      expect(await store.factors.countRecoveryCodes(loginId)).toBe(1);
    });
  });

  describe('an address and the sessions of a login', () => {
    const harness = shared(make);

    it('change in all accounts, or in none where one has a user with that address', async () => {
      const { store } = harness();
      const user = await madeUser(store);
      const [second, third] = [await madeAccount(store), await madeAccount(store)];
      const { loginId, email } = user;
      await store.users.join({ ...aUser(second.id), loginId, email });
      const stranger = aUser(second.id);
      await store.users.create(stranger, 'hash');
      const taken = store.users.setEmail(loginId, stranger.email);
      await expect(taken).rejects.toEqual(conflict('unique'));
      expect((await store.users.listByEmail(email)).length).toBe(2);
      const elsewhere = aUser(third.id);
      await store.users.create(elsewhere, 'hash');
      await store.users.setEmail(loginId, elsewhere.email);
      expect((await store.users.listByEmail(elsewhere.email)).length).toBe(3);
    });

    it('are listed, those used last first', async () => {
      const { store } = harness();
      const [user, other] = [await madeUser(store), await madeUser(store)];
      const session = (userId: string, lastSeenAt: number) => ({
        ...{ tokenHash: `of ${userId} at ${lastSeenAt}`, userId, createdAt: 1, lastSeenAt, expiresAt: 9 },
        ...{ providerId: null, address: '203.0.113.7', userAgent: 'Firefox' },
      });
      const [earlier, later] = [session(user.id, 2), session(user.id, 3)];
      for (const one of [earlier, later, session(other.id, 4)]) await store.sessions.create(one);
      expect(await store.sessions.listOf(user.loginId)).toEqual([later, earlier]);
    });
  });

  describe('what has expired', () => {
    const harness = fresh(make);

    it('is purged with the sessions', async () => {
      const { store } = harness();
      const user = await madeUser(store);
      const [invitation, link] = [anInvitation(user.accountId), aLink(user.loginId)];
      await store.invitations.put(invitation, 'hash');
      await store.loginLinks.create(link);
      const end = Math.max(invitation.expiresAt, link.expiresAt);
      expect(await store.purge.purgeSessionsStep(invitation.createdAt)).toBe(false);
      expect(await store.purge.purgeSessionsStep(end)).toBe(true);
      expect(await store.invitations.findByToken('hash')).toBeNull();
      expect(await store.loginLinks.find(link.tokenHash, 'reset')).toBeNull();
    });
  });
}
