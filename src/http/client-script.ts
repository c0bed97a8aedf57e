/**
 * /inlet.js, /inlet-solver.js and /inlet-embed.js: scripts for pages of other websites (client/). Read and compressed once, at
 * startup. Any page may load them. The solver must be readable by scripts too, because its text becomes a worker.
 */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { packBody, sendPacked } from './content-coding.js';

/** Resolves from both dist/http and dist/bundle. */
const builtFolder = new URL('../client/', import.meta.url);

export async function clientScriptRoutes(app: FastifyInstance, folder: URL = builtFolder): Promise<void> {
  await Promise.all(
    ['inlet.js', 'inlet-solver.js', 'inlet-embed.js'].map(async (name) => {
      const script = await packBody(await readFile(new URL(name, folder)));

      app.get(`/${name}`, async (request, reply) => {
        reply.headers({
          'content-type': 'text/javascript; charset=utf-8',
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
          'cache-control': 'public, max-age=3600',
        });
        return sendPacked(request, reply, script);
      });
    }),
  );
}
