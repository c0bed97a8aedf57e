/** What all sign-in routes share: the origin check, details of the client, and the session cookies. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionFull } from '../../contract/session.js';
import type { SessionService, Visit, Welcomed } from '../../domain/accounts/sessions.js';
import type { SignedIn } from '../../domain/accounts/signed-in.js';
import type { Account } from '../../model/account.js';
import type { Cookie } from '../cookies.js';
import type { SameOrigin } from '../same-origin.js';
import { accessFields } from './users.js';

export interface EntranceDeps {
  readonly sessions: SessionService;
  readonly cookie: Cookie;
  readonly deviceCookie: Cookie;
  readonly sameOrigin: SameOrigin;
  /** The address of the client, after the trust-proxy rule. */
  readonly addressOf: (request: FastifyRequest) => string;
}

const toFull = (
  { user, account }: SignedIn,
  accounts: readonly Account[],
  lacksFactor: boolean,
): SessionFull => ({
  user: { id: user.id, email: user.email, ...accessFields(user) },
  account: { id: account.id, name: account.name, plan: account.plan },
  accounts: accounts.map(({ id, name }) => ({ id, name })),
  needs_second_factor: lacksFactor,
});

export function createEntrance({ sessions, cookie, deviceCookie, sameOrigin, addressOf }: EntranceDeps) {
  const full = async (who: SignedIn): Promise<SessionFull> =>
    toFull(who, await sessions.accountsOf(who), await sessions.lacksFactor(who));
  const remember = (reply: FastifyReply, { token, device }: Welcomed): void => {
    cookie.write(reply, token);
    deviceCookie.write(reply, device);
  };
  return {
    /** No session exists yet, but a page of another site must not sign its visitor in as another user. */
    anybody: async (request: FastifyRequest): Promise<void> => sameOrigin.tolerate(request),
    visit: (request: FastifyRequest): Visit => ({
      address: addressOf(request),
      userAgent: request.headers['user-agent'] ?? '',
      replacing: cookie.read(request),
      device: deviceCookie.read(request),
    }),
    full,
    remember,
    welcome: (reply: FastifyReply, opened: Welcomed): Promise<SessionFull> => {
      remember(reply, opened);
      return full(opened);
    },
  };
}
