/** /api/v1/forms/{id}/aliases */
import type { FastifyInstance } from 'fastify';
import { AliasBody, AliasItem, AliasPage } from '../../contract/form.js';
import { PageQuery } from '../../contract/paging.js';
import { byId } from '../../contract/shapes.js';
import type { AliasService } from '../../domain/forms/aliases.js';
import { isoTime } from '../../kernel/clock.js';
import type { FormAlias } from '../../model/alias.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { optionalPage, pageOf } from './paging.js';

const ById = byId('The id or the public_id of the form.');

const toItem = ({ alias, createdAt }: FormAlias): AliasItem => ({ alias, created_at: isoTime(createdAt) });

export function aliasRoutes(
  app: FastifyInstance,
  { gate, aliases }: { gate: Gate; aliases: AliasService },
): void {
  const add = routesOf(app, 'Forms');

  add({
    method: 'GET',
    path: '/forms/:id/aliases',
    operationId: 'listAliases',
    summary: 'List the aliases of a form',
    params: ById,
    query: PageQuery,
    responses: { 200: AliasPage },
    ...gate.may('forms.read'),
    async handle({ who, params, query }) {
      const page = optionalPage(query);
      const found = await aliases.list(who, params.id, page);
      const { items, next } = pageOf(page, found, (item) => item.id);
      return { data: items.map(toItem), ...next };
    },
  });

  add({
    method: 'POST',
    path: '/forms/:id/aliases',
    operationId: 'addAlias',
    summary: 'Add an alias, under which the form takes submissions too',
    params: ById,
    body: AliasBody,
    responses: { 201: AliasItem },
    errors: [409],
    ...gate.may('forms.manage'),
    handle: async ({ who, params, body }) => toItem(await aliases.add(who, params.id, body.alias)),
  });

  add({
    method: 'DELETE',
    path: '/forms/:id/aliases',
    operationId: 'removeAlias',
    summary: 'Remove an alias from a form',
    params: ById,
    body: AliasBody,
    responses: { 204: null },
    ...gate.may('forms.manage'),
    handle: ({ who, params, body }) => aliases.remove(who, params.id, body.alias),
  });
}
