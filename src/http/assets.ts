/** Files that pages of this instance load. Names contain the hash of the content, so a cached file is never stale. */
import type { FastifyInstance } from 'fastify';
import { hostedStyle, hostedStylePath } from './submit/hosted-style.js';
import { visitorStyle, visitorStylePath } from './submit/page-style.js';

const styles = [
  [visitorStylePath, visitorStyle],
  [hostedStylePath, hostedStyle],
] as const;

export function assetRoutes(app: FastifyInstance): void {
  for (const [path, style] of styles)
    app.get(`/${path}`, async (_request, reply) =>
      reply
        .header('content-type', 'text/css; charset=utf-8')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(style),
    );
}
