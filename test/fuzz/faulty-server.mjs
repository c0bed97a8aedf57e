/** A server with one fault per path, for the tests that prove that the fuzzer notices. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const leaked = [];
const folder = process.env.KEEP_IN;

const problem = (response, status, body) =>
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
const fine = (response) =>
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{}');

const faults = {
  '/fails': (body, response) =>
    body.includes('%')
      ? problem(response, 500, { error: 'Internal server error', code: 'internal_error' })
      : fine(response),
  '/hangs': (body, response) => (body.includes('%') ? undefined : fine(response)),
  '/leaks': (_body, response) => {
    leaked.push(Buffer.alloc(1024 * 1024, 1), new Array(64 * 1024).fill({}));
    fine(response);
  },
  '/dies': (body, response) => (body.includes('%') ? process.exit(7) : fine(response)),
  '/keeps': (body, response) => {
    if (!body.includes('%')) return fine(response);
    writeFileSync(join(folder, `left-${Date.now()}-${Math.random()}`), body);
    return problem(response, 400, { error: 'Refused', code: 'refused' });
  },
  '/tells': (body, response) =>
    body.includes('%')
      ? problem(response, 400, { error: 'Error: ENOENT at /tmp/x.js:12:1', code: 'refused' })
      : fine(response),
  '/formless': (body, response) => (body.includes('%') ? response.writeHead(400).end('No') : fine(response)),
  '/shows': (body, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${body}</p>`),
  '/logs': (body, response) => {
    if (body.includes('%')) process.stderr.write('{"level":50,"msg":"request failed"}\n');
    fine(response);
  },
  '/garbles': (body, response) =>
    body.includes('%')
      ? response.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort')
      : fine(response),
  '/closes': (body, response) => (body.includes('%') ? response.socket.destroy() : fine(response)),
  '/works': (_body, response) => fine(response),
};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('latin1').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => (faults[request.url] ?? faults['/works'])(body, response));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${server.address().port}\n`));
