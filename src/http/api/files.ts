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

/** Read before the query is checked, so it may still be anything. */
const tokenOf = (request: FastifyRequest): string | undefined => {
  const { token } = request.query as { token?: unknown };
  return typeof token === 'string' ? token : undefined;
};

const ById = Type.Object({ id: Type.String() });

export function fileRoutes(
  app: FastifyInstance,
  { gate, files, baseUrl }: { gate: Gate; files: FileService; baseUrl: string },
): void {
  const linkTo = (file: StoredFile, leg: 'download' | 'content', token: string): string =>
    `${baseUrl}/api/v1/files/${file.id}/${leg}?token=${token}`;

  const toFull = (file: StoredFile, token: string): FileFull => ({
    id: file.id,
    submission_id: file.submissionId,
    form_id: file.formId,
    original_filename: file.filename,
    mime_type: file.mimeType,
    file_size_bytes: file.sizeBytes,
    file_category: file.category,
    field_name: file.fieldName,
    uploaded_at: isoTime(file.uploadedAt),
    download_url: linkTo(file, 'download', token),
  });

  /** A key in the header speaks before a token in the address. Neither: 401. */
  const credentialOf = async (request: FastifyRequest): Promise<FileCredential> => {
    const token = tokenOf(request);
    if (token !== undefined && presentedKey(request) === null) return { kind: 'token', token };
    return { kind: 'principal', principal: await gate.reader(request) };
  };

  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) => route(app, { tag: 'Files', ...definition });

  add({
    method: 'GET',
    path: '/files/:id',
    summary: 'Get the metadata of a file',
    params: ById,
    query: TokenQuery,
    answers: { 200: FileFull },
    errors: [403, 404, 410],
    caller: credentialOf,
    async handle({ who, id }) {
      const file = await files.get(who, id);
      // Who came with a token gets that token: a link that leaked must not be able to renew itself.
      return toFull(file, who.kind === 'token' ? who.token : files.accessToken(file.id));
    },
  });

  add({
    method: 'GET',
    path: '/files/:id/download',
    summary: 'Redirects to a short-lived signed URL of the content',
    params: ById,
    query: TokenQuery,
    answers: { 302: Type.Null() },
    errors: [403, 404, 410],
    caller: credentialOf,
    async handle({ who, id, reply }) {
      const file = await files.get(who, id);
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
    // The token is the proof here, and the service checks it against the file.
    async caller(request) {
      const token = tokenOf(request);
      if (token === undefined) throw refuse.invalidApiKey();
      return token;
    },
    async handle({ who, id, reply }) {
      const { file, read } = await files.openContent(who, id);
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
    caller: gate.writer,
    async handle({ who, id, reply }) {
      await files.delete(who, id);
      return reply.status(204).send();
    },
  });
}
