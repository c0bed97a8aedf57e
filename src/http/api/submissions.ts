/** /api/v1/submissions, the lists of forms and projects, and the export. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { byId } from '../../contract/shapes.js';
import {
  DeleteSubmissions,
  SubmissionExport as ExportContent,
  ExportQuery,
  type Include,
  SubmissionFull,
  SubmissionGetQuery,
  SubmissionList,
  SubmissionQuery,
  SubmissionsDeleted,
} from '../../contract/submission.js';
import type { FormService } from '../../domain/forms/service.js';
import type { InboxService } from '../../domain/inbox/service.js';
import type { SubmissionExport } from '../../domain/submissions/export.js';
import { searchWords } from '../../domain/submissions/search.js';
import type { SubmissionService } from '../../domain/submissions/service.js';
import { isoTime } from '../../kernel/clock.js';
import { ownTurn } from '../../kernel/pace.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { shownFile } from '../../model/file.js';
import type { InboxState } from '../../model/inbox.js';
import type { SubmissionFilter, SubmissionMetadata, SubmissionWithFiles } from '../../model/submission.js';
import type { Page, SubmissionPage } from '../../ports/store.js';
import type { Gate } from '../principal.js';
import { Raw, Reply, routesOf } from '../route.js';
import { inboxFields } from './inbox.js';
import { decodeCursor, encodeCursor } from './paging.js';

export const metadataOf = ({ ip, userAgent, submittedFrom, controlFields }: SubmissionMetadata) => ({
  ip,
  user_agent: userAgent,
  submitted_from: submittedFrom,
  ...(controlFields === null ? {} : { control_fields: JSON.parse(controlFields) as Record<string, string> }),
});

/** As JSON text, by hand: the data goes out as the bytes that were stored, in their order and with their numbers. */
export function submissionText(
  { metadata, ...submission }: SubmissionWithFiles,
  include?: Include,
  inbox?: InboxState,
): string {
  const rest = JSON.stringify({
    files: submission.files.map(shownFile),
    form_id: submission.formId,
    project_id: submission.projectId,
    metadata: metadataOf(metadata),
    created_at: isoTime(submission.createdAt),
    ...(include?.includes('delivery_state') && { delivery_state: submission.deliveryState }),
    ...(inbox && inboxFields(inbox)),
  });
  return `{"id":"${submission.id}","data":${submission.data},${rest.slice(1)}`;
}

const pageText = (
  { items, next }: SubmissionPage,
  include: Include,
  inbox: ReadonlyMap<string, InboxState>,
): string =>
  `{"data":[${items.map((item) => submissionText(item, include, inbox.get(item.id))).join(',')}],"next_cursor":${next === null ? 'null' : `"${encodeCursor(next)}"`}}`;

/** Writing out a mebibyte takes up to 10 ms, and the database may give several pages at once. */
const largePage = 64 * 1024;
const isLarge = ({ items }: SubmissionPage): boolean =>
  items.reduce((sum, { data }) => sum + data.length, 0) >= largePage;

/** Whom a parameter means that depends on who asks. */
function callerOf({ userId }: Principal, path: string): string {
  if (userId === null)
    throw refuse.invalidBody([{ path, message: 'needs a signed-in user, not an API key' }]);
  return userId;
}

const toFilter = (who: Principal, query: SubmissionQuery): SubmissionFilter => ({
  words: query.q === undefined ? [] : searchWords(query.q),
  since: query.since === undefined ? null : Date.parse(query.since),
  until: query.until === undefined ? null : Date.parse(query.until),
  webhookState: query.webhook_state ?? null,
  folder: query.folder ?? null,
  read: query.is_read === undefined ? null : { userId: callerOf(who, 'is_read'), isRead: query.is_read },
  isStarred: query.is_starred ?? null,
  labelId: query.label ?? null,
  assignee: query.assignee === 'me' ? callerOf(who, 'assignee') : (query.assignee ?? null),
});

const toPage = ({ limit, cursor }: SubmissionQuery, { words }: SubmissionFilter): Page => ({
  limit: limit ?? 25,
  after: decodeCursor(cursor, words.length > 0 ? 'search' : 'list'),
});

