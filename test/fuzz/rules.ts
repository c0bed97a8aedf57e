/** What must hold for every response to every request. A fault is reported as `rule: what was seen`. */
import { insideLook } from '../support/inside-look.js';
import type { FuzzCase } from './case.js';
import type { Exchange, HttpAnswer } from './exchange.js';

export interface Rules {
  /** The target documents 503 for being busy: a codec or a password hash that has to wait. */
  readonly mayBeBusy?: boolean;
}

/** Text that only a page without escaping would repeat unchanged. */
export const marker = '<fuzz onload=x>';

/** Every rejection in the catalogue, `src/http/problem.ts`. 414 and 505 are the platform's own and are not used. */
const refusals = new Set([400, 401, 402, 403, 404, 405, 408, 409, 410, 412, 413, 416, 417, 422, 429, 431]);

/** The fields that an error body may have besides `error` and `code`, interface 7 and decisions. */
const extraFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  detail: (value) => typeof value === 'string' && /\S/.test(value),
  details: (value) =>
    Array.isArray(value) &&
    value.every(
      (fault) => Object.keys(fault).sort().join() === 'message,path' && /\S/.test(String(fault.message)),
    ),
  limit: Number.isInteger,
  limit_bytes: Number.isInteger,
  limit_pixels: Number.isInteger,
  file_size_bytes: Number.isInteger,
  retry_after: (value) => Number.isInteger(value) && Number(value) > 0,
  upgrade_url: (value) => URL.canParse(String(value)),
  your_ip: (value) => typeof value === 'string',
};

export function judgeExchange(fuzzCase: FuzzCase, seen: Exchange, rules: Rules): string | null {
  if (seen.end === 'unreachable') return 'unreachable: nobody listens';
  if (seen.end === 'hung') return 'hang: neither an answer nor a close';
  if (seen.malformed !== null) return `malformed: ${seen.malformed}`;
  if (seen.end === 'silent' && fuzzCase.framing !== 'as written') return 'silent: closed without an answer';
  for (const answer of seen.answers) {
    const fault = judgeAnswer(fuzzCase, answer, rules);
    if (fault !== null) return fault;
  }
  return null;
}

function judgeAnswer(fuzzCase: FuzzCase, answer: HttpAnswer, rules: Rules): string | null {
  const { status, headers } = answer;
  if (status >= 500) {
    if (status !== 503 || rules.mayBeBusy !== true) return `status: ${status} ${excerpt(answer)}`;
    if (!/^\d+$/.test(headers.get('retry-after') ?? '')) return 'status: 503 without Retry-After';
  } else if (status >= 400 && !refusals.has(status)) {
    return `status: ${status} is none of the catalogue`;
  }
  if (status >= 400 && fuzzCase.method !== 'HEAD') {
    const fault = judgeProblem(fuzzCase, answer);
    if (fault !== null) return fault;
  }
  return judgeContent(fuzzCase, answer) ?? judgeHeaders(answer);
}

function judgeProblem(fuzzCase: FuzzCase, answer: HttpAnswer): string | null {
  const type = answer.headers.get('content-type') ?? '';
  const accept = fuzzCase.headers.filter((line) => /^accept:/i.test(line)).join();
  if (type.startsWith('text/html') && /text\/html/i.test(accept)) return null;
  if (type !== 'application/json; charset=utf-8') return `error form: its type is ${type}`;
  const body = jsonIn(answer);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return `error form: ${excerpt(answer)}`;
  const { error, code, ...extra } = body as Record<string, unknown>;
  if (typeof error !== 'string' || !/\S/.test(error)) return `error form: no text in ${excerpt(answer)}`;
  if (typeof code !== 'string' || !/^[a-z_]+$/.test(code)) return `error form: no code in ${excerpt(answer)}`;
  for (const [name, value] of Object.entries(extra)) {
    if (extraFields[name]?.(value) !== true) return `error form: ${name} in ${excerpt(answer)}`;
  }
  if (answer.status === 429 && !/^\d+$/.test(answer.headers.get('retry-after') ?? ''))
    return 'error form: 429 without Retry-After';
  // Names sent by the client may be repeated to it. Internals must not be revealed.
  const told = JSON.stringify({ error, detail: extra.detail ?? null });
  return insideLook.test(told) ? `inside look: ${excerpt(answer)}` : null;
}

const active = /html|xml|svg|script|ecma|mathml|multipart|flash|pdf|mhtml/i;

function judgeContent(fuzzCase: FuzzCase, { status, headers, body }: HttpAnswer): string | null {
  if (body.length === 0) return null;
  const type = headers.get('content-type');
  if (type === undefined) return 'content: a body without a type';
  const isDownload = /^attachment\b/.test(headers.get('content-disposition') ?? '');
  const policy = headers.get('content-security-policy') ?? '';
  const isUploaded = /^\/api\/v1\/files\/[^/?]*\/content/.test(fuzzCase.path) && status < 400;
  if (isUploaded || (isDownload && active.test(type))) {
    if (!isDownload || !/sandbox/.test(policy)) return `content: ${type} is not handed out as a download`;
    if (headers.get('x-content-type-options') !== 'nosniff') return `content: ${type} may be sniffed`;
    return null;
  }
  if (!active.test(type)) return null;
  if (!/^text\/html\b/.test(type))
    return /^(text|application)\/javascript\b/.test(type) ? null : `content: ${type}`;
  if (!/default-src 'none'|default-src 'self'/.test(policy)) return 'content: a page without a policy';
  return body.includes('<fuzz') ? 'content: a page repeats what an outsider wrote' : null;
}

function judgeHeaders({ status, headers }: HttpAnswer): string | null {
  const location = headers.get('location');
  if ([301, 302, 303, 307, 308].includes(status) && location === undefined) return 'location: there is none';
  if (location !== undefined && !/^[\x21-\x7e]+$/.test(location))
    return `location: ${JSON.stringify(location)}`;
  return null;
}

export function jsonIn(answer: HttpAnswer | undefined): unknown {
  try {
    return JSON.parse(answer?.body.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}

const excerpt = (answer: HttpAnswer): string => JSON.stringify(answer.body.toString('utf8', 0, 200));
