/** The responses of an operation: its successes, and the errors that it shares with others. */
import type { TSchema } from 'typebox';
import { Problem } from '../../contract/problem.js';
import { Media, nameOf } from '../../contract/shapes.js';
import { type ErrorCode, errorCatalogue } from '../../model/error-catalogue.js';
import { statusOfKind } from '../problem.js';
import type { Responses } from '../route.js';
import { exampleOf } from './examples.js';
import type { Schemas } from './schemas.js';
import type { Json, Part } from './shared.js';

/** Declared as one response in the management API. Otherwise each operation would list all of them, in the same words. */
const usualStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 408, 413, 429]);

interface ErrorResponse {
  readonly name: string;
  readonly example: ErrorCode;
  readonly description: string;
}

const own = (name: string, example: ErrorCode, description: string): [string, ErrorResponse] => [
  String(statusOfKind(errorCatalogue[example].kind)),
  { name, example, description },
];

const errorResponses: ReadonlyMap<string, ErrorResponse> = new Map([
  [
    '4XX',
    {
      name: 'Rejected',
      example: 'invalid_body',
      description:
        'The request is invalid (400), its credential is missing or invalid (401), the caller may not do this (403), nothing ' +
        'with its id exists (404), it came too slowly (408), exceeds `limit` or `limit_bytes` (413), or is one too many (429; `Retry-After` says when to retry). ' +
        '`code`, `detail` or `details` say why.',
    },
  ],
  [
    '5XX',
    {
      name: 'Unavailable',
      example: 'service_busy',
      description:
        'The service is busy (503), has no space left (507) or failed (500); for the first two, `Retry-After` says when to retry.',
    },
  ],
  own('Invalid', 'invalid_body', 'The request is invalid; `code`, `detail` or `details` say why.'),
  own('Forbidden', 'origin_not_allowed', 'The form does not accept this; `code` says why.'),
  own('NotFound', 'form_not_found', 'There is no such form.'),
  own('RequestTimeout', 'body_too_slow', 'The request came too slowly.'),
  own('TooLarge', 'body_too_large', 'A limit was exceeded: `limit` or `limit_bytes`.'),
  own('RateLimited', 'rate_limited', 'Too many requests; `Retry-After` says when to retry.'),
  own('PaymentRequired', 'file_uploads_not_in_plan', 'The plan does not include this.'),
  own('MethodNotAllowed', 'method_not_allowed', 'The form has no hosted page.'),
  own('Conflict', 'delivery_in_flight', 'The current state does not allow this; `code` says why.'),
  own('Gone', 'file_deleted', 'The file has been deleted.'),
  own('PreconditionFailed', 'precondition_failed', 'The file is not the one the request names.'),
  own('RangeNotSatisfiable', 'range_not_satisfiable', 'The file has no such range.'),
  own('Unprocessable', 'image_broken', 'The image cannot be transformed; `code` says why.'),
]);

const declaredAs = (status: number, eachAlone: boolean): string => {
  if (status >= 500) return '5XX';
  return usualStatuses.has(status) && !eachAlone ? '4XX' : String(status);
};

const successes: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; no body',
  206: 'A range of the content',
  302: 'Redirect to the content',
  303: 'Stored; redirect to the success page',
  304: 'The client already has the content',
};

export const contentOf = ({ types, schema, example }: Media): Json =>
  Object.fromEntries(types.map((type, index) => [type, { schema, ...(index === 0 && { example }) }]));

export const jsonContent = (schemas: Schemas, schema: TSchema, way: 'request' | 'response'): Json => ({
  'application/json': { schema: schemas.of(schema), example: exampleOf(schema, way) },
});

/** `page`: a browser that navigates, or a script that shows HTML, gets HTML instead of JSON. */
function problem(schemas: Schemas, status: string, page: boolean): Part {
  const response = errorResponses.get(status);
  if (!response) throw new Error(`There is no error response for ${status}`);
  const { name, example, description } = response;
  const { text } = errorCatalogue[example];
  return {
    name: `${name}${page ? 'OrPage' : ''}`,
    always: true,
    value: {
      description,
      ...(description.includes('`Retry-After`') && {
        headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
      }),
      content: {
        'application/json': { schema: schemas.of(Problem), example: { error: text, code: example } },
        ...(page && { 'text/html': { schema: { type: 'string' } } }),
      },
    },
  };
}

function success(schemas: Schemas, status: number, declared: Responses[number]): Part {
  const description = successes[status] ?? 'OK';
  if (declared === null || declared === undefined) return { name: null, value: { description } };
  if (declared instanceof Media)
    return { name: declared.name, value: { description, content: contentOf(declared) } };
  const name = nameOf(declared) ?? null;
  return {
    name: name !== null && status !== 200 ? `${name}${description}` : name,
    value: { description, content: jsonContent(schemas, declared, 'response') },
  };
}

export type DeclaredResponses = Readonly<Record<string, Part>>;

export function responsesOf(
  schemas: Schemas,
  declared: Responses,
  errors: readonly number[],
  { page = false, eachAlone = false } = {},
): DeclaredResponses {
  const statuses = Object.keys(declared).map(Number);
  const names = new Set(errors.map((status) => declaredAs(status, eachAlone)));
  return Object.fromEntries([
    ...statuses.map((status) => [status, success(schemas, status, declared[status] ?? null)]),
    ...[...names].map((status) => [status, problem(schemas, status, page)]),
  ]);
}
