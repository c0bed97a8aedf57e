/** /openapi.json, generated from the schemas that check the requests. */
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { Problem } from '../contract/problem.js';
import { Media, nameOf } from '../contract/shapes.js';
import { FormAccess, SubmissionAccepted } from '../contract/submission.js';
import { type ErrorCode, errorCatalogue } from '../model/error-catalogue.js';
import type { RefusalKind } from '../model/error-entry.js';
import { permissions } from '../model/permission.js';
import { type PackedBody, packBody, sendPacked } from './content-coding.js';
import { sessionCookieName } from './cookies.js';
import { exampleOf } from './examples.js';
import { statusOfKind } from './problem.js';
import type { Operation, Responses } from './route.js';

type Json = Readonly<Record<string, unknown>>;

/** Error responses, each once for all operations: an example, and what they mean. */
const problems: Readonly<Partial<Record<RefusalKind, readonly [ErrorCode, string]>>> = {
  invalid: ['invalid_body', 'The request is invalid; `code`, `detail` or `details` say why.'],
  unauthenticated: ['invalid_api_key', 'The credential is missing or invalid.'],
  payment_required: ['file_uploads_not_in_plan', 'The plan does not include this.'],
  forbidden: ['read_only_api_key', 'The caller may not do this; `code` says why.'],
  not_found: ['form_not_found', 'Nothing with this id exists.'],
  request_timeout: ['body_too_slow', 'The request came too slowly.'],
  conflict: ['delivery_in_flight', 'The current state does not allow this; `code` says why.'],
  gone: ['file_deleted', 'The file has been deleted.'],
  method_not_allowed: ['method_not_allowed', 'The form has no hosted page.'],
  precondition_failed: ['precondition_failed', 'The file is not the one the request names.'],
  too_large: ['body_too_large', 'A limit was exceeded: `limit` or `limit_bytes`.'],
  range_not_satisfiable: ['range_not_satisfiable', 'The file has no such range.'],
  unprocessable: ['image_broken', 'The image cannot be transformed; `code` says why.'],
  rate_limited: ['rate_limited', 'Too many requests; `Retry-After` says when to retry.'],
  unavailable: [
    'service_busy',
    'The service is busy (503), has no space left (507) or failed (500); for the first two, `Retry-After` says when to retry.',
  ],
};

/** Failures of the service are declared as one: no operation has others than the rest, and each would name three. */
const declaredAs = (status: number): string => (status >= 500 ? '5XX' : String(status));

const problemByStatus = new Map(
  Object.values(problems).map((problem) => [
    declaredAs(statusOfKind(errorCatalogue[problem[0]].kind)),
    problem,
  ]),
);
const componentName = (kind: RefusalKind): string =>
  kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What every route may respond: the store and the bucket can be unavailable or full at any time. */
const usualErrors = ({ method, credential, params }: Operation): readonly number[] => [
  ...[400, 429, 503],
  ...(params ? [404] : []),
  // 403: a key that may only read, or a page of another site.
  ...(credential === 'none' && method === 'GET' ? [] : [401, 403]),
  // Also a body that nobody asked for is read up to the limit.
  ...(method === 'GET' ? [] : [408, 413]),
];

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

const credentials: Readonly<Record<NonNullable<Operation['credential']>, readonly Json[]>> = {
  any: [{ apiKey: [] }, { session: [] }],
  session: [{ session: [] }],
  // The token is a parameter, not a scheme: generated clients would send the API key in its place, in the address.
  token: [],
  anyOrToken: [{ apiKey: [] }, { session: [] }, {}],
  none: [],
};

const tags: Readonly<Record<string, string>> = {
  Submitting: 'Send a form. No API key is needed.',
  Projects: 'A project is a container for forms.',
  Forms: 'A form has a public endpoint and settings.',
  Submissions: 'Read, search, export and delete what was submitted.',
  Inbox: 'Move, read, star, assign, label and annotate submissions; save views of them.',
  Spam: 'Review submissions that the honeypot caught.',
  Destinations: 'Send submissions to webhooks, e-mail addresses, chats and sheets.',
  Deliveries: 'Follow webhooks, retry them, test them.',
  Files: 'Download and share uploaded files; resize and convert images.',
  Persons: 'Find, export and erase what is stored of somebody whose data was submitted.',
  'E-mail': 'Addresses that get no more messages, and replies that were not sent.',
  Statistics: 'Counts by day, rejected requests, live events, the state of the instance.',
  Account: 'Plan, limits, API keys and users.',
  Sessions: 'Sign in to the dashboard.',
  'Audit log': 'Who changed settings, and who saw or exported what people sent.',
};

