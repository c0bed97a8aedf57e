/** Sessions and set-up on a real store, with a clock that the test moves and free password hashing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nobodysHash } from '#inlet/domain/accounts/passwords.js';
import { absoluteMs, idleMs } from '#inlet/domain/accounts/sessions.js';
import { principalOf } from '#inlet/domain/accounts/signed-in.js';
import { UserAmbiguous, UserUnknown } from '#inlet/domain/accounts/users.js';
import { sha256Hex } from '#inlet/kernel/secrets.js';
import { commandLine, nowhere as unknown } from '#inlet/model/audit.js';
import { anAccount, aUser, epoch } from '../contracts/store/samples.js';
import { byCommand, home, nowhere, openDesk } from '../support/sign-in-desk.js';

const minute = 60_000;

let desk: Awaited<ReturnType<typeof openDesk>>;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const wrong = { kind: 'unauthenticated', message: 'Invalid e-mail address or password' };
const throttled = { kind: 'rate_limited' };

describe('signing in', () => {
  it('opens a session that is known by its hash alone', async () => {
    const { token, user, account } = await desk.signIn({ email: ' ADA@Example.com ' });
    expect([user, account]).toEqual([desk.ada, desk.account]);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await desk.store.sessions.find(token)).toBeNull();
    expect((await desk.store.sessions.find(sha256Hex(token)))?.session.userId).toBe(desk.ada.id);
    const signedIn = await desk.sessions.authenticate(token);
    expect(signedIn && principalOf(signedIn)).toEqual({
      accountId: desk.account.id,
      plan: 'business',
      keyId: null,
      userId: desk.ada.id,
      projectIds: null,
      access: { role: 'owner', projects: [] },
      actor: { kind: 'user', id: desk.ada.id, name: 'ada@example.com', ...unknown },
    });
  });

  it('makes a new session each time, and ends the one whose cookie came along', async () => {
    const first = await desk.signIn();
    const second = await desk.signIn({ replacing: first.token });
    expect(second.token).not.toBe(first.token);
    expect(await desk.sessions.authenticate(first.token)).toBeNull();
    expect(await desk.sessions.authenticate(second.token)).not.toBeNull();
  });

  it('does the same work and says the same to an unknown user as to a wrong password', async () => {
    await expect(desk.signIn({ password: 'guess' })).rejects.toMatchObject(wrong);
    await expect(desk.signIn({ email: 'nobody@example.com' })).rejects.toMatchObject(wrong);
    expect(desk.checked).toEqual(['salt 1$right', nobodysHash]);
    expect(desk.reports).toEqual([
      { outcome: 'failed', userId: desk.ada.id, address: home },
      { outcome: 'failed', userId: null, address: home },
    ]);
  });

  it('fails for a login without a password as with a wrong one, after the same work', async () => {
    const email = 'grace@example.com';
    await desk.store.users.create(aUser(desk.account.id, { email }), null);
    await expect(desk.signIn({ email, password: '' })).rejects.toMatchObject(wrong);
    await expect(desk.signIn({ email, password: 'null' })).rejects.toMatchObject(wrong);
    expect(desk.checked).toEqual([nobodysHash, nobodysHash]);
    await desk.users.resetPassword(commandLine, { email, accountId: null }, 'given');
    await desk.signIn({ email, password: 'given' });
  });

  it('with a provider opens no other account of the login', async () => {
    const other = anAccount();
    await desk.store.accounts.create(other);
    const { email, loginId } = desk.ada;
    await desk.store.users.join(aUser(other.id, { email, loginId }));
    const { token } = await desk.signIn();
    const who = await desk.sessions.authenticate(token);
    if (!who) throw new Error('The session is not valid');
    const place = { address: home, userAgent: '' };
    const byProvider = { ...who, providerId: 'of-a-provider' };
    await expect(desk.sessions.switchTo(byProvider, token, other.id, place)).rejects.toMatchObject({
      kind: 'not_found',
    });
    expect((await desk.sessions.switchTo(who, token, other.id, place)).account.id).toBe(other.id);
  });

  it('ends no session when it fails', async () => {
    const { token } = await desk.signIn();
    await expect(desk.signIn({ password: 'guess', replacing: token })).rejects.toMatchObject(wrong);
    expect(await desk.sessions.authenticate(token)).not.toBeNull();
  });

  it.each([
    ['deleted', () => desk.store.users.delete(desk.account.id, desk.ada.id)],
    ['given another password', () => desk.store.users.setPassword(desk.ada.id, 'salt 1$other')],
  ])('fails for a user who is %s while the password is being checked', async (_, change) => {
    desk.work.before = async () => void (await change());
    await expect(desk.signIn()).rejects.toMatchObject(wrong);
  });
});

describe('too many tries', () => {
  it('from one network: what is over its limit is not even checked, the next minute is free', async () => {
    for (let i = 0; i < 5; i += 1) {
      await expect(desk.signIn({ email: ' ADA@example.com', password: 'guess' })).rejects.toMatchObject(
        wrong,
      );
    }
    desk.time.now += minute - 1_500;
    await expect(desk.signIn()).rejects.toMatchObject({ ...throttled, retryAfterSeconds: 2 });
    expect(desk.checked).toHaveLength(5);
    expect(desk.reports.at(-1)).toEqual({
      outcome: 'throttled',
      userId: null,
      address: home,
    });
    desk.time.now += 1_500;
    expect((await desk.signIn()).user.id).toBe(desk.ada.id);
  });

  it('counts an IPv6 subscriber as one address', async () => {
    for (let i = 0; i < 5; i += 1)
      await desk.signIn({ address: `2001:db8::${i}`, password: 'guess' }).catch(() => {});
    await expect(desk.signIn({ address: '2001:db8::ffff' })).rejects.toMatchObject(throttled);
  });

  it('do not keep out a device that signed in before, until its password changes', async () => {
    const { device } = await desk.signIn();
    for (let i = 0; i < 20; i += 1) await desk.signIn({ password: 'guess' }).catch(() => {});
    const again = await desk.signIn({ device });
    expect(again.user.id).toBe(desk.ada.id);
    const change = { ...nowhere, current: 'right', next: 'newer', device: again.device };
    const changed = await desk.sessions.changePassword(again, change);
    const next = { password: 'newer' };
    await expect(desk.signIn({ ...next, device: again.device })).rejects.toMatchObject(throttled);
    expect((await desk.signIn({ ...next, device: changed.device })).user.id).toBe(desk.ada.id);
  });
});

describe('one e-mail address in two accounts', () => {
  const second = async (password: string) => {
    // Users created in the same millisecond have no defined order of age.
    desk.time.now += 1;
    const account = anAccount();
    await desk.store.accounts.create(account);
    return desk.users.create(byCommand(account.id), { email: 'ADA@example.com', password });
  };

  it('is identified by the password, after one computation', async () => {
    const other = await second('another');
    desk.checked.length = 0;
    expect((await desk.signIn()).user).toEqual(desk.ada);
    expect((await desk.signIn({ password: 'another' })).user).toEqual(other);
    await expect(desk.signIn({ password: 'guess' })).rejects.toMatchObject(wrong);
    expect(desk.checked).toHaveLength(3);
    // The log names no user when the user is unknown.
    expect(desk.reports.at(-1)).toMatchObject({ outcome: 'failed', userId: null });
  });

  it('with one password in both is the account that the device knows, else the older one', async () => {
    const other = await second('right');
    expect((await desk.signIn()).user).toEqual(desk.ada);
    await desk.users.resetPassword(
      commandLine,
      { email: other.email, accountId: other.accountId },
      'for a moment',
    );
    const { device } = await desk.signIn({ password: 'for a moment' });
    expect((await desk.signIn({ device, password: 'right' })).user).toEqual(desk.ada);
    await desk.users.resetPassword(commandLine, { email: other.email, accountId: other.accountId }, 'right');
    await desk.users.resetPassword(
      commandLine,
      { email: other.email, accountId: desk.account.id },
      'for a moment',
    );
    const known = await desk.signIn({ password: 'right' });
    await desk.users.resetPassword(commandLine, { email: other.email, accountId: desk.account.id }, 'right');
    expect((await desk.signIn({ device: known.device })).user).toEqual(other);
    desk.time.now += minute;
    expect((await desk.signIn()).user).toEqual(desk.ada);
  });

  it('keeps its limits for a device that another user of the address signed in on', async () => {
    const other = await second('of the attacker');
    const { device } = await desk.signIn({ password: 'of the attacker', address: '198.51.100.1' });
    const from = { device, address: '198.51.100.2' };
    desk.checked.length = 0;
    for (let i = 0; i < 5; i += 1) {
      await expect(desk.signIn({ ...from, password: 'guess' })).rejects.toMatchObject(wrong);
    }
    // Each guess cost one hash and one attempt of its network, so the sixth is not compared with Ada's password.
    expect(desk.checked).toHaveLength(5);
    await expect(desk.signIn(from)).rejects.toMatchObject(throttled);
    // A new user with this address brings no new attempts either.
    await desk.store.users.delete(other.accountId, other.id);
    const again = await desk.users.create(byCommand(other.accountId), {
      ...other,
      password: 'of the attacker',
    });
    const fresh = await desk.signIn({ password: 'of the attacker', address: '198.51.100.3' });
    expect(fresh.user).toEqual(again);
    await expect(desk.signIn({ ...from, device: fresh.device })).rejects.toMatchObject(wrong);
    expect((await desk.signIn({ ...from, device: fresh.device, password: 'of the attacker' })).user).toEqual(
      again,
    );
    // From a network that has attempts left, one device serves both users.
    const both = await desk.signIn({ device: fresh.device });
    expect(both.user).toEqual(desk.ada);
    expect((await desk.signIn({ ...from, device: both.device })).user).toEqual(desk.ada);
  });

  it('shares one salt, also when both are made at the same moment', async () => {
    const accounts = [anAccount(), anAccount()];
    for (const account of accounts) await desk.store.accounts.create(account);
    const [email, password] = ['new@example.com', 'the same'];
    await Promise.all(accounts.map(({ id }) => desk.users.create(byCommand(id), { email, password })));
    const made = await desk.store.users.listByEmail(email);
    expect(made).toHaveLength(2);
    expect(made[0]?.passwordHash).toBe(made[1]?.passwordHash);
  });

  it('is reset only where it is said', async () => {
    const other = await second('another');
    const reset = (accountId: string | null) =>
      desk.users.resetPassword(commandLine, { email: 'ada@example.com', accountId }, 'given');
    await expect(reset(null)).rejects.toBeInstanceOf(UserAmbiguous);
    await expect(reset(anAccount().id)).rejects.toBeInstanceOf(UserUnknown);
    await reset(other.accountId);
    expect((await desk.signIn({ password: 'given' })).user).toEqual(other);
    expect((await desk.signIn()).user).toEqual(desk.ada);
  });
});

it('a right password waits five minutes for the second factor', async () => {
  const ada = await desk.store.users.find(desk.account.id, desk.ada.id);
  if (!ada) throw new Error('no user');
  const token = desk.pending.tokenFor(ada);
  desk.time.now += 5 * minute - 1;
  expect(await desk.pending.find(token, desk.store.users)).toEqual(ada);
  desk.time.now += 1;
  expect(await desk.pending.find(token, desk.store.users)).toBeNull();
});

/** Resolves once everything noted in the background is written: writes run in order, so this one finishes last. */
const settled = (): Promise<void> => desk.store.setup.clear();

