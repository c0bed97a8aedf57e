/**
 * Webhook endpoints as they are in the real world: one that works, and others that refuse, hang, fail, are slow, or cut
 * the connection. For the one that works, records when each submission first arrived.
 */
import { createServer } from 'node:http';
import { createServer as createPlainServer } from 'node:net';

const slowMs = 1_000;

const behaviours = {
  healthy: (_request, response) => response.writeHead(204).end(),
  failing: (_request, response) => response.writeHead(500).end('no'),
  slow: (_request, response) => setTimeout(() => response.writeHead(200).end('ok'), slowMs).unref(),
  /** Closes the connection without a response. */
  cutting: (request) => request.socket.destroy(),
  hanging: () => {},
};

const listening = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

/** A port that nothing listens on: it was released just now. */
async function closedPort() {
  const server = createPlainServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function startReceivers() {
  /** Submission id → when it first arrived, in ms since 1970, and how often. */
  const arrived = new Map();
  const counts = {};
  const servers = [];
  const urls = { refusing: `http://127.0.0.1:${await closedPort()}/hook` };
  for (const [kind, answer] of Object.entries(behaviours)) {
    counts[kind] = 0;
    const server = createServer((request, response) => {
      counts[kind] += 1;
      request.resume();
      request.on('error', () => {});
      request.once('end', () => {
        if (kind === 'healthy') {
          const id = request.headers['x-submission-id'];
          const before = arrived.get(id);
          arrived.set(id, { at: before?.at ?? Date.now(), times: (before?.times ?? 0) + 1 });
        }
        answer(request, response);
      });
    });
    servers.push(server);
    urls[kind] = `http://127.0.0.1:${await listening(server)}/hook`;
  }
  const close = async () => {
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  return { urls, arrived, counts, close };
}