const contentOf = ({ types, schema, example }: Media): Json =>
  Object.fromEntries(types.map((type, index) => [type, { schema, ...(index === 0 && { example }) }]));

/** Copies schemas and leaves references where they have names. */
class Components {
  readonly schemas: Record<string, unknown> = {};
  readonly responses: Record<string, unknown> = {};

  schema(schema: TSchema): Json {
    const name = nameOf(schema);
    if (name === undefined) return this.#copy(schema);
    this.schemas[name] ??= this.#copy(schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  #copy(schema: TSchema): Json {
    const copied = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(copied);
      return typeof value === 'object' && value !== null ? this.schema(value) : value;
    };
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, copied(value)]));
  }

  /** `page`: a browser that navigates, or a script that shows HTML, gets HTML instead of JSON. */
  problem(status: string, page: boolean): Json {
    const problem = problemByStatus.get(status);
    if (!problem) throw new Error(`There is no error response for ${status}`);
    const [code, description] = problem;
    const { kind, text } = errorCatalogue[code];
    const name = `${componentName(kind)}${page ? 'OrPage' : ''}`;
    const retries = description.includes('Retry-After');
    this.responses[name] ??= {
      description,
      ...(retries && {
        headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
      }),
      content: {
        'application/json': {
          schema: this.schema(Problem),
          example: { error: text, code },
        },
        ...(page && { 'text/html': { schema: { type: 'string' } } }),
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  json(schema: TSchema, way: 'request' | 'response'): Json {
    return { 'application/json': { schema: this.schema(schema), example: exampleOf(schema, way) } };
  }

  #success(status: number, declared: Responses[number]): Json {
    const description = successes[status] ?? 'OK';
    if (declared === null || declared === undefined) return { description };
    if (!(declared instanceof Media)) return { description, content: this.json(declared, 'response') };
    return { description, content: contentOf(declared) };
  }

  responsesOf(declared: Responses, errors: readonly number[], { page = false } = {}): Json {
    const statuses = Object.keys(declared).map(Number);
    return Object.fromEntries([
      ...statuses.map((status) => [status, this.#success(status, declared[status] ?? null)]),
      ...[...new Set(errors.map(declaredAs))].map((status) => [status, this.problem(status, page)]),
    ]);
  }
}

function parametersOf({ params, query }: Operation, components: Components): readonly Json[] {
  const parametersIn = (place: 'path' | 'query', schema: Operation['query']): readonly Json[] =>
    Object.entries(schema?.properties ?? {}).map(([name, property]) => {
      const { description, ...rest } = components.schema(property);
      const required = place === 'path';
      return {
        name,
        in: place,
        ...(required && { required }),
        ...(description !== undefined && { description }),
        schema: rest,
      };
    });
  return [...parametersIn('path', params), ...parametersIn('query', query), ...patternParameters(query)];
}

/** Parameters whose names follow a pattern: an object, each of whose members is a parameter of its own. */
function patternParameters(query: Operation['query']): readonly Json[] {
  const schema: { readonly type?: string; readonly patternProperties?: Readonly<Record<string, Json>> } =
    query ?? {};
  return Object.values(schema.patternProperties ?? {}).map(({ description, ...value }) => ({
    name: 'fields',
    in: 'query',
    style: 'form',
    explode: true,
    description,
    schema: { type: 'object', additionalProperties: value },
  }));
}

function describe(operation: Operation, components: Components): Json {
  const { operationId, summary, tag, body, streamedBody, responses, errors = [] } = operation;
  const { credential = 'any' } = operation;
  const parameters = parametersOf(operation, components);
  return {
    operationId,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: operation.bodyMayBeAbsent !== true,
        content: components.json(body, 'request'),
      },
    }),
    ...(streamedBody && { requestBody: { required: true, content: contentOf(streamedBody) } }),
    responses: components.responsesOf(responses, [...usualErrors(operation), ...errors]),
    ...(credential !== 'any' && { security: credentials[credential] }),
    ...(operation.permission && { 'x-permission': operation.permission }),
  };
}

const formId = {
  name: 'form_id',
  in: 'path',
  required: true,
  description: 'The public_id of the form, or one of its aliases.',
  schema: { type: 'string' },
};
const header = (name: string, description: string, schema: Json = {}): Json => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
});

const Challenge: TSchema = {
  type: 'object',
  required: ['parameters', 'signature'],
  properties: {
    parameters: { type: 'object', additionalProperties: true },
    signature: { type: 'string' },
  },
};

