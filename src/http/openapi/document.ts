/** /openapi.json, generated from the schemas that validate the requests. */
import type { FastifyInstance } from 'fastify';
import { permissions } from '../../model/permission.js';
import { type PackedBody, packBody, sendPacked } from '../content-coding.js';
import { sessionCookieName } from '../cookies.js';
import type { Operation } from '../route.js';
import { credentials, type DraftPaths, draft, finished, type SharedParts } from './operation.js';
import { Schemas } from './schemas.js';
import { type Json, Shared } from './shared.js';
import { submittingPaths } from './submitting.js';

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

export interface DocumentOptions {
  readonly baseUrl: string;
  readonly version: string;
}

function pathsOf(operations: readonly Operation[], schemas: Schemas): { paths: Json; shared: SharedParts } {
  const drafts: Record<string, DraftPaths[string]> = { ...submittingPaths(schemas) };
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}');
    drafts[path] = { ...drafts[path], [operation.method.toLowerCase()]: draft(operation, schemas) };
  }
  const all = Object.values(drafts).flatMap((methods) => Object.values(methods));
  const shared = {
    parameters: new Shared(
      'parameters',
      all.flatMap(({ parameters = [] }) => parameters),
    ),
    responses: new Shared(
      'responses',
      all.flatMap(({ responses }) => Object.values(responses)),
    ),
  };
  const finish = (methods: DraftPaths[string]): Json =>
    Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, finished(one, shared)]));
  const paths = Object.entries(drafts).map(([path, methods]) => [path, finish(methods)]);
  return { paths: Object.fromEntries(paths), shared };
}

function openApiDocument(operations: readonly Operation[], { baseUrl, version }: DocumentOptions): Json {
  const schemas = new Schemas();
  const { paths, shared } = pathsOf(operations, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inlet',
      version,
      description: 'The form back-end that you run yourself.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    // The default for operations that do not specify their own.
    security: credentials.any,
    // The lowest role that has each permission. An API key with the scope `read` counts as a viewer, any other as an owner.
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
      schemas: schemas.components(),
      parameters: shared.parameters.components,
      responses: shared.responses.components,
    },
  };
}

export function installOpenApi(app: FastifyInstance, options: DocumentOptions): void {
  const operations: Operation[] = [];
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.operation && method !== 'HEAD') operations.push({ ...config.operation, path: url });
  });
  // Built on the first request, because most processes never get one.
  let packed: Promise<PackedBody> | null = null;
  app.get('/openapi.json', async (request, reply) => {
    packed ??= packBody(Buffer.from(JSON.stringify(openApiDocument(operations, options))));
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
    return sendPacked(request, reply, await packed);
  });
}