describe('a session', () => {
  it('ends after 12 hours without use, and not while it is used', async () => {
    const { token } = await desk.signIn();
    for (let i = 0; i < 3; i += 1) {
      desk.time.now += idleMs - minute;
      expect(await desk.sessions.authenticate(token)).not.toBeNull();
      await settled();
    }
    desk.time.now += idleMs - 1;
    expect(await desk.makeSessions().authenticate(token)).not.toBeNull();
    await settled();
    desk.time.now += idleMs;
    expect(await desk.sessions.authenticate(token)).toBeNull();
    expect(await desk.makeSessions().authenticate(token)).toBeNull();
  });

  it('ends after 7 days, however much it is used', async () => {
    const { token } = await desk.signIn();
    const end = desk.time.now + absoluteMs;
    while (desk.time.now + idleMs / 2 < end) {
      desk.time.now += idleMs / 2;
      expect(await desk.sessions.authenticate(token)).not.toBeNull();
      await settled();
    }
    desk.time.now = end - 1;
    expect(await desk.sessions.authenticate(token)).not.toBeNull();
    await settled();
    desk.time.now = end;
    expect(await desk.sessions.authenticate(token)).toBeNull();
    expect(await desk.store.purge.purgeSessionsStep(desk.time.now)).toBe(true);
  });

  it('lasts no longer when its user goes to another account and back, and cannot once it has ended', async () => {
    const other = anAccount();
    await desk.store.accounts.create(other);
    const { email, loginId } = desk.ada;
    await desk.store.users.join(aUser(other.id, { email, loginId }));
    const place = { address: home, userAgent: '' };
    const first = await desk.signIn();
    desk.time.now += idleMs - 1;
    const second = await desk.sessions.switchTo(first, first.token, other.id, place);
    const { session } = (await desk.store.sessions.find(sha256Hex(second.token))) ?? {};
    expect(session).toMatchObject({ createdAt: epoch, expiresAt: desk.time.now + idleMs });
    await desk.users.resetPassword(commandLine, { email, accountId: other.id }, 'given');
    for (const { token } of [first, second])
      await expect(desk.sessions.switchTo(second, token, desk.account.id, place)).rejects.toMatchObject({
        code: 'not_signed_in',
      });
  });

  it('notes its use once a minute', async () => {
    const { token } = await desk.signIn();
    const seenAt = async () => {
      await settled();
      return ((await desk.store.sessions.find(sha256Hex(token)))?.session.lastSeenAt ?? 0) - epoch;
    };
    desk.time.now = epoch + minute - 1;
    await desk.sessions.authenticate(token);
    expect(await seenAt()).toBe(0);
    desk.time.now = epoch + minute;
    await desk.sessions.authenticate(token);
    expect(await seenAt()).toBe(minute);
    desk.time.now = epoch + minute + 1;
    await desk.sessions.authenticate(token);
    expect(await seenAt()).toBe(minute);
  });

  it('ends at once where it is ended, and elsewhere within a second', async () => {
    const elsewhere = desk.makeSessions();
    const { token } = await desk.signIn();
    for (const service of [desk.sessions, elsewhere])
      expect(await service.authenticate(token)).not.toBeNull();
    await desk.sessions.signOut(token, nowhere);
    expect(await desk.sessions.authenticate(token)).toBeNull();
    desk.time.now += 1_000;
    expect(await elsewhere.authenticate(token)).toBeNull();
  });

  it('is not kept in memory by a look that began before it ended', async () => {
    const { token } = await desk.signIn();
    const late = desk.sessions.authenticate(token);
    await desk.sessions.signOut(token, nowhere);
    await late;
    expect(await desk.sessions.authenticate(token)).toBeNull();
  });

  it.each(['', 'x', 'x'.repeat(43), 'x'.repeat(10_000), '\0'.repeat(43), 'é'.repeat(43)])(
    'is not opened by a cookie that nobody was given',
    async (token) => {
      expect(await desk.sessions.authenticate(token)).toBeNull();
      await desk.sessions.signOut(token, nowhere);
    },
  );
});

