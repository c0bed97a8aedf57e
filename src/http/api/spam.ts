/** The quarantine: /api/v1/forms/{id}/spam, /api/v1/spam and what can be done with an item of it. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { QuarantineList, QuarantineQuery } from '../../contract/quarantine.js';
import { SubmissionFull } from '../../contract/submission.js';
import type { QuarantinePage, QuarantineService } from '../../domain/spam/quarantine.js';
import { isoTime } from '../../kernel/clock.js';
import { type Quarantined, quarantineLifeMs } from '../../model/quarantine.js';
import type { Page } from '../../ports/store.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';
import { submissionText } from './submissions.js';

/** As JSON text, by hand: the data goes out as the bytes that were stored. */
function quarantinedText(held: Quarantined): string {
  const { metadata } = held;
  const rest = JSON.stringify({
    field: held.field,
    files_dropped: held.filesDropped,
    metadata: { ip: metadata.ip, user_agent: metadata.userAgent, submitted_from: metadata.submittedFrom },
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

const ById = Type.Object({ id: Type.String() });
const json = 'application/json; charset=utf-8';

export function spamRoutes(
  app: FastifyInstance,
  { gate, quarantine }: { gate: Gate; quarantine: QuarantineService },
): void {
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) => route(app, { tag: 'Spam', ...definition });

  add({
    method: 'GET',
    path: '/forms/:id/spam',
    summary: 'List the quarantine of a form, newest first',
    params: ById,
    query: QuarantineQuery,
    answers: { 200: QuarantineList },
    errors: [404],
    caller: gate.reader,
    async handle({ who, id, request, reply }) {
      const page = await quarantine.listByForm(who, id, toPage(request.query as QuarantineQuery));
      return reply.type(json).send(pageText(page));
    },
  });

  add({
    method: 'GET',
    path: '/spam',
    summary: 'List the quarantine of all forms, newest first',
    query: QuarantineQuery,
    answers: { 200: QuarantineList },
    caller: gate.reader,
    async handle({ who, request, reply }) {
      const page = await quarantine.list(who, toPage(request.query as QuarantineQuery));
      return reply.type(json).send(pageText(page));
    },
  });

  add({
    method: 'POST',
    path: '/spam/:id/release',
    summary: 'Make a submission of it and deliver it',
    params: ById,
    answers: { 201: SubmissionFull },
    errors: [404],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      const submission = await quarantine.release(who, id);
      return reply.status(201).type(json).send(submissionText(submission));
    },
  });

  add({
    method: 'DELETE',
    path: '/spam/:id',
    summary: 'Delete it now instead of after thirty days',
    params: ById,
    answers: { 204: Type.Null() },
    errors: [404],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      await quarantine.delete(who, id);
      return reply.status(204).send();
    },
  });
}
