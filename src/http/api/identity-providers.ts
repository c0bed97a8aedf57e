/** /api/v1/identity-providers: the providers that may sign in users of the account. */
import type { FastifyInstance } from 'fastify';
import {
  CreateIdentityProvider,
  IdentityProviderFull,
  IdentityProviderList,
  IdentityProviderTest,
  UpdateIdentityProvider,
} from '../../contract/identity-provider.js';
import { byId } from '../../contract/shapes.js';
import type { IdentityProviderService } from '../../domain/accounts/identity-providers.js';
import { isoTime } from '../../kernel/clock.js';
import type { IdentityProvider, IdentityProviderSettings } from '../../model/identity-provider.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

type Input = UpdateIdentityProvider;

/** Converts a request body. Sets only the fields that were sent. */
function fromWire(input: Input): Partial<IdentityProviderSettings> {
  const {
    client_id,
    client_secret,
    is_required,
    is_listed,
    creates_users,
    role_claim,
    default_role,
    ...same
  } = input;
  return {
    ...same,
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
    ...(is_required !== undefined && { isRequired: is_required }),
    ...(is_listed !== undefined && { isListed: is_listed }),
    ...(creates_users !== undefined && { createsUsers: creates_users }),
    ...(role_claim !== undefined && { roleClaim: role_claim }),
    ...(default_role !== undefined && { defaultRole: default_role }),
  };
}

export function identityProviderRoutes(
  app: FastifyInstance,
  deps: { gate: Gate; identityProviders: IdentityProviderService; callbackUrl: (id: string) => string },
): void {
  const { gate, identityProviders: providers, callbackUrl } = deps;
  const add = routesOf(app, 'Account');
  const toFull = (provider: IdentityProvider): IdentityProviderFull => ({
    id: provider.id,
    name: provider.name,
    issuer: provider.issuer,
    client_id: provider.clientId,
    domains: [...provider.domains],
    is_required: provider.isRequired,
    is_listed: provider.isListed,
    creates_users: provider.createsUsers,
    role_claim: provider.roleClaim,
    roles: provider.roles,
    default_role: provider.defaultRole,
    callback_url: callbackUrl(provider.id),
    created_at: isoTime(provider.createdAt),
    updated_at: isoTime(provider.updatedAt),
  });
  const one = byId('The provider.');

  add({
    method: 'GET',
    path: '/identity-providers',
    operationId: 'listIdentityProviders',
    summary: 'List the identity providers of the account, oldest first',
    responses: { 200: IdentityProviderList },
    ...gate.may('identity_providers.read'),
    handle: async ({ who }) => ({ data: (await providers.list(who)).map(toFull) }),
  });

  add({
    method: 'POST',
    path: '/identity-providers',
    operationId: 'createIdentityProvider',
    summary: 'Let users sign in with an identity provider',
    body: CreateIdentityProvider,
    responses: { 201: IdentityProviderFull },
    errors: [409],
    ...gate.may('identity_providers.manage'),
    async handle({ who, body }) {
      const { name, issuer, client_id: clientId, client_secret: clientSecret } = body;
      return toFull(await providers.create(who, { ...fromWire(body), name, issuer, clientId, clientSecret }));
    },
  });

  add({
    method: 'GET',
    path: '/identity-providers/:id',
    operationId: 'getIdentityProvider',
    summary: 'Get an identity provider',
    params: one,
    responses: { 200: IdentityProviderFull },
    ...gate.may('identity_providers.read'),
    handle: async ({ who, params }) => toFull(await providers.get(who, params.id)),
  });

  add({
    method: 'PATCH',
    path: '/identity-providers/:id',
    operationId: 'updateIdentityProvider',
    summary: 'Change an identity provider',
    params: one,
    body: UpdateIdentityProvider,
    responses: { 200: IdentityProviderFull },
    ...gate.may('identity_providers.manage'),
    handle: async ({ who, params, body }) => toFull(await providers.update(who, params.id, fromWire(body))),
  });

  add({
    method: 'DELETE',
    path: '/identity-providers/:id',
    operationId: 'deleteIdentityProvider',
    summary: 'Delete an identity provider; users who signed in with it are signed out',
    params: one,
    responses: { 204: null },
    ...gate.may('identity_providers.manage'),
    handle: ({ who, params }) => providers.delete(who, params.id),
  });

  add({
    method: 'POST',
    path: '/identity-providers/:id/test',
    operationId: 'testIdentityProvider',
    summary: 'Check whether users could be sent to an identity provider now',
    params: one,
    responses: { 200: IdentityProviderTest },
    ...gate.may('identity_providers.manage'),
    async handle({ who, params }) {
      const error = await providers.test(who, params.id);
      return { ok: error === null, error };
    },
  });
}
