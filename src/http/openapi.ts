/** /openapi.json, generated from the schemas that check the requests, and with it /docs. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../contract/problem.js';
import { SubmissionAccepted } from '../contract/submission.js';
import { type PackedBody, packBody, sendPacked } from './content-coding.js';
import { docsRoutes } from './docs-page.js';
import { sessionCookieName } from './session-cookie.js';

const problem = (description: string) => ({
  description,
  content: { 'application/json': { schema: Problem } },
});

/** The submission endpoint does not run in the framework (docs/adr/0004), so its entry is added here. */
const submissionPath = {
  post: {
    tags: ['Submitting'],
    summary: 'Submit a form',
    description:
      'JSON is answered when the request has `Accept: application/json` or `Content-Type: application/json`; ' +
      'otherwise the browser is redirected.',
    parameters: [
      {
        name: 'form_id',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        description: 'The public_id of the form.',
      },
      {
        name: 'X-Service-Key',
        in: 'header',
        schema: { type: 'string' },
        description: 'The sandbox key of the form.',
      },
      {
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string', maxLength: 255 },
        description: 'The same key and body answer the first result again for 24 hours.',
      },
    ],
    requestBody: {
      content: Object.fromEntries(
        ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'].map((type) => [
          type,
          {
            schema: { type: 'object', additionalProperties: true },
            example: { name: 'Ada', message: 'Hello' },
          },
        ]),
      ),
    },
    responses: {
      200: { description: 'Stored.', content: { 'application/json': { schema: SubmissionAccepted } } },
      303: { description: 'Stored; the browser goes on to the success page.' },
      400: problem('Invalid data or content type; `detail` says what.'),
      402: problem('File uploads require a paid plan.'),
      403: problem('Origin, address, mode, service key or CAPTCHA.'),
      404: problem('Form not found.'),
      409: problem('The Idempotency-Key was used with another body.'),
      413: problem('A limit was passed; `limit` or `limit_bytes` names it.'),
      429: problem('Rate limit exceeded.'),
    },
    security: [],
  },
};

const challengePath = {
  get: {
    tags: ['Submitting'],
    summary: 'Get a challenge to solve, for a form with the CAPTCHA provider altcha',
    description:
      'The challenge of an ALTCHA widget (its `challenge` is this address), which works some moments and sends the ' +
      'solution with the form. A solution passes at this form, for ten minutes, once.',
    parameters: [
      {
        name: 'form_id',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        description: 'The public_id of the form.',
      },
    ],
    responses: {
      200: {
        description: 'The challenge.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['parameters', 'signature'],
              properties: {
                parameters: { type: 'object', additionalProperties: true },
                signature: { type: 'string' },
              },
            },
          },
        },
      },
      403: problem('Origin, address, mode or service key, as for a submission.'),
      404: problem('Form not found, or it does not use ALTCHA challenges.'),
      429: problem('More than 60 challenges a minute for one address.'),
      503: problem('The service is busy.'),
    },
    security: [],
  },
};

export async function installOpenApi(
  app: FastifyInstance,
  options: { baseUrl: string; version: string; onFault: (error: unknown, path: string) => void },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Inlet',
        version: options.version,
        description: 'The form back-end that you run yourself.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: options.baseUrl }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'The API key, as it was shown when it was made.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName(options.baseUrl),
            description:
              'The cookie of a person who is signed in; counts where no Authorization header is sent. What changes ' +
              'something needs `Sec-Fetch-Site: same-origin`, or without that header the Origin of the service.',
          },
        },
      },
      tags: [
        'Submitting',
        'Projects',
        'Forms',
        'Submissions',
        'Spam',
        'Deliveries',
        'Files',
        'Numbers',
        'Account',
        'Sessions',
      ].map((name) => ({ name })),
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject;
      const { openapiObject } = document;
      return {
        ...openapiObject,
        paths: {
          '/f/{form_id}': submissionPath,
          '/f/{form_id}/challenge': challengePath,
          ...openapiObject.paths,
        },
      } as typeof openapiObject;
    },
  });
  const basePath = new URL(options.baseUrl).pathname.replace(/\/$/, '');
  docsRoutes(app, { basePath, onFault: options.onFault });
  // 220 kB of text that never changes: written and compressed when it is first asked for, and kept.
  let packed: Promise<PackedBody> | null = null;
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => {
    packed ??= packBody(Buffer.from(JSON.stringify(app.swagger())));
    reply.headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' });
    return sendPacked(request, reply, await packed);
  });
}