describe('a new password', () => {
  it('ends every session of the user, also the one it was changed from, which goes on under another cookie', async () => {
    const [here, there] = [await desk.signIn(), await desk.signIn()];
    for (const { token } of [here, there]) await desk.sessions.authenticate(token);
    const after = await desk.sessions.changePassword(here, { ...nowhere, current: 'right', next: 'newer' });
    for (const { token } of [here, there]) expect(await desk.sessions.authenticate(token)).toBeNull();
    expect(await desk.sessions.authenticate(after.token)).not.toBeNull();
    await expect(desk.signIn()).rejects.toMatchObject(wrong);
    expect((await desk.signIn({ password: 'newer' })).user.id).toBe(desk.ada.id);
  });

  it('needs the current one, five tries a minute', async () => {
    const here = await desk.signIn();
    for (let i = 0; i < 5; i += 1) {
      const tried = desk.sessions.changePassword(here, { ...nowhere, current: 'guess', next: 'newer' });
      await expect(tried).rejects.toMatchObject({ kind: 'forbidden' });
    }
    const tried = desk.sessions.changePassword(here, { ...nowhere, current: 'right', next: 'newer' });
    await expect(tried).rejects.toMatchObject(throttled);
    expect(await desk.sessions.authenticate(here.token)).not.toBeNull();
  });

  it('voids what the old one was checked for at that moment', async () => {
    const here = await desk.signIn();
    const input = { email: 'eve@example.com', password: 'right' };
    for (const change of [
      () => desk.emailChange.request(here, input),
      () => desk.secondFactors.begin(here, 'right'),
    ]) {
      let checks = 0;
      desk.work.before = async () => {
        checks += 1;
        if (checks === 1) await desk.store.users.setPassword(desk.ada.loginId, 'salt 1$other');
      };
      await expect(change()).rejects.toMatchObject({ kind: 'forbidden' });
      desk.work.before = async () => {};
      await desk.store.users.setPassword(desk.ada.loginId, 'salt 1$right');
    }
  });

  it('set by the operator signs the user out', async () => {
    const { token } = await desk.signIn();
    await desk.sessions.authenticate(token);
    await desk.users.resetPassword(commandLine, { email: 'ada@example.com', accountId: null }, 'given');
    expect(await desk.sessions.authenticate(token)).toBeNull();
    expect(await desk.store.sessions.find(sha256Hex(token))).toBeNull();
  });
});

