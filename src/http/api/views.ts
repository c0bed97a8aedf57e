/** /api/v1/views */
import type { FastifyInstance } from 'fastify';
import { byId } from '../../contract/shapes.js';
import type { SubmissionFilters } from '../../contract/submission.js';
import { CreateView, PatchView, View, ViewList } from '../../contract/view.js';
import type { ViewInput, ViewService } from '../../domain/inbox/views.js';
import { isoTime } from '../../kernel/clock.js';
import type { SavedView } from '../../model/inbox.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { checkFilters } from './submission-query.js';

const ById = byId('The view.');

const toView = (view: SavedView): View => ({
  id: view.id,
  name: view.name,
  form_id: view.formId,
  project_id: view.projectId,
  // Validated before it was stored.
  query: JSON.parse(view.query) as SubmissionFilters,
  position: view.position,
  created_at: isoTime(view.createdAt),
});

const toInput = ({ name, form_id, project_id, query, position }: PatchView): ViewInput => {
  if (query) checkFilters(query);
  return {
    name,
    formId: form_id,
    projectId: project_id,
    query: query && JSON.stringify(query),
    position,
  };
};

export function viewRoutes(app: FastifyInstance, { gate, views }: { gate: Gate; views: ViewService }): void {
  const add = routesOf(app, 'Inbox');

  add({
    method: 'GET',
    path: '/views',
    operationId: 'listViews',
    summary: 'List the saved views of the account, by position',
    responses: { 200: ViewList },
    ...gate.may('inbox.read'),
    handle: async ({ who }) => ({ data: (await views.list(who)).map(toView) }),
  });

  add({
    method: 'POST',
    path: '/views',
    operationId: 'createView',
    summary: 'Save filters of the list of submissions under a name',
    body: CreateView,
    responses: { 201: View },
    errors: [404, 409],
    ...gate.may('inbox.manage'),
    handle: async ({ who, body }) => toView(await views.create(who, { ...toInput(body), name: body.name })),
  });

  add({
    method: 'PATCH',
    path: '/views/:id',
    operationId: 'updateView',
    summary: 'Change a saved view',
    params: ById,
    body: PatchView,
    responses: { 200: View },
    ...gate.may('inbox.manage'),
    handle: async ({ who, params, body }) => toView(await views.update(who, params.id, toInput(body))),
  });

  add({
    method: 'DELETE',
    path: '/views/:id',
    operationId: 'deleteView',
    summary: 'Delete a saved view',
    params: ById,
    responses: { 204: null },
    ...gate.may('inbox.manage'),
    handle: ({ who, params }) => views.delete(who, params.id),
  });
}
