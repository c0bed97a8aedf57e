/** /api/v1/submissions, the lists of forms and projects, and the exports. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Confirmation } from '../../contract/double-opt-in.js';
import { byId } from '../../contract/shapes.js';
import {
  DeleteSubmissions,
  SubmissionExport as ExportContent,
  ExportQuery,
  ExportSelection,
  type Include,
  Neighbours,
  NeighboursQuery,
  SubmissionFull,
  SubmissionGetQuery,
  SubmissionList,
  SubmissionQuery,
  SubmissionsDeleted,
} from '../../contract/submission.js';
import type { AuditTrail } from '../../domain/audit/trail.js';
import type { FormService } from '../../domain/forms/service.js';
import type { InboxService } from '../../domain/inbox/service.js';
import { type Covered, csvRows, jsonLines, type SubmissionExport } from '../../domain/submissions/export.js';
import type { ListOwner, SubmissionService } from '../../domain/submissions/service.js';
import { isoTime, isoTimeOrNull } from '../../kernel/clock.js';
import { ownTurn } from '../../kernel/pace.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { controlOf, controlsIn } from '../../model/fields.js';
import { shownFile } from '../../model/file.js';
import type { InboxState } from '../../model/inbox.js';
import type { OptIn } from '../../model/opt-in.js';
import { replyToOf } from '../../model/reply-to.js';
import type { SubmissionMetadata, SubmissionWithFiles } from '../../model/submission.js';
import type { SubmissionPage } from '../../ports/store.js';
import type { Gate } from '../principal.js';
import { Raw, Reply, routesOf } from '../route.js';
import { inboxFields } from './inbox.js';
import { encodeCursor } from './paging.js';
import { fieldConditions, toListing, toPage } from './submission-query.js';

export const metadataOf = ({ ip, userAgent, submittedFrom, controlFields }: SubmissionMetadata) => ({
  ip,
  user_agent: userAgent,
  submitted_from: submittedFrom,
  ...(controlFields === null ? {} : { control_fields: JSON.parse(controlFields) as Record<string, string> }),
});

const replyTo = (data: string, { controlFields }: SubmissionMetadata): string | null =>
  replyToOf(data, controlOf(controlsIn(controlFields), 'replyTo'));

/** Builds the JSON text by hand, so that the data is sent exactly as stored, in its order and with its numbers. */
export function submissionText(
  submission: SubmissionWithFiles,
  include?: string,
  inbox?: InboxState,
): string {
  const rest = JSON.stringify({
    files: submission.files.map(shownFile),
    form_id: submission.formId,
    project_id: submission.projectId,
    metadata: metadataOf(submission.metadata),
    created_at: isoTime(submission.createdAt),
    ...(include?.includes('delivery_state') && { delivery_state: submission.deliveryState }),
    ...(inbox && inboxFields(inbox)),
    ...(include?.includes('reply_to') && { reply_to: replyTo(submission.data, submission.metadata) }),
  });
  return `{"id":"${submission.id}","data":${submission.data},${rest.slice(1)}`;
}

const toConfirmation = (optIn: OptIn): Confirmation => ({
  state: optIn.confirmedAt === null ? 'unconfirmed' : 'confirmed',
  address: optIn.address,
  sent_at: isoTimeOrNull(optIn.sentAt),
  confirmed_at: isoTimeOrNull(optIn.confirmedAt),
  ip: optIn.ip,
  user_agent: optIn.userAgent,
  expires_at: isoTime(optIn.expiresAt),
});

const pageText = (
  { items, next }: SubmissionPage,
  include: Include,
  inbox: ReadonlyMap<string, InboxState>,
): string =>
  `{"data":[${items.map((item) => submissionText(item, include, inbox.get(item.id))).join(',')}],"next_cursor":${next === null ? 'null' : `"${encodeCursor(next)}"`}}`;

/** Serialising a mebibyte takes up to 10 ms, and the database may return several pages at once. */
const largePage = 64 * 1024;
const isLarge = ({ items }: SubmissionPage): boolean =>
  items.reduce((sum, { data }) => sum + data.length, 0) >= largePage;

const ById = byId('The submission.');

/** For JSON with data that is sent exactly as stored. */
export const jsonText = (text: string) => new Raw('application/json; charset=utf-8', text);

/** Without the mark Excel reads UTF-8 as its local code page. Sent with the first line, so that an earlier error still gets its status. */
async function* withByteOrderMark(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let mark = '\ufeff';
  for await (const line of lines) {
    yield mark + line;
    mark = '';
  }
}

function exported(
  covered: Covered,
  name: string,
  { format = 'csv', bom }: Pick<ExportQuery, 'format' | 'bom'>,
  isWanted: () => boolean,
) {
  if (bom !== undefined && format !== 'csv') {
    throw refuse.invalidBody([{ path: 'bom', message: 'only a CSV can start with a byte order mark' }]);
  }
  const plain =
    format === 'csv' ? csvRows(covered, isWanted) : jsonLines(covered, (one) => submissionText(one));
  const lines = bom === undefined ? plain : withByteOrderMark(plain);
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
  const stream = Readable.from(lines, { objectMode: false, highWaterMark: 256 * 1024 });
  return new Reply(200, new Raw(type, stream), {
    'content-disposition': `attachment; filename="${name}.${format}"`,
  });
}

function toOwner(formId: string | undefined, projectId: string | undefined): ListOwner {
  if (formId !== undefined && projectId !== undefined)
    throw refuse.invalidBody([{ path: 'form_id', message: 'give either form_id or project_id' }]);
  if (formId !== undefined) return { kind: 'form', id: formId };
  return projectId === undefined ? null : { kind: 'project', id: projectId };
}

