/** Slow bodies against every route that reads one, by the OpenAPI document: others are served there, and can submit forms. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, multipartBody, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { unknownId } from '../../support/contract.js';
import { addressesIn, crowdServer, openCrowd } from '../../support/crowd.js';
import { expectUnharmed } from '../../support/harm.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, visit } from '../../support/visitor.js';

interface BodyRoute {
  readonly method: string;
  readonly path: string;
  readonly mediaType: string;
}

let server: RunningServer;
let form: MadeForm;
let routes: readonly BodyRoute[];

beforeAll(async () => {
  server = await startServer(crowdServer);
  form = await makeForm(server.url);
  const { body } = await client(server.url).get('/openapi.json');
  const paths: Record<string, Record<string, { requestBody?: { content: object } }>> = body.paths;
  routes = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      Object.keys(requestBody?.content ?? {}).map((mediaType) => ({
        method: method.toUpperCase(),
        path: template.replace('/f/{form_id}', `/f/${form.publicId}`).replace(/\{\w+\}/, unknownId),
        mediaType,
      })),
    ),
  );
});
afterAll(async () => {
  await expectUnharmed(server);
  await server.dispose();
});

/** The start of a body in this format, and a complete one. */
const bodies: Record<string, { start: Buffer; whole: Buffer }> = {
  'application/json': { start: Buffer.from('{"name":"'), whole: Buffer.from('{}') },
  'application/x-ndjson': { start: Buffer.from('{"name":"'), whole: Buffer.from('{}\n') },
  'text/csv': { start: Buffer.from('date,name\n2024-01-05,'), whole: Buffer.from('date,name\n') },
  'application/x-www-form-urlencoded': { start: Buffer.from('a='), whole: Buffer.from('a=1') },
  'multipart/form-data': {
    start: multipartBody('b', [filePart('f', 'slow.bin', 'slow')]).subarray(0, -9),
    whole: multipartBody('b', [filePart('f', 'quick.bin', 'quick')]),
  },
};

const contentType = (mediaType: string): string =>
  mediaType === 'multipart/form-data' ? `${mediaType}; boundary=b` : mediaType;

describe('256 slow bodies from 8 networks', () => {
  // Thousands of connections, one crowd after the other: only a hang takes this long.
  it('on any route that reads a body keep nobody from it, nor from submitting', {
    timeout: 240_000,
  }, async () => {
    expect(routes.length).toBeGreaterThan(10);
    expect(new Set(routes.map(({ mediaType }) => mediaType))).toEqual(new Set(Object.keys(bodies)));
    for (const { method, path, mediaType } of routes) {
      const { start = '', whole = '' } = bodies[mediaType] ?? {};
      const type = contentType(mediaType);
      const crowd = await openCrowd(server, addressesIn(8, 32), {
        method,
        path,
        headers: [`Content-Type: ${type}`, `Authorization: Bearer ${apiKey}`],
        declaredBytes: 100_000,
        start,
      });
      const from = { 'x-forwarded-for': '203.0.113.1', accept: 'application/json' };
      const headers = { ...from, 'content-type': type, authorization: `Bearer ${apiKey}` };
      const file = [textPart('a', '1'), filePart('f', 'quick.bin', 'quick')];
      const answers = await Promise.all([
        visit(`${server.url}${path}`, { method, headers, body: whole }),
        postJson(form.endpoint, { a: 1 }, from),
        postMultipart(form.endpoint, file, from),
      ]);
      crowd.vanish();
      const [there, ...submitted] = answers.map(({ status }) => status);
      expect([method, path, submitted]).toEqual([method, path, [200, 200]]);
      // No such id, too few fields, no session: the route's own response. A form has nothing to reject.
      const served = path.startsWith('/f/') ? [200] : [200, 201, 202, 204, 400, 401, 403, 404, 409, 422];
      expect(served, `${method} ${path} ${mediaType}`).toContain(there);
    }
  });
});