const fields = { type: 'object', additionalProperties: true };
const HostedPage = new Media(['text/html'], { type: 'string' }, '<!doctype html><title>Contact</title>');
const SuccessPage = new Media(['text/html'], { type: 'string' }, '<!doctype html><title>Thank you</title>');

/** The submission endpoint does not run in the framework (docs/adr/0004), so its entries are written here. */
function submittingPaths(components: Components): Readonly<Record<string, Json>> {
  const errors = [400, 402, 403, 404, 408, 409, 413, 422, 429, 503];
  return {
    '/f/{form_id}': {
      get: {
        operationId: 'showHostedPage',
        tags: ['Submitting'],
        summary: 'Show the hosted page of a form',
        description:
          'A page with the form, made from its `fields`; only if `hosted_page` is on. Query parameters with the names of fields fill ' +
          'them in, and `_language` chooses the language.',
        parameters: [formId],
        responses: components.responsesOf({ 200: HostedPage }, [403, 404, 405, 429, 503], { page: true }),
        security: [],
      },
      post: {
        operationId: 'submitForm',
        tags: ['Submitting'],
        summary: 'Submit a form',
        description:
          'The response is JSON if the request has `Accept: application/json` or `Content-Type: application/json`, ' +
          'or comes from a script (`Sec-Fetch-Mode: cors`). A script that accepts `text/html` gets a fragment of HTML. ' +
          'Every other browser is redirected.',
        parameters: [
          formId,
          header('X-Service-Key', 'The sandbox key of the form.'),
          header('Idempotency-Key', 'The same key and body get the first result again for 24 hours.', {
            maxLength: 255,
          }),
        ],
        requestBody: {
          required: true,
          content: Object.fromEntries(
            ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
              type,
              { schema: fields, example: { name: 'Ada', message: 'Hello' } },
            ]),
          ),
        },
        responses: components.responsesOf({ 200: SubmissionAccepted, 303: null }, errors, { page: true }),
        security: [],
      },
    },
    '/f/{form_id}/challenge': {
      get: {
        operationId: 'getChallenge',
        tags: ['Submitting'],
        summary: 'Get a challenge to solve, for a form with the CAPTCHA provider altcha',
        description:
          'The `challenge` address of an ALTCHA widget, which solves it and sends the solution with the form. ' +
          'A solution is valid for this form, once, for ten minutes.',
        parameters: [formId],
        responses: components.responsesOf({ 200: Challenge }, [403, 404, 429, 503]),
        security: [],
      },
    },
    '/f/{form_id}/access': {
      get: {
        operationId: 'getFormAccess',
        tags: ['Submitting'],
        summary: 'Ask whether a form accepts submissions from your origin',
        description:
          'For a script whose submission failed without a response: browsers hide the response of a form that does not ' +
          'allow the origin. Every origin may read this.',
        parameters: [formId],
        responses: components.responsesOf({ 200: FormAccess }, [404, 429, 503]),
        security: [],
      },
    },
    '/f/{form_id}/success': {
      get: {
        operationId: 'showSuccessPage',
        tags: ['Submitting'],
        summary: 'Show the default success page of a form',
        parameters: [formId],
        responses: components.responsesOf({ 200: SuccessPage }, [404, 429, 503], { page: true }),
        security: [],
      },
    },
  };
}

export interface DocumentOptions {
  readonly baseUrl: string;
  readonly version: string;
}

function openApiDocument(operations: readonly Operation[], { baseUrl, version }: DocumentOptions): Json {
  const components = new Components();
  const paths: Record<string, Json> = { ...submittingPaths(components) };
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inlet',
      version,
      description: 'The form back-end that you run yourself.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    // Of every operation that does not say otherwise.
    security: credentials.any,
    // The least role that has each; an API key with the scope `read` is a viewer, any other an owner.
    'x-permissions': permissions,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'The API key, as shown when it was created.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName(baseUrl),
          description:
            'The cookie of a signed-in user; it counts where no Authorization header is sent. Requests that change ' +
            'something need `Sec-Fetch-Site: same-origin`, or without that header the Origin of the service.',
        },
      },
      schemas: components.schemas,
      responses: components.responses,
    },
  };
}

export function installOpenApi(app: FastifyInstance, options: DocumentOptions): void {
  const operations: Operation[] = [];
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.operation && method !== 'HEAD') operations.push({ ...config.operation, path: url });
  });
  // Made when it is first asked for: most processes never are.
  let packed: Promise<PackedBody> | null = null;
  app.get('/openapi.json', async (request, reply) => {
    packed ??= packBody(Buffer.from(JSON.stringify(openApiDocument(operations, options))));
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
    return sendPacked(request, reply, await packed);
  });
}
