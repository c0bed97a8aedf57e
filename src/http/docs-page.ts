/**
 * /docs: the interface as a page to try it on. Nothing is loaded from outside.
 *
 * It is made when it is first asked for, as a small application of its own: most instances never show it, and loading it
 * took 50 ms of every start and 6 MB for good.
 */
import type { StaticDocumentSpec } from '@fastify/swagger';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { refuse } from '../model/errors.js';
import { sendProblem } from './problem.js';

const wordmark =
  '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="32" viewBox="0 0 90 32"><text x="2" y="24" ' +
  'font-family="system-ui,sans-serif" font-size="24" font-weight="600" fill="#5cc4c0">Inlet</text></svg>';

// The package's own policy allows outside hosts and upgrades to https, which breaks the page on plain http.
const docsPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const answerNotFound = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendProblem(reply, refuse.pathNotFound());

export interface DocsOptions {
  /** The OpenAPI document. */
  readonly document: () => object;
  /** The path of the public address, which a proxy takes away; empty: none. */
  readonly basePath: string;
  readonly onFault: (error: unknown, path: string) => void;
}

async function createDocs({ document, basePath, onFault }: DocsOptions): Promise<FastifyInstance> {
  const { default: swagger } = await import('@fastify/swagger');
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const docs = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
  docs.setNotFoundHandler(answerNotFound);
  docs.setErrorHandler((error: FastifyError, request, reply) => {
    // Only addresses can be wrong here: `/docs/static/%00` is one.
    if ((error.statusCode ?? 500) < 500) return answerNotFound(request, reply);
    onFault(error, '/docs');
    return sendProblem(reply, refuse.internal());
  });
  await docs.register(swagger, {
    mode: 'static',
    specification: { document: document() as StaticDocumentSpec['document'] },
  });
  await docs.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: basePath,
    uiConfig: { docExpansion: 'list', deepLinking: true, validatorUrl: null },
    staticCSP: docsPolicy,
    theme: { title: 'Inlet API' },
    logo: {
      type: 'image/svg+xml',
      content: Buffer.from(wordmark),
      href: `${basePath}/docs`,
      target: '_self',
    },
  });
  await docs.ready();
  return docs;
}

export function docsRoutes(app: FastifyInstance, options: DocsOptions): void {
  let made: Promise<FastifyInstance> | null = null;
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    made ??= createDocs(options).catch((error: unknown) => {
      made = null;
      throw error;
    });
    const docs = await made;
    reply.hijack();
    docs.routing(request.raw, reply.raw);
  };
  app.get('/docs', show);
  app.get('/docs/*', show);
  app.addHook('onClose', async () => {
    await (await made)?.close();
  });
}
