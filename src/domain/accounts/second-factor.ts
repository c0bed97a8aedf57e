/**
 * The step between the password and the second factor: which factors a login has, and a token that proves for a few minutes
 * that the password was right. Nothing is stored for the token, and a new password invalidates it.
 */
import type { Clock } from '../../kernel/clock.js';
import { opened, type Sealer, sameSecret, sha256Hex } from '../../kernel/secrets.js';
import type { FactorName } from '../../model/sign-in.js';
import type { StoredUser } from '../../ports/accounts.js';
import type { BoundStore } from '../../ports/store.js';
import type { SignedIn } from './signed-in.js';

const pendingMs = 5 * 60_000;
export const pendingSeconds = pendingMs / 1000;
const longestToken = 600;

/** Returns an empty list when the password is enough. */
export async function factorsOf(
  { factors }: Pick<BoundStore, 'factors'>,
  loginId: string,
): Promise<readonly FactorName[]> {
  const authenticator = await factors.findAuthenticator(loginId);
  const names: FactorName[] = authenticator?.isConfirmed ? ['totp'] : [];
  if ((await factors.listPasskeys(loginId)).length > 0) names.push('passkey');
  if (names.length > 0 && (await factors.countRecoveryCodes(loginId)) > 0) names.push('recovery_code');
  return names;
}

/** Whether the account requires a second factor that the login lacks. Users of an identity provider are exempt: it has its own factors. */
export const lacksFactor = async (
  from: Pick<BoundStore, 'factors'>,
  { user, account, providerId }: Pick<SignedIn, 'user' | 'account' | 'providerId'>,
): Promise<boolean> =>
  account.twoFactorsRequired && !providerId && (await factorsOf(from, user.loginId)).length === 0;

export interface PendingSignIns {
  tokenFor(who: StoredUser): string;
  /** Returns the user whose password was right, as stored now, or null when the token has expired or the password has changed. */
  find(token: string, users: BoundStore['users']): Promise<StoredUser | null>;
}

const markOf = ({ passwordHash }: StoredUser): string => sha256Hex(passwordHash ?? '');

export function createPendingSignIns({ sealer, clock }: { sealer: Sealer; clock: Clock }): PendingSignIns {
  return {
    tokenFor(who) {
      const { accountId, id } = who.user;
      return sealer.seal([accountId, id, clock.now() + pendingMs, markOf(who)].join(' '));
    },
    async find(token, users) {
      if (token.length > longestToken) return null;
      const [accountId = '', id = '', expiresAt = '', mark = ''] = opened(sealer, token).split(' ');
      if (!(Number(expiresAt) > clock.now())) return null;
      const found = await users.find(accountId, id);
      return found && sameSecret(mark, markOf(found)) ? found : null;
    },
  };
}
