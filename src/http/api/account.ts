/** /api/v1/account and /api/v1/api-keys */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { AccountFull, ApiKeyCreated, ApiKeyItem, CreateApiKey } from '../../contract/account.js';
import { listOf } from '../../contract/shapes.js';
import type { AccountService } from '../../domain/accounts/service.js';
import { isoTime } from '../../kernel/clock.js';
import type { ApiKey } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { plans } from '../../model/plans.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';

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
});

const toItem = (key: ApiKey): ApiKeyItem => ({
  ...keyFields(key),
  last_used_at: key.lastUsedAt === null ? null : isoTime(key.lastUsedAt),
});

export function accountRoutes(
  app: FastifyInstance,
  { gate, accounts, limits }: { gate: Gate; accounts: AccountService; limits: UploadLimits },
): void {
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) =>
    route(app, { tag: 'Account', ...definition });

  add({
    method: 'GET',
    path: '/account',
    summary: 'Plan, limits and usage of the account',
    answers: { 200: AccountFull },
    caller: gate.reader,
    async handle({ who }): Promise<AccountFull> {
      const { accountId } = who;
      const account = await accounts.find(accountId);
      if (!account) throw refuse.invalidApiKey();
      const plan = plans[account.plan];
      return {
        id: account.id,
        name: account.name,
        plan: account.plan,
        limits: {
          projects: plan.maxProjects,
          file_uploads: plan.fileUploads,
          image_transformation: plan.imageTransformation,
          max_file_bytes: limits.maxFileBytes,
          max_files: limits.maxFiles,
          max_body_bytes: limits.maxBodyBytes,
        },
        usage: await accounts.usage(account.id),
        created_at: isoTime(account.createdAt),
      };
    },
  });

  add({
    method: 'GET',
    path: '/api-keys',
    summary: 'List the API keys of the account',
    answers: { 200: listOf(ApiKeyItem) },
    caller: gate.reader,
    async handle({ who }) {
      const { accountId } = who;
      return { data: (await accounts.listKeys(accountId)).map(toItem) };
    },
  });

  add({
    method: 'POST',
    path: '/api-keys',
    summary: 'Make an API key; it is shown only in this answer',
    body: CreateApiKey,
    answers: { 201: ApiKeyCreated },
    errors: [403],
    caller: gate.writer,
    async handle({ who, request, reply }) {
      const { accountId } = who;
      const { name, scope = 'full' } = request.body as CreateApiKey;
      const { key, secret } = await accounts.createKey(accountId, { name: name.trim(), scope });
      const created: ApiKeyCreated = { ...keyFields(key), api_key: secret };
      return reply.status(201).send(created);
    },
  });

  add({
    method: 'DELETE',
    path: '/api-keys/:id',
    summary: 'Revoke an API key at once',
    params: Type.Object({ id: Type.String() }),
    answers: { 204: Type.Null() },
    errors: [403, 404],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      const { accountId } = who;
      await accounts.revokeKey(accountId, id);
      return reply.status(204).send();
    },
  });
}
