import { describe, expect, it } from 'vitest';
import { wholeAccount } from '#inlet/model/reach.js';
import { StoreConflict } from '#inlet/ports/store.js';
import { type MakeHarness, shared } from './harness.js';
import {
  aForm,
  aKey,
  anAccount,
  aProject,
  aUser,
  made,
  madeAccount,
  madePlace,
  nextInstant,
} from './samples.js';

export function accountsContract(make: MakeHarness): void {
  describe('accounts, keys, users', () => {
    const harness = shared(make);

    it('keeps an account and lists accounts oldest first', async () => {
      const { store } = harness();
      const [first, second] = [anAccount({ name: 'Čapek & "Söhne"', plan: 'starter' }), anAccount()];
      await store.accounts.create(second);
      await store.accounts.create(first);
      expect(await store.accounts.find(first.id)).toEqual(first);
      const mine = (await store.accounts.list()).filter(({ id }) => id === first.id || id === second.id);
      expect(mine).toEqual([first, second]);
    });

    it('finds no account that does not exist', async () => {
      expect(await harness().store.accounts.find(anAccount().id)).toBeNull();
    });

    it('changes the plan, and says when there is no such account', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      expect(await store.accounts.update(account.id, { plan: 'pro' })).toBe(true);
      expect(await store.accounts.find(account.id)).toEqual({ ...account, plan: 'pro' });
      expect(await store.accounts.update(anAccount().id, { plan: 'pro' })).toBe(false);
    });

    it('changes the name alone, of this account alone', async () => {
      const { store } = harness();
      const [account, other] = [await madeAccount(store), await madeAccount(store)];
      const name = 'Čapek & "Söhne"';
      expect(await store.accounts.update(account.id, { name })).toBe(true);
      expect(await store.accounts.find(account.id)).toEqual({ ...account, name });
      expect(await store.accounts.find(other.id)).toEqual(other);
    });

    it('keeps whether two factors are required, for each account', async () => {
      const { store } = harness();
      const [account, other] = [await madeAccount(store), await madeAccount(store)];
      await store.accounts.update(account.id, { twoFactorsRequired: true });
      expect(await store.accounts.find(account.id)).toEqual({ ...account, twoFactorsRequired: true });
      expect(await store.accounts.find(other.id)).toEqual(other);
      await store.accounts.update(account.id, { twoFactorsRequired: false });
      expect(await store.accounts.find(account.id)).toEqual(account);
    });

    it('counts what an account uses: its own, and only what lives', async () => {
      const { store } = harness();
      expect(await store.accounts.usage(wholeAccount((await madeAccount(store)).id))).toEqual({
        projects: 0,
        forms: 0,
        submissions: 0,
      });
      const place = await madePlace(store);
      const sibling = await madePlace(store, { account: { ...anAccount(), id: place.accountId } });
      const gone = await madePlace(store, { account: { ...anAccount(), id: place.accountId } });
      const goneForm = aForm(place.project.id);
      await store.forms.create(goneForm);
      for (const target of [place, place, sibling, gone, { ...place, form: goneForm }])
        await made(store, target);
      await made(store, await madePlace(store));
      await store.projects.markDeleted(gone.project.id, nextInstant());
      await store.forms.markDeleted(goneForm.id, nextInstant());
      expect(await store.accounts.usage(wholeAccount(place.accountId))).toEqual({
        projects: 2,
        forms: 2,
        submissions: 3,
      });
    });

    it('finds a key with its account by the hash alone', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const key = aKey(account.id, {
        ...{ scope: 'read', name: 'Läser', expiresAt: 9_999 },
        projectIds: ['one', 'two'],
      });
      await store.keys.create(key, `hash of ${key.id}`);
      expect(await store.keys.findByHash(`hash of ${key.id}`)).toEqual({ key, account });
      expect(await store.keys.findByHash(`Hash of ${key.id}`)).toBeNull();
      await store.keys.touch(key.id, 1234);
      expect((await store.keys.findByHash(`hash of ${key.id}`))?.key.lastUsedAt).toBe(1234);
    });

    it('refuses a second key with the same hash', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const key = aKey(account.id);
      await store.keys.create(key, key.id);
      const refused = store.keys.create(aKey(account.id), key.id);
      await expect(refused).rejects.toMatchObject({ name: 'StoreConflict', rule: 'unique' });
      await expect(refused).rejects.toBeInstanceOf(StoreConflict);
      expect(await store.keys.list(account.id)).toEqual([key]);
    });

    it('refuses a key of an account that does not exist', async () => {
      const key = aKey(anAccount().id);
      await expect(harness().store.keys.create(key, key.id)).rejects.toMatchObject({ rule: 'reference' });
    });

    it('lists and revokes the keys of one account only', async () => {
      const { store } = harness();
      const [owner, outsider] = [await madeAccount(store), await madeAccount(store)];
      const [first, second, other] = [aKey(owner.id), aKey(owner.id), aKey(outsider.id)];
      for (const key of [second, first, other]) await store.keys.create(key, key.id);
      expect(await store.keys.list(owner.id)).toEqual([first, second]);
      expect(await store.keys.revoke(outsider.id, first.id)).toBe(false);
      expect(await store.keys.findByHash(first.id)).not.toBeNull();
      expect(await store.keys.revoke(owner.id, first.id)).toBe(true);
      expect(await store.keys.revoke(owner.id, first.id)).toBe(false);
      expect(await store.keys.findByHash(first.id)).toBeNull();
      expect(await store.keys.list(owner.id)).toEqual([second]);
    });

    it('keeps users, one for each address of an account', async () => {
      const { store } = harness();
      const account = await madeAccount(store);
      const before = await store.users.count();
      const user = aUser(account.id);
      await store.users.create(user, 'first hash');
      expect(await store.users.listByEmail(user.email)).toEqual([{ user, passwordHash: 'first hash' }]);
      await expect(store.users.create(aUser(account.id, { email: user.email }), 'x')).rejects.toMatchObject({
        rule: 'unique',
      });
      await store.users.setPassword(user.id, 'second hash');
      expect(await store.users.listByEmail(user.email)).toEqual([{ user, passwordHash: 'second hash' }]);
      expect(await store.users.listByEmail('nobody@example.com')).toEqual([]);
      expect(await store.users.count()).toBe(before + 1);
    });

    it('keeps the same address in several accounts, the oldest user first', async () => {
      const { store } = harness();
      const [one, two] = [await madeAccount(store), await madeAccount(store)];
      const older = aUser(one.id);
      const newer = aUser(two.id, { email: older.email });
      await store.users.create(newer, 'hash of the newer');
      await store.users.create(older, 'hash of the older');
      expect(await store.users.listByEmail(older.email)).toEqual([
        { user: older, passwordHash: 'hash of the older' },
        { user: newer, passwordHash: 'hash of the newer' },
      ]);
      const again = store.users.create(aUser(two.id, { email: older.email }), 'x');
      await expect(again).rejects.toMatchObject({ rule: 'unique' });
      await store.users.setPassword(newer.id, 'next hash');
      expect(await store.users.delete(one.id, older.id)).toBe(true);
      expect(await store.users.listByEmail(older.email)).toEqual([
        { user: newer, passwordHash: 'next hash' },
      ]);
    });

    it('knows the account that was made first', async () => {
      const { store } = harness();
      await madeAccount(store);
      const [oldest] = await store.accounts.list();
      expect(oldest).toBeDefined();
      expect(await store.accounts.findOldest()).toEqual(oldest);
    });

    it('refuses a user or project of an account that does not exist', async () => {
      const { store } = harness();
      const nobody = anAccount();
      await expect(store.users.create(aUser(nobody.id), 'x')).rejects.toMatchObject({ rule: 'reference' });
      await expect(store.projects.create(aProject(nobody.id))).rejects.toMatchObject({ rule: 'reference' });
    });
  });
}
