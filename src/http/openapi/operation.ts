/** An operation as described in the OpenAPI document. */
import type { Operation } from '../route.js';
import { contentOf, type DeclaredResponses, jsonContent, responsesOf } from './responses.js';
import type { Schemas } from './schemas.js';
import type { Json, Part, Shared } from './shared.js';

/** An operation before it is known which of its parts are shared. */
type Draft = Json & { readonly parameters?: readonly Part[]; readonly responses: DeclaredResponses };
export type DraftPaths = Readonly<Record<string, Readonly<Record<string, Draft>>>>;

/** Errors that every route may return: the store and the bucket can be unavailable or full at any time. */
const usualErrors = ({ method, credential, params }: Operation): readonly number[] => [
  ...[400, 429, 503],
  ...(params ? [404] : []),
  // 403: a read-only key, or a page of another site.
  ...(credential === 'none' && method === 'GET' ? [] : [401, 403]),
  // Even a body that the route does not need is read up to the limit.
  ...(method === 'GET' ? [] : [408, 413]),
];

export const credentials: Readonly<Record<NonNullable<Operation['credential']>, readonly Json[]>> = {
  any: [{ apiKey: [] }, { session: [] }],
  session: [{ session: [] }],
  // The token is a parameter, not a scheme: generated clients would send the API key in its place, in the URL.
  token: [],
  anyOrToken: [{ apiKey: [] }, { session: [] }, {}],
  none: [],
};

/** Every resource has its own `id`: the one of `/forms/{id}` is `formId`. */
function sharedName(path: string, name: string): string {
  const [, resources] = /\/([a-z-]+)\/:id\b/.exec(path) ?? [];
  if (name !== 'id' || resources === undefined) return name;
  const resource = resources.replace(/ies$/, 'y').replace(/s$/, '');
  return `${resource.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())}Id`;
}

function parametersIn(place: 'path' | 'query', operation: Operation, schemas: Schemas): readonly Part[] {
  const schema = place === 'path' ? operation.params : operation.query;
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = schemas.of(property);
    const required = place === 'path';
    return {
      name: required ? sharedName(operation.path, name) : name,
      value: {
        name,
        in: place,
        ...(required && { required }),
        ...(description !== undefined && { description }),
        schema: rest,
      },
    };
  });
}

/** Parameters whose names match a pattern: an object whose members are parameters. */
function patternParameters(query: Operation['query']): readonly Part[] {
  const schema: { readonly type?: string; readonly patternProperties?: Readonly<Record<string, Json>> } =
    query ?? {};
  return Object.values(schema.patternProperties ?? {}).map(({ description, ...value }) => ({
    name: 'fields',
    value: {
      name: 'fields',
      in: 'query',
      style: 'form',
      explode: true,
      description,
      schema: { type: 'object', additionalProperties: value },
    },
  }));
}

export function draft(operation: Operation, schemas: Schemas): Draft {
  const { operationId, summary, tag, body, streamedBody, responses, errors = [] } = operation;
  const { credential = 'any' } = operation;
  return {
    operationId,
    summary,
    tags: [tag],
    parameters: [
      ...parametersIn('path', operation, schemas),
      ...parametersIn('query', operation, schemas),
      ...patternParameters(operation.query),
    ],
    ...(body && {
      requestBody: {
        required: operation.bodyMayBeAbsent !== true,
        content: jsonContent(schemas, body, 'request'),
      },
    }),
    ...(streamedBody && { requestBody: { required: true, content: contentOf(streamedBody) } }),
    responses: responsesOf(schemas, responses, [...usualErrors(operation), ...errors]),
    ...(credential !== 'any' && { security: credentials[credential] }),
    ...(operation.permission && { 'x-permission': operation.permission }),
  };
}

export function finished({ parameters = [], responses, ...rest }: Draft, shared: SharedParts): Json {
  return {
    ...rest,
    ...(parameters.length > 0 && { parameters: parameters.map((part) => shared.parameters.of(part)) }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, part]) => [status, shared.responses.of(part)]),
    ),
  };
}

export interface SharedParts {
  readonly parameters: Shared;
  readonly responses: Shared;
}
