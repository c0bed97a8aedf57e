/** /api/v1/files: metadata, the redirect to the content, signed links, the content, previews. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  ContentQuery,
  FileContent,
  FileFull,
  FilePreview,
  SignedUrl,
  TokenQuery,
} from '../../contract/file.js';
import { SignedUrlRequest, type TransformationBody } from '../../contract/image.js';
import { byId } from '../../contract/shapes.js';
import type { FileCredential, FileService } from '../../domain/files/service.js';
import { isoTime } from '../../kernel/clock.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import { defaultQuality, type Transformation } from '../../model/image.js';
import { attachmentHeaders, attachmentTerms, pdfPreviewHeaders } from '../attachment.js';
import { byteResponseHeaders, decideByteResponse } from '../byte-response.js';
import { type Gate, presentedKey } from '../principal.js';
import { Raw, Reply, routesOf } from '../route.js';
import { sentOnly } from './sent.js';

/** Read before the query is validated, so it may be a list. */
const tokenOf = ({ query }: FastifyRequest): string | undefined => {
  if (typeof query !== 'object' || query === null || !('token' in query)) return undefined;
  if (typeof query.token === 'string') return query.token;
  throw refuse.invalidBody([{ path: 'token', message: 'must be given once' }]);
};

const ById = byId('The file.');

/** Returns null when no transformation was requested: the file as uploaded. */
function toTransformation(fields: TransformationBody): Transformation | null {
  const { w, h, fit, q, f } = fields;
  if ([w, h, fit, q, f].every((value) => value === undefined)) return null;
  return {
    width: w ?? null,
    height: h ?? null,
    fit: fit ?? 'cover',
    quality: q ?? defaultQuality,
    format: f ?? null,
  };
}

const transformationOf = ({ w, h, fit, q, f }: ContentQuery): Transformation | null => {
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return toTransformation(sentOnly({ w: number(w), h: number(h), fit, q: number(q), f }));
};

const transformationOfBody = ({
  expires_in: _,
  transformation,
  ...beside
}: SignedUrlRequest): Transformation | null => {
  if (transformation && Object.keys(beside).length > 0) {
    throw refuse.invalidBody([
      { path: 'transformation', message: 'must not be given beside w, h, fit, q or f' },
    ]);
  }
  return toTransformation(transformation ?? beside);
};

/** The query parameters of a link to this transformation. */
function queryOf(transformation: Transformation | null): string {
  if (!transformation) return '';
  const { width: w, height: h, fit, quality: q, format: f } = transformation;
  const given = Object.entries({ w, h, fit, q, f }).filter(([, value]) => value !== null);
  return given.map(([name, value]) => `&${name}=${value}`).join('');
}

