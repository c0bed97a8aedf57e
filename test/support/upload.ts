/** Multipart submissions with files, sent like a browser's script sends them. */
import { type Answer, request } from './client.js';

export interface Upload {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer> | string;
}

/** The smallest complete PNG: one transparent pixel. */
export const onePixelPng = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
);

export function submitFiles(
  endpoint: string,
  files: readonly Upload[],
  texts: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = new FormData();
  for (const [name, text] of Object.entries(texts)) body.append(name, text);
  for (const { field, filename, type, content } of files) {
    body.append(field, new Blob([content], { type }), filename);
  }
  return request(endpoint, { method: 'POST', headers: { accept: 'application/json', ...headers }, body });
}
