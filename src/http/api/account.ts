/** /api/v1/account and /api/v1/api-keys */
import type { FastifyInstance } from 'fastify';
import {
  AccountFull,
  ApiKeyCreated,
  type ApiKeyItem,
  ApiKeyList,
  CreateApiKey,
  UpdateAccount,
} from '../../contract/account.js';
import { byId } from '../../contract/shapes.js';
import type { AccountService } from '../../domain/accounts/service.js';
import type { SessionService } from '../../domain/accounts/sessions.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import type { ApiKey, Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { plans } from '../../model/plans.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

export interface UploadLimits {
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxBodyBytes: number;
}

const keyFields = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  scope: key.scope,
  prefix: key.prefix,
  created_at: isoTime(key.createdAt),
  expires_at: isoTimeOrNull(key.expiresAt),
  project_ids: key.projectIds && [...key.projectIds],
});

const toItem = (key: ApiKey): ApiKeyItem => ({
  ...keyFields(key),
  last_used_at: isoTimeOrNull(key.lastUsedAt),
});

export function accountRoutes(
  app: FastifyInstance,
  deps: { gate: Gate; accounts: AccountService; sessions: SessionService; limits: UploadLimits },
): void {
  const { gate, accounts, sessions, limits } = deps;
  const add = routesOf(app, 'Account');
  const full = async (who: Principal): Promise<AccountFull> => {
    const account = await accounts.find(who.accountId);
    if (!account) throw refuse.invalidApiKey();
    const plan = plans[account.plan];
    return {
      id: account.id,
      name: account.name,
      plan: account.plan,
      two_factors_required: account.twoFactorsRequired,
      limits: {
        projects: plan.maxProjects,
        file_uploads: plan.fileUploads,
        image_transformation: plan.imageTransformation,
        max_file_bytes: limits.maxFileBytes,
        max_files: limits.maxFiles,
        max_body_bytes: limits.maxBodyBytes,
      },
      usage: await accounts.usage(who),
      created_at: isoTime(account.createdAt),
    };
  };

  add({
    method: 'GET',
    path: '/account',
    operationId: 'getAccount',
    summary: 'Plan, limits and usage of the account',
    responses: { 200: AccountFull },
    ...gate.may('account.read'),
    handle: ({ who }) => full(who),
  });

  add({
    method: 'PATCH',
    path: '/account',
    operationId: 'updateAccount',
    summary: 'Rename the account, or change whether its users need two factors',
    body: UpdateAccount,
    responses: { 200: AccountFull },
    ...gate.may('account.manage'),
    async handle({ who, body }) {
      await accounts.update(who, {
        ...(body.name !== undefined && { name: body.name.trim() }),
        ...(body.two_factors_required !== undefined && { twoFactorsRequired: body.two_factors_required }),
      });
      sessions.forgetAll();
      return full(who);
    },
  });

  add({
    method: 'GET',
    path: '/api-keys',
    operationId: 'listApiKeys',
    summary: 'List the API keys of the account',
    responses: { 200: ApiKeyList },
    ...gate.may('api_keys.read'),
    handle: async ({ who }) => ({ data: (await accounts.listKeys(who.accountId)).map(toItem) }),
  });

  add({
    method: 'POST',
    path: '/api-keys',
    operationId: 'createApiKey',
    summary: 'Create an API key; only this response shows it',
    body: CreateApiKey,
    responses: { 201: ApiKeyCreated },
    ...gate.may('api_keys.manage'),
    async handle({
      who,
      body: { name, scope = 'full', expires_at: expiry = null, project_ids: projectIds = null },
    }) {
      const expiresAt = expiry === null ? null : Date.parse(expiry);
      const { key, secret } = await accounts.createKey(who, {
        name: name.trim(),
        scope,
        expiresAt,
        projectIds,
      });
      return { ...keyFields(key), api_key: secret };
    },
  });

  add({
    method: 'DELETE',
    path: '/api-keys/:id',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key at once',
    params: byId('The API key.'),
    responses: { 204: null },
    ...gate.may('api_keys.manage'),
    handle: ({ who, params }) => accounts.revokeKey(who, params.id),
  });
}
