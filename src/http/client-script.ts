/**
 * /inlet.js, /inlet-solver.js and /inlet-embed.js: what pages of other websites load (client/). Read and compressed once, at the start;
 * every page may load them, and the solver may be read by script, because it becomes a worker by its text.
 */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { packBody, sendPacked } from './content-coding.js';

/** From dist/http and from dist/bundle alike. */
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
