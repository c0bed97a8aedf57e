/** Declares management routes. The schemas that validate a request also type it, document it, and decide what its handler may return. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Media } from '../contract/shapes.js';
import { ownTurn } from '../kernel/pace.js';
import type { Permission } from '../model/permission.js';

/** A body that is sent as is: text stored byte for byte, a stream, or a function that writes the whole response. */
export class Raw<ContentType extends string> {
  constructor(
    readonly type: ContentType,
    readonly content: string | Buffer | Readable | ((response: ServerResponse) => void),
  ) {}
}

/** For a handler with several success statuses, or with headers. */
export class Reply<Status extends number, Body> {
  constructor(
    readonly status: Status,
    readonly body: Body,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** By status: a schema for JSON, media types for anything else, null for no body. */
export type Responses = Readonly<Record<number, TSchema | Media | null>>;

type RawOf<Type extends string> = Raw<Type | `${Type}; charset=utf-8`>;
type BodyOf<Declared> = Declared extends null
  ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler may end without a return
    void
  : Declared extends Media<infer Type>
    ? RawOf<Type>
    : Declared extends TSchema
      ? Static<Declared> | RawOf<'application/json'>
      : never;
type IsOne<T, All = T> = T extends unknown ? ([All] extends [T] ? true : false) : never;

/** What a handler may return. Where only one success status is declared, its body is enough. */
export type Result<R extends Responses> =
  | { [Status in keyof R & number]: Reply<Status, BodyOf<R[Status]>> }[keyof R & number]
  | (IsOne<keyof R & number> extends true ? BodyOf<R[keyof R & number]> : never);

/** What the OpenAPI document says about a route. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** A verb and a noun. Generated clients name functions after it, so it never changes. */
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** A body that the handler reads from the request as it arrives. No size limit is set for it here. */
  readonly streamedBody?: Media;
  /** Everything in the body has defaults, so it may be omitted. */
  readonly bodyMayBeAbsent?: boolean;
  readonly responses: Responses;
  /** The credential in the documentation; `caller` is what enforces it. An API key or a session by default. */
  readonly credential?: 'any' | 'session' | 'none' | 'token' | 'anyOrToken';
  /** The permission that the caller needs. Absent if the route is open, or about the signed-in user's own login. */
  readonly permission?: Permission;
  /** Error statuses besides those that every route has, see `openapi/operation.ts`. */
  readonly errors?: readonly number[];
}

export interface Route<
  Caller,
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema,
  R extends Responses,
> extends Omit<Operation, 'tag'> {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly responses: R;
  /** Only where the longest valid body is larger than the default. */
  readonly maxBodyBytes?: number;
  /** Authenticates the caller. Runs before validation: without a credential, a client learns nothing about our schemas. */
  readonly caller: (request: FastifyRequest) => Promise<Caller>;
  readonly handle: (call: Call<Caller, Static<Params>, Static<Query>, Static<Body>>) => Promise<Result<R>>;
}

export interface Call<Caller, Params, Query, Body> {
  readonly who: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  /** For cookies. The status, other headers and the body are what the handler returns. */
  readonly reply: FastifyReply;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** Bodies are buffered in memory and parsed in one go. */
const defaultBodyBytes = 128 * 1024;
const largeBodyBytes = 16 * 1024;
/** For routes without a credential: enough for an address and a password. */
const anonymousBodyBytes = 16 * 1024;

const None = Type.Object({});
type None = typeof None;

/** Validated by the framework before the handler runs. */
const checked = <Schema extends TSchema>(value: unknown): Static<Schema> => value as Static<Schema>;

/** Declares the routes of one group. */
export const routesOf =
  (app: FastifyInstance, tag: string) =>
  <
    Caller,
    R extends Responses,
    Params extends TObject = None,
    Query extends TObject = None,
    Body extends TSchema = None,
  >(
    definition: Route<Caller, Params, Query, Body, R>,
  ): void => {
    const { params, query, body, caller: prove, handle, maxBodyBytes, ...described } = definition;
    const callers = new WeakMap<FastifyRequest, { readonly proven: Caller }>();
    const [onlyStatus] = Object.keys(definition.responses).map(Number);
    app.route({
      method: definition.method,
      url: definition.path,
      bodyLimit: definition.credential === 'none' ? anonymousBodyBytes : (maxBodyBytes ?? defaultBodyBytes),
      config: {
        operation: {
          ...described,
          tag,
          ...(params && { params }),
          ...(query && { query }),
          ...(body && { body }),
        },
      },
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
      },
      async onRequest(request, reply) {
        // Private data, possibly by cookie: no cache on the way may store it.
        reply.header('cache-control', 'no-store');
        callers.set(request, { proven: await prove(request) });
      },
      async preValidation(request) {
        if (definition.bodyMayBeAbsent) request.body ??= {};
      },
      async handler(request, reply) {
        // Parsing and validating a large body takes up to 15 ms, and handling it as long again: do not block the event loop for both.
        if (body && Number(request.headers['content-length'] ?? Infinity) > largeBodyBytes) await ownTurn();
        const caller = callers.get(request);
        if (!caller) throw new Error('The caller was not proven');
        const result = await handle({
          who: caller.proven,
          params: checked<Params>(request.params),
          query: checked<Query>(request.query),
          body: checked<Body>(request.body),
          request,
          reply,
        });
        if (result instanceof Reply)
          return send(request, reply.status(result.status).headers(result.headers), result.body);
        return send(request, reply.status(onlyStatus ?? 200), result);
      },
    });
  };

function send(request: FastifyRequest, reply: FastifyReply, body: unknown): FastifyReply {
  if (!(body instanceof Raw)) return reply.send(body);
  reply.type(body.type);
  if (typeof body.content !== 'function') return reply.send(body.content);
  // The framework adds HEAD to every GET, and a response that writes itself may never end.
  if (request.method === 'HEAD') return reply.send();
  reply.hijack();
  body.content(reply.raw);
  return reply;
}
