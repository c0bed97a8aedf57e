/** /api/v1/session/providers: to an identity provider and back. Browsers navigate to these routes, so failures are pages, not JSON. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  OfferedProviders,
  OfferedProvidersQuery,
  StartSignInQuery,
} from '../../contract/identity-provider.js';
import { byId } from '../../contract/shapes.js';
import type { ProviderSignIn } from '../../domain/accounts/provider-sign-in.js';
import { sha256Hex } from '../../kernel/secrets.js';
import { SignInFailed } from '../../model/identity-provider.js';
import type { Cookie } from '../cookies.js';
import { Reply, routesOf } from '../route.js';
import type { SameOrigin } from '../same-origin.js';
import { providerUrl } from './entrance.js';

/** Allows only pages of the dashboard: dots could lead to another page of this host, perhaps a form that asks for a password. */
function pageOf(dashboardUrl: string, returnTo: string): string {
  const { href } = new URL(dashboardUrl + returnTo.slice(1));
  return href.startsWith(new URL(dashboardUrl).href) ? href : dashboardUrl;
}

export function singleSignOnRoutes(
  app: FastifyInstance,
  deps: {
    providerSignIn: ProviderSignIn;
    cookie: Cookie;
    /** What the browser must bring back from the provider. */
    absenceCookie: Cookie;
    partingCookie: Cookie;
    sameOrigin: SameOrigin;
    addressOf: (request: FastifyRequest) => string;
    baseUrl: string;
    onSignInFailed: (failed: SignInFailed, providerId: string) => void;
  },
): void {
  const { providerSignIn, cookie, absenceCookie, partingCookie, sameOrigin, addressOf, baseUrl } = deps;
  const dashboardUrl = `${baseUrl}/dashboard/`;
  const add = routesOf(app, 'Sessions');
  const anybody = async (): Promise<void> => {};
  const one = byId('The provider.');
  const to = (location: string) => new Reply(302, undefined, { location });

  const withFailurePage = async (id: string, work: () => Promise<Reply<302, undefined>>) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SignInFailed)) throw error;
      deps.onSignInFailed(error, id);
      // The code is one of ours: nothing from the request is shown.
      return to(`${dashboardUrl}?sign_in_failed=${error.failure}`);
    }
  };

  add({
    method: 'GET',
    path: '/session/providers',
    operationId: 'listSignInProviders',
    summary: 'List the identity providers that one may sign in with',
    credential: 'none',
    query: OfferedProvidersQuery,
    responses: { 200: OfferedProviders },
    caller: anybody,
    async handle({ query: { email = null } }) {
      const offered = await providerSignIn.offered(email);
      return {
        data: offered.map(({ id, name }) => ({
          id,
          name,
          sign_in_url: providerUrl(baseUrl, id),
        })),
      };
    },
  });

  add({
    method: 'GET',
    path: '/session/providers/:id',
    operationId: 'startProviderSignIn',
    summary: 'Go to an identity provider to sign in',
    credential: 'none',
    params: one,
    query: StartSignInQuery,
    responses: { 302: null },
    errors: [404],
    caller: anybody,
    handle: ({ params: { id }, query: { return_to: returnTo = '/' }, request, reply }) =>
      withFailurePage(id, async () => {
        // A provider may sign users in without asking: another site must not sign its visitor in as another user.
        if (sameOrigin.isForeign(request)) return to(pageOf(dashboardUrl, returnTo));
        const { url, absence } = await providerSignIn.begin({ id, returnTo, address: addressOf(request) });
        absenceCookie.write(reply, absence);
        return to(url);
      }),
  });

  add({
    method: 'GET',
    path: '/session/providers/:id/callback',
    operationId: 'finishProviderSignIn',
    summary: 'Come back from an identity provider; the response sets the session cookie',
    credential: 'none',
    params: one,
    responses: { 302: null },
    errors: [404],
    caller: anybody,
    handle: ({ params: { id }, request, reply }) =>
      withFailurePage(id, async () => {
        const absence = absenceCookie.read(request);
        absenceCookie.clear(reply);
        const replaced = cookie.read(request);
        const { token, returnTo } = await providerSignIn.finish({
          id,
          query: request.url.split('?', 2)[1] ?? '',
          absence,
          replacing: replaced === null ? null : sha256Hex(replaced),
          address: addressOf(request),
          userAgent: request.headers['user-agent'] ?? '',
        });
        cookie.write(reply, token);
        return to(pageOf(dashboardUrl, returnTo));
      }),
  });

  add({
    method: 'GET',
    path: '/session/providers/:id/sign-out',
    operationId: 'signOutOfProvider',
    summary:
      'Go to the page of an identity provider for signing out, once the session here has ended; before that, and 5 minutes later, to the dashboard',
    credential: 'none',
    params: one,
    responses: { 302: null },
    caller: anybody,
    async handle({ params: { id }, request, reply }) {
      const parting = partingCookie.read(request);
      if (parting !== null) partingCookie.clear(reply);
      const url = await providerSignIn.signOutUrl({ id, parting, address: addressOf(request) });
      return to(url ?? dashboardUrl);
    },
  });
}
