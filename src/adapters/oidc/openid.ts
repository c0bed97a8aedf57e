/**
 * OpenID Connect with openid-client, which is loaded with the first sign-in. The provider's metadata and keys are fetched for
 * each sign-in: they are two small requests, and keys that were changed a second ago just work.
 */
import type * as OpenIdClient from 'openid-client';
import { type Claims, type IdentityProvider, SignInFailed } from '../../model/identity-provider.js';
import type { SingleSignOn } from '../../ports/identity-providers.js';
import type { Outbound } from '../../ports/outbound.js';
import { guardedFetch } from './guarded-fetch.js';

type Library = typeof OpenIdClient;

const timeoutMs = 10_000;
/** Allows for clock skew. */
const toleranceSeconds = 60;
const maxRoleValues = 200;
/** OpenID Connect Core, 2: at most 255 ASCII characters. It becomes part of a database key, limited to 2.7 kB and without NUL. */
const subjectShape = /^[\x20-\x7e]{1,255}$/;

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value])
    .slice(0, maxRoleValues)
    .filter((item) => typeof item === 'string' || typeof item === 'boolean')
    .map(String);

function claimsOf(found: Readonly<Record<string, unknown>>, roleClaim: string | null): Claims {
  const { sub, email, email_verified: verified } = found;
  if (typeof sub !== 'string' || !subjectShape.test(sub))
    throw new SignInFailed('provider_invalid', 'the subject is not one of at most 255 ASCII characters');
  return {
    subject: sub,
    email: typeof email === 'string' ? email : null,
    // Some providers send it as a string.
    isEmailVerified: verified === undefined ? null : verified === true || verified === 'true',
    roleValues: roleClaim === null ? [] : textsOf(found[roleClaim]),
  };
}

/** Finds the reason for an error by following its causes, down to the fetch. */
function failureOf(library: Library, error: unknown): SignInFailed {
  if (error instanceof SignInFailed) return error;
  if (error instanceof library.AuthorizationResponseError)
    return new SignInFailed(error.error === 'access_denied' ? 'cancelled' : 'provider_invalid', error.error);
  if (!(error instanceof Error)) return new SignInFailed('provider_invalid', String(error));
  if (error.cause instanceof Error) {
    const { failure, detail } = failureOf(library, error.cause);
    return new SignInFailed(failure, detail);
  }
  return new SignInFailed('provider_invalid', error.message);
}

export function createOpenId(outbound: Outbound): SingleSignOn {
  const fetch = guardedFetch(outbound, timeoutMs);
  let loading: Promise<Library> | undefined;
  const load = (): Promise<Library> => {
    loading ??= import('openid-client');
    return loading;
  };

  const configure = (library: Library, { issuer, clientId, clientSecret }: IdentityProvider) => {
    const basic = library.ClientSecretBasic(clientSecret);
    const post = library.ClientSecretPost(clientSecret);
    const authenticate: OpenIdClient.ClientAuth = (server, ...request) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      return (methods.includes('client_secret_basic') ? basic : post)(server, ...request);
    };
    return library.discovery(
      new URL(issuer),
      clientId,
      { [library.clockTolerance]: toleranceSeconds },
      authenticate,
      {
        [library.customFetch]: fetch,
        timeout: timeoutMs / 1000,
        execute: [
          // Otherwise the library trusts the connection instead of the signature. With this it also rejects `none` and
          // signatures made with a shared secret.
          library.enableNonRepudiationChecks,
          // Only where the owner could save such an issuer: on this machine, for trying things out.
          ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
        ],
      },
    );
  };

  const asked = async <T>(
    provider: IdentityProvider,
    work: (library: Library, configuration: OpenIdClient.Configuration) => Promise<T>,
  ): Promise<T> => {
    const library = await load();
    try {
      return await work(library, await configure(library, provider));
    } catch (error) {
      throw failureOf(library, error);
    }
  };

  return {
    begin: (provider, redirectUri) =>
      asked(provider, async (library, configuration) => {
        const checks = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          codeVerifier: library.randomPKCECodeVerifier(),
        };
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, checks };
      }),

    finish: (provider, callback, { state, nonce, codeVerifier }) =>
      asked(provider, async (library, configuration) => {
        const tokens = await library.authorizationCodeGrant(configuration, new URL(callback), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new SignInFailed('provider_invalid', 'there is no ID token');
        // Many providers keep the ID token small and return the other claims from the userinfo endpoint.
        const isWhole =
          claims.email !== undefined && (provider.roleClaim === null || provider.roleClaim in claims);
        if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined)
          return claimsOf(claims, provider.roleClaim);
        const more = await library.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return claimsOf({ ...more, ...claims }, provider.roleClaim);
      }),

    signOutUrl: (provider, returnTo) =>
      asked(provider, async (library, configuration) => {
        if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
        return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
      }),
  };
}
