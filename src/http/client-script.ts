/**
 * /inlet.js and /inlet-solver.js: what pages of other websites load (client/). Read and compressed once, at the start;
 * every page may load them, and the solver may be read by script, because it becomes a worker by its text.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { acceptsCoding } from './content-coding.js';

/** From dist/http and from dist/bundle alike. */
const builtFolder = new URL('../client/', import.meta.url);

const isCurrent = (header = '', etag: string): boolean =>
  header.split(',').some((part) => [etag, '*'].includes(part.trim()));

export async function clientScriptRoutes(app: FastifyInstance, folder: URL = builtFolder): Promise<void> {
  await Promise.all(
    ['inlet.js', 'inlet-solver.js'].map(async (name) => {
      const plain = await readFile(new URL(name, folder));
      const [small, smaller] = await Promise.all([
        promisify(gzip)(plain, { level: 9 }),
        promisify(brotliCompress)(plain),
      ]);
      // Weak: it names the script, not one of its three codings.
      const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;

      app.get(`/${name}`, { schema: { hide: true } }, async (request, reply) => {
        reply.headers({
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
          'x-content-type-options': 'nosniff',
          'cache-control': 'public, max-age=3600',
          vary: 'Accept-Encoding',
          etag,
        });
        if (isCurrent(request.headers['if-none-match'], etag)) return reply.status(304).send();
        reply.type('text/javascript; charset=utf-8');
        const wanted = String(request.headers['accept-encoding'] ?? '');
        if (acceptsCoding(wanted, 'br')) return reply.header('content-encoding', 'br').send(smaller);
        if (acceptsCoding(wanted, 'gzip')) return reply.header('content-encoding', 'gzip').send(small);
        return reply.send(plain);
      });
    }),
  );
}
