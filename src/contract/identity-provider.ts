import { type Static, Type } from 'typebox';
import { exactly, id, instant, listOf, name, named, nullableText, shape } from './shapes.js';

const role = Type.Unsafe<'viewer' | 'editor' | 'owner'>({
  type: 'string',
  enum: ['viewer', 'editor', 'owner'],
});

const settings = {
  name,
  issuer: Type.String({
    format: 'http-url',
    maxLength: 2048,
    description: 'The URL whose `/.well-known/openid-configuration` describes the provider.',
  }),
  client_id: Type.String({ minLength: 1, maxLength: 500 }),
  domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    maxItems: 50,
    description:
      'Only users with an e-mail address in one of these domains may sign in. Empty: every address that the provider has verified.',
  }),
  is_required: Type.Boolean({
    description:
      'Users with an address in `domains` must sign in with this provider. Owners who have a password may still use it, so that nobody is locked out while the provider is unavailable.',
  }),
  is_listed: Type.Boolean({
    description: 'Everyone sees it on the sign-in page, unless the instance has several accounts.',
  }),
  creates_users: Type.Boolean({ description: 'Add users at their first sign-in.' }),
  role_claim: nullableText({
    minLength: 1,
    maxLength: 200,
    description: 'The claim that holds the role or groups of a user. The role is set at each sign-in.',
  }),
  roles: Type.Unsafe<Record<string, 'viewer' | 'editor' | 'owner'>>({
    type: 'object',
    patternProperties: { '^.{1,200}$': role },
    additionalProperties: false,
    description: 'From values of the claim to roles; of several the highest counts.',
  }),
  default_role: Type.Unsafe<'viewer' | 'editor' | 'owner' | null>({
    type: ['string', 'null'],
    enum: ['viewer', 'editor', 'owner', null],
    description: 'For users without a role by the claim; null: they may not sign in.',
  }),
};

const clientSecret = Type.String({ minLength: 1, maxLength: 2000, description: 'Write-only.' });

export const IdentityProviderFull = shape('IdentityProvider', {
  id: id('The provider.'),
  ...settings,
  callback_url: Type.String({ description: 'Register it at the provider as redirect URI.' }),
  created_at: instant('When it was added.'),
  updated_at: instant('When it was last changed.'),
});
export type IdentityProviderFull = Static<typeof IdentityProviderFull>;
export const IdentityProviderList = named('IdentityProviderList', listOf(IdentityProviderFull));

const { name: _name, issuer, client_id, ...optional } = settings;
export const CreateIdentityProvider = shape('CreateIdentityProvider', {
  name,
  issuer,
  client_id,
  client_secret: clientSecret,
  ...Type.Partial(exactly(optional)).properties,
});
export type CreateIdentityProvider = Static<typeof CreateIdentityProvider>;

export const UpdateIdentityProvider = named(
  'UpdateIdentityProvider',
  exactly(Type.Partial(exactly({ ...settings, client_secret: clientSecret })).properties),
);
export type UpdateIdentityProvider = Static<typeof UpdateIdentityProvider>;

export const IdentityProviderTest = shape('IdentityProviderTest', {
  ok: Type.Boolean(),
  error: nullableText({ description: 'What is wrong; null: the provider was found and can be used.' }),
});
export type IdentityProviderTest = Static<typeof IdentityProviderTest>;

export const OfferedProviders = shape('OfferedProviders', {
  data: Type.Array(
    exactly({
      id: id('The provider.'),
      name: Type.String(),
      sign_in_url: Type.String({ description: 'Open it in the browser.' }),
    }),
  ),
});
export type OfferedProviders = Static<typeof OfferedProviders>;

export const OfferedProvidersQuery = exactly({
  email: Type.Optional(
    Type.String({ maxLength: 254, description: 'Also the providers of the domain of this address.' }),
  ),
});

export const StartSignInQuery = exactly({
  return_to: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^/[!-~]*$',
      description: 'The page of the dashboard to open afterwards, as it stands in a URL.',
    }),
  ),
});

/** Why a user who returned from a provider is not signed in. */
const signInFailures = [
  'cancelled',
  'expired',
  'provider_unavailable',
  'provider_invalid',
  'address_not_accepted',
  'not_a_user',
  'no_role',
] as const;
export type SignInFailure = (typeof signInFailures)[number];