describe('deleting a user', () => {
  const byKey = () => ({ ...byCommand(desk.account.id), userId: null });
  const another = () =>
    desk.users.create(byCommand(desk.account.id), { email: 'bob@example.com', password: 'right' });

  it('signs them out at once', async () => {
    await another();
    const { token } = await desk.signIn();
    await desk.sessions.authenticate(token);
    await desk.users.delete(byKey(), desk.ada.id);
    expect(await desk.sessions.authenticate(token)).toBeNull();
  });

  it('is refused for the last one of an account, who stays signed in', async () => {
    const { token } = await desk.signIn();
    await expect(desk.users.delete(byKey(), desk.ada.id)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await desk.sessions.authenticate(token)).not.toBeNull();
  });

  it('does not wake a set-up link that was made before', async () => {
    await desk.store.users.delete(desk.account.id, desk.ada.id);
    const token = (await desk.setup.prepare(null)) ?? '';
    const bob = await another();
    await desk.store.users.delete(desk.account.id, bob.id);
    const opened = desk.setup.complete({ token, email: 'c@example.com', password: 'mine', ...nowhere });
    await expect(opened).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('set-up', () => {
  beforeEach(() => desk.store.users.delete(desk.account.id, desk.ada.id));
  const complete = (token: string, address = home) =>
    desk.setup.complete({ token, email: 'First@example.com', password: 'mine', address, userAgent: '' });

  it('makes the first user of the oldest account, once, however many try at the same moment', async () => {
    await desk.store.accounts.create(anAccount());
    const token = (await desk.setup.prepare(null)) ?? '';
    expect(await desk.setup.isNeeded()).toBe(true);
    const tries = await Promise.allSettled([1, 2, 3].map((n) => complete(token, `192.0.2.${n}`)));
    const opened = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(opened).toHaveLength(1);
    expect(opened[0]?.user).toMatchObject({ email: 'first@example.com', accountId: desk.account.id });
    expect(await desk.sessions.authenticate(opened[0]?.token ?? '')).not.toBeNull();
    expect(await desk.setup.isNeeded()).toBe(false);
    await expect(complete(token)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(await desk.setup.prepare(null)).toBeNull();
  });

  it('takes only the link of the last start', async () => {
    const [old, current] = [(await desk.setup.prepare(null)) ?? '', (await desk.setup.prepare(null)) ?? ''];
    await expect(complete(old)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(complete('')).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await complete(current)).user.email).toBe('first@example.com');
  });

  it('bounds the tries of an address', async () => {
    for (let i = 0; i < 5; i += 1)
      await expect(complete('guess')).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(complete('guess')).rejects.toMatchObject(throttled);
  });

  it('makes the user whom the settings name, and no link', async () => {
    expect(await desk.setup.prepare({ email: 'Boss@example.com', password: 'given' })).toBeNull();
    expect((await desk.signIn({ email: 'boss@example.com', password: 'given' })).user.accountId).toBe(
      desk.account.id,
    );
    expect(await desk.setup.prepare({ email: 'other@example.com', password: 'given' })).toBeNull();
    expect(await desk.users.list(desk.account.id)).toHaveLength(1);
  });
});
