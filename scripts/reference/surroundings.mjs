/** What an instance talks to while it is recorded: an endpoint for webhooks, and a mail server. Both are on loopback. */
import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';

const listening = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

/** The discovery document of an identity provider. */
const providerAt = (issuer) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
});

/** Also an identity provider. Otherwise responds 200, but 503 at /closed, and at /down until `recover` is called. */
export async function startEndpoint() {
  const received = [];
  let isDown = true;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (request.url === '/.well-known/openid-configuration') {
      const description = JSON.stringify(providerAt(`http://${request.headers.host}`));
      response.writeHead(200, { 'content-type': 'application/json' }).end(description);
      return;
    }
    received.push({ path: request.url, headers: request.headers, body });
    const isClosed = request.url === '/closed' || (request.url === '/down' && isDown);
    if (isClosed) response.writeHead(503).end('Closed for maintenance');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    received,
    recover() {
      isDown = false;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Mail to this address bounces. */
export const unknownAddress = 'nobody@example.net';

export async function startMailServer() {
  const mails = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, callback) {
      const isKnown = address !== unknownAddress;
      callback(isKnown ? undefined : Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }));
    },
    async onData(stream, _session, callback) {
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      mails.push(Buffer.concat(chunks).toString());
      callback();
    },
  });
  const port = await new Promise((resolve) => {
    const listener = server.listen(0, '127.0.0.1', () => resolve(listener.address().port));
  });
  /** The token of the last mailed link to this page of the dashboard, or undefined. */
  const tokenFor = (page) =>
    mails
      .map((raw) => raw.replace(/=\r\n/g, '').replaceAll('=3D', '='))
      .flatMap((raw) => new RegExp(`/dashboard/${page}#token=([\\w-]{43})`).exec(raw)?.[1] ?? [])
      .at(-1);
  return { url: `smtp://127.0.0.1:${port}`, tokenFor, stop: () => server.close() };
}
