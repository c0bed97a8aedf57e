import { type Static, Type } from 'typebox';
import {
  exactly,
  id,
  instant,
  listOf,
  name,
  named,
  nullableInstant,
  nullableInteger,
  nullableMoment,
  shape,
} from './shapes.js';

export const plan = Type.Unsafe<'starter' | 'pro' | 'business' | 'enterprise'>({
  type: 'string',
  enum: ['starter', 'pro', 'business', 'enterprise'],
});
const scope = Type.Unsafe<'full' | 'read'>({ type: 'string', enum: ['full', 'read'] });

const projectIds = (description: string) =>
  Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string', format: 'uuid', maxLength: 36 },
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description,
  });

const twoFactorsRequired = Type.Boolean({
  description:
    'Users who sign in with a password need a second factor: without one they can only set one up. Sign-ins with an identity provider and API keys are not affected.',
});

export const AccountFull = shape('AccountFull', {
  id: id('The account.'),
  name: Type.String(),
  plan,
  two_factors_required: twoFactorsRequired,
  limits: exactly({
    projects: nullableInteger({ description: 'null: no cap.' }),
    file_uploads: Type.Boolean(),
    image_transformation: Type.Boolean(),
    max_file_bytes: Type.Integer(),
    max_files: Type.Integer(),
    max_body_bytes: Type.Integer(),
  }),
  usage: exactly({ projects: Type.Integer(), forms: Type.Integer(), submissions: Type.Integer() }),
  created_at: instant('When it was created.'),
});
export type AccountFull = Static<typeof AccountFull>;

export const UpdateAccount = shape('UpdateAccount', {
  name: Type.Optional(name),
  two_factors_required: Type.Optional(twoFactorsRequired),
});
export type UpdateAccount = Static<typeof UpdateAccount>;

const keyFields = {
  id: id('The key.'),
  name: Type.String(),
  scope,
  prefix: Type.String({ description: 'How the key begins.' }),
  created_at: instant('When it was made.'),
  expires_at: nullableInstant('From then on it opens nothing; null: it does not expire.'),
  project_ids: projectIds('What it reaches; null: the whole account.'),
};

export const ApiKeyItem = shape('ApiKeyItem', {
  ...keyFields,
  last_used_at: nullableInstant('To the minute.'),
});
export type ApiKeyItem = Static<typeof ApiKeyItem>;
export const ApiKeyList = named('ApiKeyList', listOf(ApiKeyItem));
export type ApiKeyList = Static<typeof ApiKeyList>;

export const ApiKeyCreated = shape('ApiKeyCreated', {
  ...keyFields,
  api_key: Type.String({ description: 'The key itself; it is shown only here.' }),
});
export type ApiKeyCreated = Static<typeof ApiKeyCreated>;

export const CreateApiKey = shape('CreateApiKey', {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  scope: Type.Optional(scope),
  expires_at: Type.Optional(nullableMoment('In the future; null: it does not expire.')),
  project_ids: Type.Optional(projectIds('Limits the key to these projects; null: the whole account.')),
});
export type CreateApiKey = Static<typeof CreateApiKey>;
