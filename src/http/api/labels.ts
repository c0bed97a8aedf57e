/** /api/v1/labels */
import type { FastifyInstance } from 'fastify';
import { CreateLabel, Label, LabelList, PatchLabel } from '../../contract/inbox.js';
import { byId } from '../../contract/shapes.js';
import type { LabelService } from '../../domain/inbox/labels.js';
import { isoTime } from '../../kernel/clock.js';
import type { Label as LabelNoun } from '../../model/inbox.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';

const ById = byId('The label.');

const toLabel = ({ id, name, color, createdAt }: LabelNoun): Label => ({
  id,
  name,
  color,
  created_at: isoTime(createdAt),
});

export function labelRoutes(
  app: FastifyInstance,
  { gate, labels }: { gate: Gate; labels: LabelService },
): void {
  const add = routesOf(app, 'Inbox');

  add({
    method: 'GET',
    path: '/labels',
    operationId: 'listLabels',
    summary: 'List the labels of the account, by name',
    responses: { 200: LabelList },
    ...gate.may('inbox.read'),
    handle: async ({ who }) => ({ data: (await labels.list(who)).map(toLabel) }),
  });

  add({
    method: 'POST',
    path: '/labels',
    operationId: 'createLabel',
    summary: 'Create a label',
    body: CreateLabel,
    responses: { 201: Label },
    errors: [409],
    ...gate.may('labels.manage'),
    handle: async ({ who, body: { name, color = 'gray' } }) =>
      toLabel(await labels.create(who, { name, color })),
  });

  add({
    method: 'PATCH',
    path: '/labels/:id',
    operationId: 'updateLabel',
    summary: 'Rename a label, or give it another color',
    params: ById,
    body: PatchLabel,
    responses: { 200: Label },
    errors: [409],
    ...gate.may('labels.manage'),
    handle: async ({ who, params, body }) => toLabel(await labels.update(who, params.id, body)),
  });

  add({
    method: 'DELETE',
    path: '/labels/:id',
    operationId: 'deleteLabel',
    summary: 'Delete a label and take it off all submissions',
    params: ById,
    responses: { 204: null },
    ...gate.may('labels.manage'),
    handle: ({ who, params }) => labels.delete(who, params.id),
  });
}
