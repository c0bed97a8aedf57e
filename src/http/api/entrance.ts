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
  readonly baseUrl: string;
}

/** Where a browser signs in with an identity provider. */
export const providerUrl = (baseUrl: string, id: string): string =>
  `${baseUrl}/api/v1/session/providers/${id}`;

const toFull = (
  { user, account, providerId = null }: SignedIn,
  more: { readonly accounts: readonly Account[]; readonly lacksFactor: boolean; readonly baseUrl: string },
): SessionFull => ({
  user: { id: user.id, email: user.email, ...accessFields(user) },
  account: { id: account.id, name: account.name, plan: account.plan },
  accounts: more.accounts.map(({ id, name }) => ({ id, name })),
  needs_second_factor: more.lacksFactor,
  sign_out_url: providerId === null ? null : `${providerUrl(more.baseUrl, providerId)}/sign-out`,
});

export function createEntrance(deps: EntranceDeps) {
  const { sessions, cookie, deviceCookie, sameOrigin, addressOf, baseUrl } = deps;
  const full = async (who: SignedIn): Promise<SessionFull> =>
    toFull(who, {
      accounts: await sessions.accountsOf(who),
      lacksFactor: await sessions.lacksFactor(who),
      baseUrl,
    });
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
