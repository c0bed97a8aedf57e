/**
 * Bodies of the management interface: JSON, or nothing. Read by the same pump as submissions, with the same pace and in one
 * block: the framework's own reader keeps a buffer for every chunk (measured: 390 MiB for 6 MB sent byte by byte).
 *
 * Many clients name a content type on every request: an empty body is no body, whatever it is called, and a route that
 * needs one says so itself.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal, refuse } from '../model/errors.js';
import { BodyPump, textPace } from './submit/body/body-pump.js';
import { GatheredBytes } from './submit/body/gathered-bytes.js';

class ClientLeft extends Error {
  readonly statusCode = 400;
}

function readAll({ routeOptions }: FastifyRequest, source: IncomingMessage): Promise<string> {
  const { bodyLimit: maxBytes } = routeOptions;
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes();
    const pump = new BodyPump(source, maxBytes, textPace, {
      chunk: (bytes) => gathered.add(bytes, false),
      end: () => resolve(gathered.bytes.toString('utf8')),
      fail: (reason) => {
        if (reason === 'aborted') reject(new ClientLeft('The client went away'));
        else
          reject(
            reason instanceof Refusal && reason.kind === 'too_large' ? refuse.bodyTooLarge(maxBytes) : reason,
          );
      },
    });
    if (Number(source.headers['content-length'] ?? 0) > maxBytes) reject(refuse.bodyTooLarge(maxBytes));
    else pump.start();
  });
}

export function installBodyParsers(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const text = await readAll(request, payload);
    if (text === '') return undefined;
    return new Promise((resolve, reject) => {
      parseJson(request, text, (error, body) => (error ? reject(error) : resolve(body)));
    });
  });
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    if ((await readAll(request, payload)) !== '')
      throw refuse.badRequest('Content-Type must be application/json');
    return undefined;
  });
}
