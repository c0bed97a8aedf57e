/** How a management route is declared: the schema that checks the request is the one that documents it. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { TSchema } from 'typebox';
import { Problem } from '../contract/problem.js';

export interface Route {
  readonly method: HTTPMethods;
  readonly path: string;
  readonly summary: string;
  readonly tag?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly answers: Readonly<Record<number, TSchema>>;
  /** Error statuses beside 400, 401 and 429, which every route may answer. */
  readonly errors?: readonly number[];
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

export function route(app: FastifyInstance, definition: Route): void {
  const { params, query, body, answers, errors = [] } = definition;
  const problems = Object.fromEntries([400, 401, 429, ...errors].map((status) => [status, Problem]));
  app.route({
    method: definition.method,
    url: definition.path,
    schema: {
      summary: definition.summary,
      tags: definition.tag === undefined ? [] : [definition.tag],
      security: [{ apiKey: [] }],
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(body ? { body } : {}),
      response: { ...problems, ...answers },
    },
    handler: definition.handle,
  });
}
