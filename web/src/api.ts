/**
 * The dashboard's client for /api/v1: relative URLs, session cookie, JSON. Error responses throw an ApiError. A request that finds the
 * session expired waits until the same user has signed in again, and is then sent once more.
 */
import { instancePath } from './page-facts.js';
import { renewalsSoFar, renewedSince } from './session-expiry.js';
import type { Problem } from './wire.js';
import * as common from './words/common.js';
import * as shell from './words/shell.js';

export type FieldFault = NonNullable<Problem['details']>[number];

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** 0: no response. */
    readonly status: number,
    /** The response's `error`, fit to display. */
    readonly error: string,
    /** For decisions in code. Empty when the response did not come from Inlet. */
    readonly code: string = '',
    readonly details: readonly FieldFault[] = [],
    readonly retryAfterSeconds: number | null = null,
    /** Further body fields that only some errors have. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(error);
  }
}

/** The URL of a path below /api/v1, also for links and images. */
export function apiUrl(path: string, query: Query = {}): string {
  const wanted = Object.entries(query).filter(
    (entry): entry is [string, string | number | boolean] =>
      entry[1] !== undefined && entry[1] !== null && entry[1] !== '',
  );
  const search = new URLSearchParams(wanted.map(([name, value]) => [name, String(value)]));
  return `${instancePath}/api/v1${path}${search.size > 0 ? `?${search}` : ''}`;
}

/** The session cookie is the only credential here, so the API's message about keys would mislead. */
const expiredCodes: readonly string[] = ['invalid_api_key', 'not_signed_in'];

export async function refusalOf(answer: Response): Promise<ApiError> {
  const problem: Partial<Problem> = await answer.json().catch(() => ({}));
  const retryAfter = Number(answer.headers.get('retry-after') ?? Number.NaN);
  const words = expiredCodes.includes(problem.code ?? '')
    ? [shell.sessionExpired]
    : [problem.error ?? shell.serverReturned(answer.status), problem.detail];
  return new ApiError(
    answer.status,
    words.filter((word) => word !== undefined).join(': '),
    problem.code,
    problem.details ?? [],
    Number.isFinite(retryAfter) ? retryAfter : null,
    problem,
  );
}

export interface Call {
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Requests on a connection that the network dropped silently never return. No read takes this long. */
const readTimeoutMs = 45_000;

async function send(method: string, path: string, options: Call): Promise<Response> {
  const { query, body, signal } = options;
  const slow = new AbortController();
  const timer = method === 'GET' ? setTimeout(() => slow.abort(), readTimeoutMs) : undefined;
  try {
    return await fetch(apiUrl(path, query), {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any(signal === undefined ? [slow.signal] : [slow.signal, signal]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, shell.notReached);
  } finally {
    clearTimeout(timer);
  }
}

async function contentOf<Answer>(answer: Response): Promise<Answer> {
  if (!answer.ok) throw await refusalOf(answer);
  const text = await answer.text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** Sends a request, and sends it again after the session was renewed. */
export async function withSession(sending: () => Promise<Response>): Promise<Response> {
  const renewals = renewalsSoFar();
  const answer = await sending();
  if (answer.status !== 401) return answer;
  const { code } = await refusalOf(answer.clone());
  // A wrong password also returns 401.
  return expiredCodes.includes(code) && (await renewedSince(renewals)) ? sending() : answer;
}

const call = async <Answer>(method: string, path: string, options: Call = {}): Promise<Answer> =>
  contentOf(await withSession(() => send(method, path, options)));

export const api = {
  get: <Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer> =>
    call('GET', path, { ...(query && { query }), ...(signal && { signal }) }),
  /** For responses that are not JSON. */
  getText: async (path: string, signal: AbortSignal): Promise<string> => {
    const answer = await withSession(() => send('GET', path, { signal }));
    if (!answer.ok) throw await refusalOf(answer);
    return answer.text();
  },
  /** Does not wait for a renewed session: an error is a valid result here. */
  peek: async <Answer>(path: string): Promise<Answer> => contentOf(await send('GET', path, {})),
  post: <Answer>(path: string, body?: unknown): Promise<Answer> => call('POST', path, { body }),
  put: <Answer>(path: string, body?: unknown): Promise<Answer> => call('PUT', path, { body }),
  patch: <Answer>(path: string, body?: unknown): Promise<Answer> => call('PATCH', path, { body }),
  delete: <Answer = void>(path: string, body?: unknown): Promise<Answer> => call('DELETE', path, { body }),
};

/** The message to show for anything thrown. */
export const wordsOf = (error: unknown): string =>
  error instanceof ApiError ? error.error : common.unexpected;
