/** The quarantine: /api/v1/forms/{id}/spam, /api/v1/spam and the actions on quarantined submissions. */
import type { FastifyInstance } from 'fastify';
import {
  DeleteQuarantined,
  EmptyQuarantine,
  QuarantineDeleted,
  QuarantineEmptied,
  QuarantineList,
  QuarantineQuery,
  QuarantineReleased,
  ReleaseQuarantined,
} from '../../contract/quarantine.js';
import { byId } from '../../contract/shapes.js';
import { SubmissionFull } from '../../contract/submission.js';
import type { QuarantinePage, QuarantineService } from '../../domain/spam/quarantine.js';
import { isoTime } from '../../kernel/clock.js';
import { type Quarantined, quarantineLifeMs } from '../../model/quarantine.js';
import type { Page } from '../../ports/store.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';
import { jsonText, metadataOf, submissionText } from './submissions.js';

/** Builds the JSON text by hand, so that the data is sent exactly as stored. */
function quarantinedText(held: Quarantined): string {
  const rest = JSON.stringify({
    field: held.field,
    files_dropped: held.filesDropped,
    metadata: metadataOf(held.metadata),
    created_at: isoTime(held.createdAt),
    expires_at: isoTime(held.createdAt + quarantineLifeMs),
  });
  const place = `"form_id":"${held.formId}","project_id":"${held.projectId}"`;
  return `{"id":"${held.id}",${place},"data":${held.data},${rest.slice(1)}`;
}

const pageText = ({ items, next }: QuarantinePage): string =>
  `{"data":[${items.map(quarantinedText).join(',')}],"next_cursor":${next === null ? 'null' : `"${encodeCursor(next)}"`}}`;

const toPage = ({ limit, cursor }: QuarantineQuery): Page => ({
  limit: limit ?? 25,
  after: decodeCursor(cursor, 'list'),
});

const ById = byId('The quarantined submission.');

export function spamRoutes(
  app: FastifyInstance,
  { gate, quarantine }: { gate: Gate; quarantine: QuarantineService },
): void {
  const add = routesOf(app, 'Spam');

  add({
    method: 'GET',
    path: '/forms/:id/spam',
    operationId: 'listFormQuarantine',
    summary: 'List the quarantine of a form, newest first',
    params: byId('The id or the public_id of the form.'),
    query: QuarantineQuery,
    responses: { 200: QuarantineList },
    ...gate.may('quarantine.read'),
    handle: async ({ who, params, query }) =>
      jsonText(pageText(await quarantine.listByForm(who, params.id, toPage(query)))),
  });

  add({
    method: 'GET',
    path: '/spam',
    operationId: 'listQuarantine',
    summary: 'List the quarantine of all forms, newest first',
    query: QuarantineQuery,
    responses: { 200: QuarantineList },
    ...gate.may('quarantine.read'),
    handle: async ({ who, query }) => jsonText(pageText(await quarantine.list(who, toPage(query)))),
  });

  add({
    method: 'POST',
    path: '/spam/:id/release',
    operationId: 'releaseQuarantined',
    summary: 'Release a quarantined submission: store and deliver it',
    params: ById,
    responses: { 201: SubmissionFull },
    errors: [422],
    ...gate.may('quarantine.manage'),
    handle: async ({ who, params }) => jsonText(submissionText(await quarantine.release(who, params.id))),
  });

  add({
    method: 'POST',
    path: '/spam/release',
    operationId: 'releaseManyQuarantined',
    summary: 'Release up to 100 quarantined submissions: store and deliver them',
    body: ReleaseQuarantined,
    responses: { 201: QuarantineReleased },
    ...gate.may('quarantine.manage'),
    async handle({ who, body }) {
      const released = await quarantine.releaseSome(who, body.ids);
      return { data: released.map(({ id, submissionId }) => ({ id, submission_id: submissionId })) };
    },
  });

  add({
    method: 'POST',
    path: '/spam/delete',
    operationId: 'deleteManyQuarantined',
    summary: 'Delete up to 1,000 quarantined submissions',
    body: DeleteQuarantined,
    responses: { 200: QuarantineDeleted },
    ...gate.may('quarantine.manage'),
    handle: async ({ who, body }) => ({ deleted: await quarantine.deleteSome(who, body.ids) }),
  });

  add({
    method: 'POST',
    path: '/spam/empty',
    operationId: 'emptyQuarantine',
    summary: 'Delete everything in quarantine, of one form or of all',
    body: EmptyQuarantine,
    bodyMayBeAbsent: true,
    responses: { 200: QuarantineEmptied },
    errors: [404],
    ...gate.may('quarantine.manage'),
    async handle({ who, body: { form_id = null } }) {
      const { deleted, isEmpty } = await quarantine.empty(who, form_id);
      return { deleted, is_empty: isEmpty };
    },
  });

  add({
    method: 'DELETE',
    path: '/spam/:id',
    operationId: 'deleteQuarantined',
    summary: 'Delete a quarantined submission now instead of after 30 days',
    params: ById,
    responses: { 204: null },
    ...gate.may('quarantine.manage'),
    handle: ({ who, params }) => quarantine.delete(who, params.id),
  });
}
