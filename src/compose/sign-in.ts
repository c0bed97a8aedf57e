/** The part of the composition that signs users in, and identifies who makes each request. */
import type { FastifyRequest } from 'fastify';
import { composeLetter } from '../adapters/destinations/email/letter.js';
import { createOpenId } from '../adapters/oidc/openid.js';
import { createAttempts } from '../domain/accounts/attempts.js';
import { createDevices, deviceLifeMs } from '../domain/accounts/devices.js';
import { createIdentityProviderService } from '../domain/accounts/identity-providers.js';
import { createPasswords } from '../domain/accounts/passwords.js';
import { createProviderSignIn, departureMs, partingMs } from '../domain/accounts/provider-sign-in.js';
import { createPendingSignIns } from '../domain/accounts/second-factor.js';
import {
  absoluteMs,
  createSessionService,
  type SessionService,
  type SignInReport,
} from '../domain/accounts/sessions.js';
import { createSetupService } from '../domain/accounts/setup.js';
import { createUserService } from '../domain/accounts/users.js';
import { createEmailChange } from '../domain/signing-in/email-change.js';
import { createInvitationService } from '../domain/signing-in/invitations.js';
import { createSignInMails } from '../domain/signing-in/mails.js';
import { createPasskeys } from '../domain/signing-in/passkeys.js';
import { createPasswordReset } from '../domain/signing-in/password-reset.js';
import { createSecondFactors } from '../domain/signing-in/second-factors.js';
import { createSessionList } from '../domain/signing-in/session-list.js';
import { judgeIssuer } from '../domain/webhooks/address-policy.js';
import {
  createAbsenceCookie,
  createDeviceCookie,
  createPartingCookie,
  createSessionCookie,
} from '../http/cookies.js';
import { createGate } from '../http/principal.js';
import { createSameOrigin } from '../http/same-origin.js';
import type { HttpOptions } from '../http/server.js';
import { visitOf } from '../http/submit/visit.js';
import { withoutAddresses } from '../kernel/error-text.js';
import { createSealer, deriveKey } from '../kernel/secrets.js';
import type { ServiceParts, Services } from './parts.js';

export function composeSignIn(parts: ServiceParts, { sending }: Services) {
  const { config, log, foundation, store, clock, counters } = parts;
  const { secret, accounts } = foundation;
  const passwords = createPasswords();
  const attempts = createAttempts({ counters, clock });
  const devices = createDevices({ key: deriveKey(secret, 'devices'), clock });
  const observe = observeSignIns(parts);
  const sessions = createSessionService({
    ...{ store, clock, attempts, devices, passwords, observe },
    pending: createPendingSignIns({ sealer: createSealer(deriveKey(secret, 'second factor')), clock }),
    onLateFault: (error) => log.warn({ err: error }, 'the last use of a session was not recorded'),
  });
  const onSessionsEnded = sessions.forgetLogin;
  const users = createUserService({ store, clock, passwords, onSessionsEnded });
  const mails = createSignInMails({
    ...{ mailer: sending.mailer, clock, baseUrl: config.baseUrl, compose: composeLetter },
    onFault: (why) => log.warn({ why: withoutAddresses(why) }, 'mail about signing in not sent'),
  });
  return {
    ...composeGate(parts, sessions),
    ...composeSingleSignOn(parts, { sending, sessions, observe }),
    ...{ accounts, sessions, users, sendsMail: sending.planning.sendsMail },
    setup: createSetupService({
      ...{ store, clock, passwords, users, attempts, devices, isShared: foundation.isShared },
    }),
    passwordReset: createPasswordReset({
      ...{ store, clock, counters, attempts, passwords, mails, onSessionsEnded },
      onLateFault: (error) => log.error({ err: error }, 'a link for a new password was not sent'),
    }),
    invitations: createInvitationService({
      ...{ store, clock, counters, attempts, passwords, devices, mails, onSessionsEnded },
    }),
    emailChange: createEmailChange({ store, clock, attempts, passwords, sessions, mails }),
    sessionList: createSessionList({ store, sessions, now: clock.now }),
    passkeys: createPasskeys({
      ...{ store, clock, attempts, sessions, baseUrl: config.baseUrl },
      sealer: createSealer(deriveKey(secret, 'passkeys')),
    }),
    secondFactors: createSecondFactors({ store, clock, attempts, sessions }),
  };
}

/** Who makes a request: the cookies, the address, and the gate in front of every route of the API. */
function composeGate(
  { config, foundation, clock, counters }: ServiceParts,
  sessions: SessionService,
): Pick<HttpOptions['api'], 'gate' | 'cookie' | 'deviceCookie' | 'sameOrigin' | 'addressOf'> {
  const cookie = createSessionCookie(config.baseUrl, absoluteMs / 1000);
  const sameOrigin = createSameOrigin(config.baseUrl);
  const addressOf = (request: FastifyRequest): string => visitOf(request.raw, config.trustProxy).ip;
  return {
    gate: createGate({
      ...{ accounts: foundation.accounts, sessions, cookie, sameOrigin, counters, addressOf },
      now: clock.now,
      requestsPerMinute: config.apiRateLimitPerMinute,
    }),
    ...{ cookie, sameOrigin, addressOf },
    deviceCookie: createDeviceCookie(config.baseUrl, deviceLifeMs / 1000),
  };
}

type Observe = (report: SignInReport) => void;

const observeSignIns =
  ({ log, metrics }: ServiceParts): Observe =>
  ({ outcome, userId, address }) => {
    metrics.signIn(outcome);
    // Does not log what was typed as the address: users type passwords there. Throttled sign-ins are only counted.
    if (outcome === 'succeeded') log.info({ user: userId, ip: address }, 'signed in');
    else if (outcome === 'failed') log.warn({ user: userId, ip: address }, 'sign-in failed');
  };

function composeSingleSignOn(
  { config, log, foundation, store, clock, counters, addressPolicy }: ServiceParts,
  deps: {
    readonly sending: Services['sending'];
    readonly sessions: SessionService;
    readonly observe: Observe;
  },
): Pick<
  HttpOptions['api'],
  | 'identityProviders'
  | 'providerSignIn'
  | 'callbackUrl'
  | 'absenceCookie'
  | 'partingCookie'
  | 'onSignInFailed'
> {
  const { sending, sessions, observe } = deps;
  const singleSignOn = createOpenId(sending.outbound);
  const callbackUrl = (id: string): string => `${config.baseUrl}/api/v1/session/providers/${id}/callback`;
  return {
    identityProviders: createIdentityProviderService({
      ...{ store, clock, singleSignOn, callbackUrl },
      judgeIssuer: (url) => judgeIssuer(addressPolicy, url),
      onSessionsEnded: sessions.forgetAll,
    }),
    providerSignIn: createProviderSignIn({
      ...{ store, clock, counters, singleSignOn, callbackUrl, observe },
      sealer: createSealer(deriveKey(foundation.secret, 'single-sign-on')),
      partingSealer: createSealer(deriveKey(foundation.secret, 'single-sign-out')),
      dashboardUrl: `${config.baseUrl}/dashboard/`,
      onUserChanged: sessions.forgetLogin,
    }),
    callbackUrl,
    absenceCookie: createAbsenceCookie(config.baseUrl, departureMs / 1000),
    partingCookie: createPartingCookie(config.baseUrl, partingMs / 1000),
    onSignInFailed: ({ failure, detail }, provider) =>
      log.warn({ provider, failure, detail }, 'single sign-on failed'),
  };
}