export function submissionRoutes(
  app: FastifyInstance,
  deps: {
    gate: Gate;
    submissions: SubmissionService;
    inbox: InboxService;
    exports: SubmissionExport;
    forms: FormService;
    trail: AuditTrail;
  },
): void {
  const { gate, submissions, inbox, exports, forms, trail } = deps;
  const add = routesOf(app, 'Submissions');
  const included = (who: Principal, include: string | undefined, items: readonly { readonly id: string }[]) =>
    inbox.states(who, include?.includes('inbox') ? items.map(({ id }) => id) : []);

  const list = async (who: Principal, owner: ListOwner, query: SubmissionQuery) => {
    const listing = toListing(who, query);
    const page = await submissions.list(who, owner, listing, toPage(query, listing));
    const states = await included(who, query.include, page.items);
    if (isLarge(page)) await ownTurn();
    return jsonText(pageText(page, query.include, states));
  };

  for (const kind of ['form', 'project'] as const) {
    add({
      method: 'GET',
      path: `/${kind}s/:id/submissions`,
      operationId: kind === 'form' ? 'listFormSubmissions' : 'listProjectSubmissions',
      summary: `List the submissions of a ${kind}, newest first`,
      params: byId(`The ${kind}.`),
      query: SubmissionQuery,
      responses: { 200: SubmissionList },
      errors: [422],
      ...gate.may('submissions.read'),
      handle: ({ who, params, query }) => list(who, { kind, id: params.id }, query),
    });
  }

  add({
    method: 'GET',
    path: '/submissions',
    operationId: 'listSubmissions',
    summary: 'List the submissions of the account, newest first',
    query: SubmissionQuery,
    responses: { 200: SubmissionList },
    errors: [422],
    ...gate.may('submissions.read'),
    handle: ({ who, query }) => list(who, null, query),
  });

  add({
    method: 'GET',
    path: '/forms/:id/submissions/export',
    operationId: 'exportSubmissions',
    summary: 'Export all submissions of a form',
    params: byId('The id or the public_id of the form.'),
    query: ExportQuery,
    responses: { 200: ExportContent },
    ...gate.may('submissions.read'),
    async handle({ who, params, query, reply }) {
      const { form } = await forms.get(who, params.id);
      await trail.taken(who, {
        ...{ action: 'submissions.exported', object: { kind: 'form', id: form.id, name: form.name } },
        after: { format: query.format ?? 'csv' },
      });
      const covered = exports.ofForm(form.id, query.folder ?? null, fieldConditions(query));
      return exported(covered, form.slug, query, () => !reply.raw.destroyed);
    },
  });

  add({
    method: 'POST',
    path: '/submissions/export',
    operationId: 'exportSelectedSubmissions',
    summary: 'Export up to 1000 submissions, in the order of their ids in the request',
    body: ExportSelection,
    responses: { 200: ExportContent },
    ...gate.may('submissions.read'),
    async handle({ who, body, reply }) {
      await trail.taken(who, {
        ...{ action: 'submissions.exported', object: { kind: 'submissions', id: null } },
        after: { format: body.format ?? 'csv', submissions: body.ids.length },
      });
      return exported(exports.ofIds(who, body.ids), 'submissions', body, () => !reply.raw.destroyed);
    },
  });

  add({
    method: 'GET',
    path: '/submissions/:id',
    operationId: 'getSubmission',
    summary: 'Get a submission',
    params: ById,
    query: SubmissionGetQuery,
    responses: { 200: SubmissionFull },
    ...gate.may('submissions.read'),
    async handle({ who, params, query: { include } }) {
      const submission = await submissions.get(who, params.id);
      await trail.viewed(who, 'submission.viewed', { kind: 'submission', id: submission.id });
      const states = await included(who, include, [submission]);
      const text = submissionText(submission, include, states.get(submission.id));
      const optIn = await submissions.optInOf(who, submission.id);
      if (optIn === null) return jsonText(text);
      return jsonText(`${text.slice(0, -1)},"confirmation":${JSON.stringify(toConfirmation(optIn))}}`);
    },
  });

  add({
    method: 'GET',
    path: '/submissions/:id/neighbours',
    operationId: 'getSubmissionNeighbours',
    summary: 'Get what comes before and after a submission in a list',
    params: ById,
    query: NeighboursQuery,
    responses: { 200: Neighbours },
    errors: [422],
    ...gate.may('submissions.read'),
    async handle({ who, params, query: { form_id, project_id, ...filters } }) {
      const listing = toListing(who, filters);
      const { previous, next } = await submissions.neighbours(
        who,
        params.id,
        toOwner(form_id, project_id),
        listing,
      );
      return { previous_id: previous, next_id: next };
    },
  });

  add({
    method: 'POST',
    path: '/submissions/delete',
    operationId: 'deleteSubmissions',
    summary: 'Delete up to 100 submissions, each with its files and deliveries',
    body: DeleteSubmissions,
    responses: { 200: SubmissionsDeleted },
    ...gate.may('submissions.manage'),
    handle: async ({ who, body }) => ({ deleted: await submissions.deleteSome(who, body.ids) }),
  });

  add({
    method: 'DELETE',
    path: '/submissions/:id',
    operationId: 'deleteSubmission',
    summary: 'Delete a submission with its files and deliveries',
    params: ById,
    responses: { 204: null },
    ...gate.may('submissions.manage'),
    handle: ({ who, params }) => submissions.delete(who, params.id),
  });
}
