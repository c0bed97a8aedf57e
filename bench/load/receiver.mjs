/**
 * Webhook endpoints in one process: bare node:http that responds 200 immediately, on PORT and on MORE additional ports.
 * Paths under /hang never get a response. GET /report summarises what arrived, GET /reset clears it.
 *
 * Times are on the monotonic clock, which all processes of a machine share.
 */
import { createServer } from 'node:http';

const now = () => Number(process.hrtime.bigint()) / 1e6;
/** In order of arrival. */
let arrivals = [];

const json = (response, value) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

function receive(request, response) {
  const at = now();
  if (request.url.startsWith('/hang')) {
    request.resume();
    return;
  }
  arrivals.push({ at, submission: request.headers['x-submission-id'] });
  request.resume();
  request.once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
}

function tell(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://receiver');
  if (pathname === '/ports') return json(response, ports);
  if (pathname === '/reset') arrivals = [];
  if (pathname === '/count') return json(response, arrivals.length);
  if (pathname === '/arrivals') return json(response, arrivals);
  // From the end of the warm-up to the last arrival.
  const from = arrivals[Number(searchParams.get('skip') ?? 0)];
  return json(response, { count: arrivals.length, firstAt: from?.at, lastAt: arrivals.at(-1)?.at });
}

const open = (port) =>
  new Promise((resolve) => {
    const server = createServer((request, response) =>
      request.method === 'POST' ? receive(request, response) : tell(request, response),
    );
    server.keepAliveTimeout = 60_000;
    server.listen(port, '127.0.0.1', () => resolve(server.address().port));
  });

const ports = [];
for (let i = 0; i < Number(process.env.MORE); i += 1) ports.push(await open(0));
await open(Number(process.env.PORT));
