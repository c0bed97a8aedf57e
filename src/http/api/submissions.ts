/** /api/v1/submissions, the lists of forms and projects, and the export. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  DeleteSubmissions,
  ExportQuery,
  SubmissionFull,
  SubmissionList,
  SubmissionQuery,
  SubmissionsDeleted,
} from '../../contract/submission.js';
import type { FormService } from '../../domain/forms/service.js';
import type { SubmissionExport } from '../../domain/submissions/export.js';
import { searchWords } from '../../domain/submissions/search.js';
import type { SubmissionService } from '../../domain/submissions/service.js';
import { isoTime } from '../../kernel/clock.js';
import { ownTurn } from '../../kernel/pace.js';
import { refuse } from '../../model/errors.js';
import type { SubmissionFilter, SubmissionWithFiles } from '../../model/submission.js';
import type { Page, SubmissionPage } from '../../ports/store.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';
import { decodeCursor, encodeCursor } from './paging.js';

/** As JSON text, by hand: the data goes out as the bytes that were stored, in their order and with their numbers. */
export function submissionText({ metadata, ...submission }: SubmissionWithFiles): string {
  const files = submission.files.map((file) => ({
    id: file.id,
    field: file.fieldName,
    filename: file.filename,
    type: file.mimeType,
    size: file.sizeBytes,
  }));
  const rest = JSON.stringify({
    files,
    form_id: submission.formId,
    project_id: submission.projectId,
    metadata: { ip: metadata.ip, user_agent: metadata.userAgent, submitted_from: metadata.submittedFrom },
    created_at: isoTime(submission.createdAt),
  });
  return `{"id":"${submission.id}","data":${submission.data},${rest.slice(1)}`;
}

const pageText = ({ items, next }: SubmissionPage): string =>
  `{"data":[${items.map(submissionText).join(',')}],"next_cursor":${next === null ? 'null' : `"${encodeCursor(next)}"`}}`;

/** Writing out a mebibyte takes up to 10 ms, and the database may give several pages at once. */
const largePage = 64 * 1024;
const isLarge = ({ items }: SubmissionPage): boolean =>
  items.reduce((sum, { data }) => sum + data.length, 0) >= largePage;

const toFilter = ({ q, since, until, webhook_state }: SubmissionQuery): SubmissionFilter => ({
  words: q === undefined ? [] : searchWords(q),
  since: since === undefined ? null : Date.parse(since),
  until: until === undefined ? null : Date.parse(until),
  webhookState: webhook_state ?? null,
});

const toPage = ({ limit, cursor }: SubmissionQuery, { words }: SubmissionFilter): Page => ({
  limit: limit ?? 25,
  after: decodeCursor(cursor, words.length > 0 ? 'search' : 'list'),
});

const ById = Type.Object({ id: Type.String() });
const json = 'application/json; charset=utf-8';

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
  deps: { gate: Gate; submissions: SubmissionService; exports: SubmissionExport; forms: FormService },
): void {
  const { gate, submissions, exports, forms } = deps;
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) =>
    route(app, { tag: 'Submissions', ...definition });

  for (const owner of ['form', 'project'] as const) {
    const list = owner === 'form' ? submissions.listByForm : submissions.listByProject;
    add({
      method: 'GET',
      path: `/${owner}s/:id/submissions`,
      summary: `List the submissions of a ${owner}, newest first`,
      params: ById,
      query: SubmissionQuery,
      answers: { 200: SubmissionList },
      errors: [404],
      caller: gate.reader,
      async handle({ who, id, request, reply }) {
        const query = request.query as SubmissionQuery;
        const filter = toFilter(query);
        const page = await list(who, id, filter, toPage(query, filter));
        if (isLarge(page)) await ownTurn();
        return reply.type(json).send(pageText(page));
      },
    });
  }

  add({
    method: 'GET',
    path: '/forms/:id/submissions/export',
    summary: 'Export all submissions of a form',
    params: ById,
    query: ExportQuery,
    answers: { 200: Type.String() },
    errors: [404],
    caller: gate.reader,
    async handle({ who, id, request, reply }) {
      const { format = 'csv', bom } = request.query as ExportQuery;
      if (bom !== undefined && format !== 'csv') {
        throw refuse.invalidBody([{ path: 'bom', message: 'only a CSV can start with a byte order mark' }]);
      }
      const { form } = await forms.get(who, id);
      const plain =
        format === 'csv'
          ? exports.csv(form.id, () => !reply.raw.destroyed)
          : exports.jsonLines(form.id, submissionText);
      const lines = bom === undefined ? plain : withByteOrderMark(plain);
      return reply
        .header('content-type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
        .header('content-disposition', `attachment; filename="${form.slug}.${format}"`)
        .send(Readable.from(lines, { objectMode: false, highWaterMark: 256 * 1024 }));
    },
  });

  add({
    method: 'GET',
    path: '/submissions/:id',
    summary: 'Get a submission',
    params: ById,
    answers: { 200: SubmissionFull },
    errors: [404],
    caller: gate.reader,
    async handle({ who, id, reply }) {
      return reply.type(json).send(submissionText(await submissions.get(who, id)));
    },
  });

  add({
    method: 'POST',
    path: '/submissions/delete',
    summary: 'Delete up to 100 submissions, each with its files and deliveries',
    body: DeleteSubmissions,
    answers: { 200: SubmissionsDeleted },
    caller: gate.writer,
    async handle({ who, request }) {
      const { ids } = request.body as DeleteSubmissions;
      return { deleted: await submissions.deleteSome(who, ids) };
    },
  });

  add({
    method: 'DELETE',
    path: '/submissions/:id',
    summary: 'Delete a submission with its files and deliveries',
    params: ById,
    answers: { 204: Type.Null() },
    errors: [404],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      await submissions.delete(who, id);
      return reply.status(204).send();
    },
  });
}