const ById = byId('The submission.');

/** For JSON with data that goes out as it was stored. */
export const jsonText = (text: string) => new Raw('application/json; charset=utf-8', text);

/** Without the mark Excel takes UTF-8 for its local code page. It goes out with the first line: until then an error still gets its status. */
async function* withByteOrderMark(lines: AsyncGenerator<string>): AsyncGenerator<string> {
  let mark = '\ufeff';
  for await (const line of lines) {
    yield mark + line;
    mark = '';
  }
}

export function submissionRoutes(
  app: FastifyInstance,
  deps: {
    gate: Gate;
    submissions: SubmissionService;
    inbox: InboxService;
    exports: SubmissionExport;
    forms: FormService;
  },
): void {
  const { gate, submissions, inbox, exports, forms } = deps;
  const add = routesOf(app, 'Submissions');
  const included = (who: Principal, include: Include, items: readonly { readonly id: string }[]) =>
    inbox.states(who, include?.includes('inbox') ? items.map(({ id }) => id) : []);

  for (const owner of ['form', 'project'] as const) {
    const list = owner === 'form' ? submissions.listByForm : submissions.listByProject;
    add({
      method: 'GET',
      path: `/${owner}s/:id/submissions`,
      operationId: owner === 'form' ? 'listFormSubmissions' : 'listProjectSubmissions',
      summary: `List the submissions of a ${owner}, newest first`,
      params: byId(`The ${owner}.`),
      query: SubmissionQuery,
      responses: { 200: SubmissionList },
      caller: gate.reader,
      async handle({ who, params, query }) {
        const filter = toFilter(who, query);
        const page = await list(who, params.id, filter, toPage(query, filter));
        const states = await included(who, query.include, page.items);
        if (isLarge(page)) await ownTurn();
        return jsonText(pageText(page, query.include, states));
      },
    });
  }

  add({
    method: 'GET',
    path: '/forms/:id/submissions/export',
    operationId: 'exportSubmissions',
    summary: 'Export all submissions of a form',
    params: byId('The id or the public_id of the form.'),
    query: ExportQuery,
    responses: { 200: ExportContent },
    caller: gate.reader,
    async handle({ who, params, query: { format = 'csv', bom, folder = null }, reply }) {
      if (bom !== undefined && format !== 'csv') {
        throw refuse.invalidBody([{ path: 'bom', message: 'only a CSV can start with a byte order mark' }]);
      }
      const { form } = await forms.get(who, params.id);
      const plain =
        format === 'csv'
          ? exports.csv(form.id, () => !reply.raw.destroyed, folder)
          : exports.jsonLines(form.id, (submission) => submissionText(submission), folder);
      const lines = bom === undefined ? plain : withByteOrderMark(plain);
      const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
      const stream = Readable.from(lines, { objectMode: false, highWaterMark: 256 * 1024 });
      return new Reply(200, new Raw(type, stream), {
        'content-disposition': `attachment; filename="${form.slug}.${format}"`,
      });
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
    caller: gate.reader,
    async handle({ who, params, query: { include } }) {
      const submission = await submissions.get(who, params.id);
      const states = await included(who, include, [submission]);
      return jsonText(submissionText(submission, include, states.get(submission.id)));
    },
  });

  add({
    method: 'POST',
    path: '/submissions/delete',
    operationId: 'deleteSubmissions',
    summary: 'Delete up to 100 submissions, each with its files and deliveries',
    body: DeleteSubmissions,
    responses: { 200: SubmissionsDeleted },
    caller: gate.writer,
    handle: async ({ who, body }) => ({ deleted: await submissions.deleteSome(who, body.ids) }),
  });

  add({
    method: 'DELETE',
    path: '/submissions/:id',
    operationId: 'deleteSubmission',
    summary: 'Delete a submission with its files and deliveries',
    params: ById,
    responses: { 204: null },
    caller: gate.writer,
    handle: ({ who, params }) => submissions.delete(who, params.id),
  });
}
