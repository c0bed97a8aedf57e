/** Uploaded files for the tests of the file endpoints: sent, found again, and fetched with every byte. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { client, makeForm, request } from './client.js';
import { checkResponse } from './document-check.js';
import { submitFiles, type Upload } from './upload.js';

export const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';

export interface SentFile {
  readonly id: string;
  readonly submissionId: string;
  readonly formId: string;
  readonly projectId: string;
  /** The path of its metadata. The other legs are below it. */
  readonly path: string;
  readonly downloadUrl: string;
  readonly token: string;
}

/** One file in its own form. */
export async function sendFile(
  baseUrl: string,
  file: Partial<Upload> & { readonly content: Upload['content'] },
  key?: string,
): Promise<SentFile> {
  const form = await makeForm(baseUrl, key === undefined ? {} : { key });
  const sent = await submitFiles(form.endpoint, [
    { field: 'upload', filename: 'notes.txt', type: 'text/plain', ...file },
  ]);
  if (sent.status !== 200) throw new Error(`submission: ${sent.status} ${sent.text}`);
  const id: string = sent.body.files[0].id;
  const path = `/api/v1/files/${id}`;
  const { download_url: downloadUrl } = (await client(baseUrl, key).get(path)).body;
  return {
    id,
    submissionId: sent.body.submission_id,
    formId: form.formId,
    projectId: form.projectId,
    path,
    downloadUrl,
    token: tokenIn(downloadUrl),
  };
}

/** Where a download redirects to. `query` starts with `&`. */
export async function contentUrl(file: SentFile, query = ''): Promise<string> {
  const answer = await request(`${file.downloadUrl}${query}`);
  const location = answer.headers.get('location');
  if (answer.status !== 302 || location === null) throw new Error(`${answer.status} ${answer.text}`);
  return location;
}

export interface ByteResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends exactly these headers, and returns the response as it came: no redirects, no decompression, no cache. */
export function fetchBytes(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<ByteResponse> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        const bytes = Buffer.concat(chunks);
        const type = received['content-type'] ?? null;
        try {
          checkResponse({ method, url, status, type, text: bytes.toString('latin1') });
          resolve({ status, headers: received, bytes });
        } catch (fault) {
          reject(fault);
        }
      });
    });
    sent.end();
  });
}

export const problemIn = ({ status, bytes }: ByteResponse): unknown => ({
  status,
  ...JSON.parse(bytes.toString('utf8')),
});
