/** What an attacker can guess or find out apart from the password: codes of an app, and who has an e-mail address in another account. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codesPerDay } from '#inlet/domain/accounts/attempts.js';
import { nobodysHash } from '#inlet/domain/accounts/passwords.js';
import { totpCode, totpStepAt } from '#inlet/kernel/totp.js';
import { anAccount } from '../contracts/store/samples.js';
import { byCommand, nowhere, openDesk } from '../support/sign-in-desk.js';

let desk: Awaited<ReturnType<typeof openDesk>>;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const minute = 60_000;
const refused = { kind: 'rate_limited' };

describe('codes of an app', () => {
  const wrong = { code: 'wrong_second_factor' };
  const codeNow = (secret: string): string => totpCode(secret, totpStepAt(desk.time.now));
  const me = () => ({ user: desk.ada, account: desk.account });
  /** Each call happens in a new minute. */
  const show = async (shown: { code: string } | { recoveryCode: string }): Promise<void> => {
    desk.time.now += minute;
    const found = await desk.store.users.find(desk.account.id, desk.ada.id);
    if (!found) throw new Error('The user is gone');
    await desk.secondFactors.prove(found, shown);
  };

  it('are tried fifty times a day, so that nobody who knows the password finds one', async () => {
    const { secret } = await desk.secondFactors.begin(me(), 'right');
    const [recoveryCode = ''] = await desk.secondFactors.confirm(me(), codeNow(secret));
    for (let i = 0; i < codesPerDay; i += 1)
      await expect(show({ code: '000000' })).rejects.toMatchObject(wrong);
    await expect(show({ code: codeNow(secret) })).rejects.toMatchObject(refused);
    // This does not lock out the owner.
    await show({ recoveryCode });
    desk.time.now += 24 * 60 * minute;
    await show({ code: totpCode(secret, totpStepAt(desk.time.now + minute)) });
  });

  it('begin anew with a new password: who knew the old one guesses no more', async () => {
    const { secret } = await desk.secondFactors.begin(me(), 'right');
    await desk.secondFactors.confirm(me(), codeNow(secret));
    for (let i = 0; i <= codesPerDay; i += 1) await expect(show({ code: '000000' })).rejects.toThrow();
    await desk.users.resetPassword(
      byCommand(desk.account.id).actor,
      { email: desk.ada.email, accountId: null },
      'newer',
    );
    await show({ code: totpCode(secret, totpStepAt(desk.time.now + minute)) });
  });
});

describe('another e-mail address', () => {
  it('takes the same work, whether another account has a user with it or not', async () => {
    const other = anAccount();
    await desk.store.accounts.create(other);
    await desk.users.create(byCommand(other.id), { email: 'grace@example.com', password: 'hers' });
    const workFor = async (email: string): Promise<number> => {
      let work = 0;
      desk.work.before = async () => {
        work += 1;
      };
      await desk.emailChange.request({ user: desk.ada, account: desk.account }, { email, password: 'right' });
      return work;
    };
    expect(await workFor('grace@example.com')).toBe(await workFor('nobody@example.com'));
    expect(desk.checked).not.toContain(nobodysHash);
    await expect(desk.signIn({ ...nowhere })).resolves.toMatchObject({ user: desk.ada });
  });
});
