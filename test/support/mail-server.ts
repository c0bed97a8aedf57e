/** A real SMTP server that stores what it receives. Without TLS and authentication by default. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly user: string;
  readonly secure: boolean;
}

export interface MailServer {
  readonly port: number;
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** How many connections were ever opened. */
  connections(): number;
  open(): number;
  /** Resolves when the last connection has closed. */
  allGone(): Promise<void>;
  /** Drops every connection without a reply. */
  drop(): void;
  close(): Promise<void>;
}

/** An error that makes the server reply with this code. */
export const answer = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let connections = 0;
  const waiting: (() => void)[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          user: String(session.user ?? ''),
          secure: Boolean(session.secure),
        });
        callback();
      });
    },
    onClose() {
      queueMicrotask(() => {
        if (server.connections.size === 0) for (const resolve of waiting.splice(0)) resolve();
      });
    },
    ...options,
  });
  // Clients that disconnect in the middle are part of the tests.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails,
    connections: () => connections,
    open: () => server.connections.size,
    allGone: () =>
      server.connections.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
    drop() {
      for (const connection of server.connections) connection._socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
