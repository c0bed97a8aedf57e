/** How a management route is declared: the schema that checks the request is the one that documents it. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { TSchema } from 'typebox';
import { Problem } from '../contract/problem.js';
import { ownTurn } from '../kernel/pace.js';

export interface Route<Caller> {
  readonly method: HTTPMethods;
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** All of the body has defaults, so it may be left out. */
  readonly bodyMayBeAbsent?: boolean;
  /** Only where the longest valid body is larger than the default. */
  readonly maxBodyBytes?: number;
  readonly answers: Readonly<Record<number, TSchema>>;
  /** What opens it, for the document; `caller` is what really asks. An API key or a session, unless told otherwise. */
  readonly credential?: keyof typeof credentials;
  /** Error statuses beside 400, 401, 429, 403 where something is changed, and 413 where a body is taken: every route may answer those. */
  readonly errors?: readonly number[];
  /** Proves who asks. It runs before the request is even checked: a stranger learns nothing about our schemas. */
  readonly caller: (request: FastifyRequest) => Promise<Caller>;
  readonly handle: (call: Call<Caller>) => Promise<unknown>;
}

const credentials = {
  any: [{ apiKey: [] }, { session: [] }],
  session: [{ session: [] }],
  none: [],
} as const;

/** A body is held in memory and parsed in one go. */
const defaultBodyBytes = 128 * 1024;
const largeBodyBytes = 16 * 1024;
/** Of whom nobody knows: an address and a password. */
const mostStrangerBytes = 16 * 1024;

export interface Call<Caller> {
  readonly who: Caller;
  /** The `id` in the path; empty where there is none. */
  readonly id: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function route<Caller>(app: FastifyInstance, definition: Route<Caller>): void {
  const { params, query, body, maxBodyBytes, answers, errors = [] } = definition;
  // 403: a key that may only read, or a page of another site.
  const usual = definition.method === 'GET' ? [400, 401, 429] : [400, 401, 403, 429];
  if (body) usual.push(413);
  const problems = Object.fromEntries([...usual, ...errors].map((status) => [status, Problem]));
  const callers = new WeakMap<FastifyRequest, { proven: Caller }>();
  app.route({
    method: definition.method,
    url: definition.path,
    bodyLimit: definition.credential === 'none' ? mostStrangerBytes : (maxBodyBytes ?? defaultBodyBytes),
    schema: {
      summary: definition.summary,
      tags: [definition.tag],
      security: credentials[definition.credential ?? 'any'],
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(body ? { body } : {}),
      response: { ...problems, ...answers },
    },
    async onRequest(request, reply) {
      // Other people's data, by a cookie perhaps: no store on the way may keep it.
      reply.header('cache-control', 'no-store');
      callers.set(request, { proven: await definition.caller(request) });
    },
    async preValidation(request) {
      if (definition.bodyMayBeAbsent) request.body ??= {};
    },
    async handler(request, reply) {
      // Parsing and checking a large body takes up to 15 ms, and handling it as long again: not in one block.
      if (body && Number(request.headers['content-length'] ?? Infinity) > largeBodyBytes) await ownTurn();
      const caller = callers.get(request);
      if (!caller) throw new Error('The caller was not proven');
      const { id = '' } = request.params as { id?: string };
      return definition.handle({ who: caller.proven, id, request, reply });
    },
  });
}
