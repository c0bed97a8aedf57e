/** A visitor who submits a form, with full control over the headers and the loopback address they come from. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { multipartBody, type Part } from './bodies.js';
import { checkResponse } from './document-check.js';

export interface VisitorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  readonly body: any;
}

export interface Visit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** A local address to come from. All of 127.0.0.0/8 belongs to this machine. */
  readonly from?: string;
  /** The response is meant for clients of another service, so the document does not describe it. */
  readonly isForeign?: boolean;
}

export function visit(
  url: string,
  { method = 'POST', headers = {}, body, from, isForeign = false }: Visit,
): Promise<VisitorAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, {
      method,
      headers: headers as Record<string, string | string[]>,
      agent: false,
      ...(from === undefined ? {} : { localAddress: from }),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: received } = response;
        try {
          if (!isForeign)
            checkResponse({ method, url, status, type: received['content-type'] ?? null, text });
          resolve({ status, headers: received, text, body: parsed(text) });
        } catch (fault) {
          reject(fault);
        }
      });
    });
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** `fields` is JSON text, sent unchanged, or a value. */
export const postJson = (
  url: string,
  fields: unknown,
  headers: Headers = {},
  from?: string,
): Promise<VisitorAnswer> =>
  visit(url, {
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof fields === 'string' ? fields : JSON.stringify(fields),
    ...(from === undefined ? {} : { from }),
  });

export const postUrlencoded = (url: string, body: string, headers: Headers = {}): Promise<VisitorAnswer> =>
  visit(url, { headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body });

export const postMultipart = (
  url: string,
  parts: readonly Part[],
  headers: Headers = {},
  boundary = 'inlet-test-boundary',
): Promise<VisitorAnswer> =>
  visit(url, {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    body: multipartBody(boundary, parts),
  });

/** The Accept header that a browser sends with an `<form enctype="multipart/form-data">`. */
export const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
