/** Another website: a few pages on their own origin. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Website {
  readonly origin: string;
  close(): Promise<void>;
}

export async function startWebsite(
  pages: Readonly<Record<string, string>>,
  scripts: Readonly<Record<string, string>> = {},
): Promise<Website> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const script = scripts[path];
    if (script !== undefined) {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script);
      return;
    }
    const page = pages[path];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page === undefined ? '' : `<!doctype html><link rel="icon" href="data:,">${page}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