export function fileRoutes(
  app: FastifyInstance,
  { gate, files, baseUrl }: { gate: Gate; files: FileService; baseUrl: string },
): void {
  const linkTo = (
    id: string,
    leg: 'download' | 'content',
    token: string,
    transformation: Transformation | null,
  ) => `${baseUrl}/api/v1/files/${id}/${leg}?token=${token}${queryOf(transformation)}`;

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
    download_url: linkTo(file.id, 'download', token, null),
  });

  const reader = gate.may('files.read');
  /** A key in the header takes precedence over a token in the URL. Without either, a session is needed. */
  const credentialOf = async (request: FastifyRequest): Promise<FileCredential> => {
    const token = presentedKey(request) === null ? tokenOf(request) : undefined;
    if (token !== undefined) return { kind: 'token', token, origin: gate.originOf(request) };
    return { kind: 'principal', principal: await reader.caller(request) };
  };

  const add = routesOf(app, 'Files');

  add({
    method: 'GET',
    path: '/files/:id',
    operationId: 'getFile',
    summary: 'Get the metadata of a file',
    params: ById,
    query: TokenQuery,
    credential: 'anyOrToken',
    responses: { 200: FileFull },
    errors: [410],
    permission: reader.permission,
    caller: credentialOf,
    async handle({ who, params }) {
      const file = await files.get(who, params.id);
      // A caller with a token gets the same token back: a leaked link must not be able to renew itself.
      return toFull(file, who.kind === 'token' ? who.token : files.accessToken(file.id));
    },
  });

  add({
    method: 'GET',
    path: '/files/:id/download',
    operationId: 'downloadFile',
    summary: 'Redirect to a short-lived signed URL of the content; images in any size and format',
    params: ById,
    query: ContentQuery,
    credential: 'anyOrToken',
    // 200: what a client that follows the redirect gets.
    responses: { 200: FileContent, 302: null },
    errors: [402, 410, 422],
    permission: reader.permission,
    caller: credentialOf,
    async handle({ who, params: { id }, query, request }) {
      const transformation = transformationOf(query);
      // Links of the blob store are signed for GET only.
      const present = request.method === 'GET' ? attachmentTerms : null;
      const found = await files.download(who, id, transformation, present);
      const url = found.kind === 'link' ? found.url : linkTo(id, 'content', found.token, transformation);
      return new Reply(302, undefined, { location: url, 'cache-control': 'private, no-store' });
    },
  });

  add({
    method: 'POST',
    path: '/files/:id/signed-url',
    operationId: 'createSignedUrl',
    summary:
      'Create a link that others can download with until it expires, bound to a transformation if one is given',
    params: ById,
    body: SignedUrlRequest,
    bodyMayBeAbsent: true,
    responses: { 200: SignedUrl },
    errors: [402, 410],
    ...gate.may('files.manage'),
    async handle({ who, params: { id }, body }) {
      const transformation = transformationOfBody(body);
      const lifeMs = body.expires_in === undefined ? null : body.expires_in * 1000;
      const { token, expiresAt } = await files.share(who, id, transformation, lifeMs);
      return { url: linkTo(id, 'download', token, transformation), expires_at: isoTime(expiresAt) };
    },
  });

  add({
    method: 'GET',
    path: '/files/:id/content',
    operationId: 'getFileContent',
    summary: 'Get the content of a file, by the signed URL that the download redirects to',
    params: ById,
    query: ContentQuery,
    credential: 'token',
    responses: { 200: FileContent, 206: FileContent, 304: null },
    errors: [410, 412, 416, 422],
    // The token is the credential here; the service checks it against the file.
    async caller(request) {
      const token = tokenOf(request);
      if (token === undefined) throw refuse.invalidApiKey();
      return token;
    },
    async handle({ who, params, query, request, reply }) {
      const content = await files.open(who, params.id, transformationOf(query));
      const bytes = {
        etag: `"${content.sha256}"`,
        modifiedAt: content.modifiedAt,
        sizeBytes: content.sizeBytes,
      };
      const answer = decideByteResponse(request.headers, bytes, request.method);
      // Errors have these headers too: they show the client which bytes exist.
      reply.headers(byteResponseHeaders(answer, bytes));
      if (answer.status === 412) throw refuse.preconditionFailed();
      if (answer.status === 416) throw refuse.rangeNotSatisfiable(content.sizeBytes);
      const headers = attachmentHeaders(content);
      if (answer.status === 304) return new Reply(304, undefined, headers);
      // HEAD gets an empty stream: without a stream the framework would send a content length of 0.
      const isHead = request.method === 'HEAD';
      const range = answer.status === 206 ? answer.range : undefined;
      const stream = isHead ? Readable.from([]) : await content.read(range);
      return new Reply(answer.status, new Raw(attachmentTerms(content).contentType, stream), headers);
    },
  });

  add({
    method: 'GET',
    path: '/files/:id/preview',
    operationId: 'previewFile',
    summary: 'Get a PDF to show in the dashboard, or the first 64 KiB of a text as plain text',
    params: ById,
    responses: { 200: FilePreview },
    errors: [410],
    ...gate.may('files.read'),
    async handle({ who, params }) {
      const preview = await files.preview(who, params.id);
      const { content } = preview;
      if (preview.kind === 'pdf')
        return new Reply(200, new Raw('application/pdf', await content.read()), pdfPreviewHeaders(content));
      const type = 'text/plain; charset=utf-8';
      return new Reply(200, new Raw(type, preview.text), {
        ...attachmentHeaders(content),
        'content-type': type,
      });
    },
  });

  add({
    method: 'DELETE',
    path: '/files/:id',
    operationId: 'deleteFile',
    summary: 'Delete a file; its id returns 410 from then on',
    params: ById,
    responses: { 204: null },
    errors: [410],
    ...gate.may('files.manage'),
    handle: ({ who, params }) => files.delete(who, params.id),
  });
}
