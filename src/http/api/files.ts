/** /api/v1/files: metadata, the redirect to the bytes, the bytes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { FileFull, TokenQuery } from '../../contract/file.js';
import type { FileCredential, FileService } from '../../domain/files/service.js';
import { isoTime } from '../../kernel/clock.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import { attachmentHeaders } from '../attachment.js';
import { type Gate, presentedKey } from '../principal.js';
import { type Route, route } from '../route.js';

const ById = Type.Object({ id: Type.String() });
const idOf = (request: FastifyRequest): string => (request.params as { id: string }).id;

export function fileRoutes(
  app: FastifyInstance,
  { gate, files, baseUrl }: { gate: Gate; files: FileService; baseUrl: string },
): void {
  const linkTo = (file: StoredFile, leg: 'download' | 'content', token: string): string =>
    `${baseUrl}/api/v1/files/${file.id}/${leg}?token=${token}`;

  const toFull = (file: StoredFile): FileFull => ({
    id: file.id,
    submission_id: file.submissionId,
    form_id: file.formId,
    original_filename: file.filename,
    mime_type: file.mimeType,
    file_size_bytes: file.sizeBytes,
    file_category: file.category,
    field_name: file.fieldName,
    uploaded_at: isoTime(file.uploadedAt),
    download_url: linkTo(file, 'download', files.accessToken(file.id)),
  });

  /** A key in the header speaks before a token in the address. Neither: 401. */
  const credentialOf = async (...[request, reply]: Parameters<Gate['reader']>): Promise<FileCredential> => {
    const { token } = request.query as TokenQuery;
    if (token !== undefined && presentedKey(request) === null) return { kind: 'token', token };
    return { kind: 'principal', principal: await gate.reader(request, reply) };
  };

  const add = (definition: Route) => route(app, { tag: 'Files', ...definition });

  add({
    method: 'GET',
    path: '/files/:id',
    summary: 'Get the metadata of a file',
    params: ById,
    query: TokenQuery,
    answers: { 200: FileFull },
    errors: [403, 404, 410],
    handle: async (request, reply) =>
      toFull(await files.get(await credentialOf(request, reply), idOf(request))),
  });

  add({
    method: 'GET',
    path: '/files/:id/download',
    summary: 'Redirects to a short-lived signed URL of the content',
    params: ById,
    query: TokenQuery,
    answers: { 302: Type.Null() },
    errors: [403, 404, 410],
    async handle(request, reply) {
      const file = await files.get(await credentialOf(request, reply), idOf(request));
      return reply
        .header('cache-control', 'private, no-store')
        .redirect(linkTo(file, 'content', files.contentToken(file.id)), 302);
    },
  });

  add({
    method: 'GET',
    path: '/files/:id/content',
    summary: 'The content of a file, by the signed URL that the download redirects to',
    params: ById,
    query: TokenQuery,
    answers: { 200: Type.String({ format: 'binary' }) },
    errors: [403, 404, 410],
    async handle(request, reply) {
      const { token } = request.query as TokenQuery;
      if (token === undefined) throw refuse.invalidApiKey();
      const { file, read } = await files.openContent(token, idOf(request));
      return reply.headers(attachmentHeaders(file)).send(await read());
    },
  });

  add({
    method: 'DELETE',
    path: '/files/:id',
    summary: 'Delete a file; its id answers 410 from then on',
    params: ById,
    answers: { 204: Type.Null() },
    errors: [403, 404, 410],
    async handle(request, reply) {
      await files.delete(await gate.writer(request, reply), idOf(request));
      return reply.status(204).send();
    },
  });
}
