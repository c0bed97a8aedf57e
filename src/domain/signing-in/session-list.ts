/** The sessions of a login, in all accounts, for their owner. */
import { sha256Hex } from '../../kernel/secrets.js';
import type { Session } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { Store } from '../../ports/store.js';
import type { SessionService } from '../accounts/sessions.js';
import { recorderOf, type SignedIn } from '../accounts/signed-in.js';
import { userObject } from '../accounts/users.js';
import { record } from '../audit/record.js';

export interface ListedSession {
  readonly id: string;
  readonly session: Session;
  readonly isCurrent: boolean;
}

export interface SessionList {
  /** `token`: the session cookie of the caller. */
  list(who: SignedIn, token: string | null): Promise<readonly ListedSession[]>;
  end(who: SignedIn, id: string): Promise<void>;
  /** Ends all sessions but the one of this cookie. */
  endOthers(who: SignedIn, token: string | null): Promise<void>;
}

/** A hash of the hash: the list does not show what the store identifies a session by. */
const idOf = ({ tokenHash }: Session): string => sha256Hex(`listed ${tokenHash}`).slice(0, 32);

export function createSessionList(deps: {
  store: Store;
  sessions: SessionService;
  now: () => number;
}): SessionList {
  const { store, sessions, now } = deps;
  const living = async ({ user }: SignedIn): Promise<readonly Session[]> =>
    (await store.sessions.listOf(user.loginId)).filter(({ expiresAt }) => expiresAt > now());
  const endRecorded = (who: SignedIn, { tokenHash }: Session): Promise<void> =>
    store.tx(async (tx) => {
      await tx.sessions.end(tokenHash);
      record(tx, recorderOf(who), { action: 'session.ended', object: userObject(who.user) });
    });
  const hashOf = (token: string | null): string => (token === null ? '' : sha256Hex(token));

  return {
    async list(who, token) {
      const current = hashOf(token);
      const sessionsNow = await living(who);
      return sessionsNow.map((session) => {
        const isCurrent = session.tokenHash === current;
        return { id: idOf(session), session, isCurrent };
      });
    },

    async end(who, id) {
      const found = (await living(who)).find((session) => idOf(session) === id);
      if (!found) throw refuse.sessionNotFound();
      await endRecorded(who, found);
      sessions.forgetLogin(who.user.loginId);
    },

    async endOthers(who, token) {
      const current = hashOf(token);
      for (const session of await living(who))
        if (session.tokenHash !== current) await endRecorded(who, session);
      sessions.forgetLogin(who.user.loginId);
    },
  };
}
