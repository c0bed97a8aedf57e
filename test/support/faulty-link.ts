/** A TCP proxy in front of a real server, which behaves like bad networks and overloaded servers. */
import { connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';

export type LinkFault =
  | { readonly kind: 'none' }
  /** Connections are cut as soon as they are opened. */
  | { readonly kind: 'down' }
  /** Data is accepted, and nothing ever responds. */
  | { readonly kind: 'silent' }
  /** Responses arrive this much later. */
  | { readonly kind: 'late'; readonly byMs: number }
  /** The connection is reset once this many bytes of the client have passed. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** The connection is reset once this many bytes of the server have passed. */
  | { readonly kind: 'reset-answer'; readonly afterBytes: number }
  /** After this many bytes nothing more of the server passes, and the connection stays open. */
  | { readonly kind: 'hold-answer'; readonly afterBytes: number }
  /** One out of this many bytes of the client is changed. */
  | { readonly kind: 'damage'; readonly everyBytes: number }
  /** Every request gets this text as its response. */
  | { readonly kind: 'answer'; readonly text: string };

export interface FaultyLink {
  readonly port: number;
  readonly url: string;
  /** Applies from the next connection on. Open connections are cut. */
  become(fault: LinkFault): void;
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

export async function openFaultyLink(targetPort: number): Promise<FaultyLink> {
  let fault: LinkFault = { kind: 'none' };
  let count = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    count += 1;
    open.add(client);
    client.on('error', () => {});
    client.on('close', () => open.delete(client));
    serve(client, targetPort, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    become(next) {
      fault = next;
      cut();
    },
    connections: () => count,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}

function serve(client: Socket, targetPort: number, fault: LinkFault): void {
  if (fault.kind === 'down') return void client.resetAndDestroy();
  if (fault.kind === 'silent') return void client.resume();
  if (fault.kind === 'answer') return void client.once('data', () => client.end(fault.text));
  const server = connect(targetPort, '127.0.0.1');
  /** What exceeds the limit never arrives: the other side must not treat it as complete. */
  const upTo = (limit: number, chunk: Buffer, at: number): Buffer => {
    if (at + chunk.length <= limit) return chunk;
    setImmediate(() => client.resetAndDestroy());
    return chunk.subarray(0, Math.max(0, limit - at));
  };
  const asked = passing((chunk, at) => {
    if (fault.kind === 'damage') damage(chunk, at, fault.everyBytes);
    return fault.kind === 'reset' ? upTo(fault.afterBytes, chunk, at) : chunk;
  });
  const answered = passing(
    (chunk, at) => {
      if (fault.kind === 'hold-answer') return at + chunk.length > fault.afterBytes ? null : chunk;
      return fault.kind === 'reset-answer' ? upTo(fault.afterBytes, chunk, at) : chunk;
    },
    fault.kind === 'late' ? fault.byMs : 0,
  );
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  pipeline(client, asked, server, end);
  pipeline(server, answered, client, end);
}

function damage(chunk: Buffer, at: number, everyBytes: number): void {
  for (let next = everyBytes - (at % everyBytes); next < chunk.length; next += everyBytes) {
    chunk[next] = (chunk[next] ?? 0) ^ 1;
  }
}

/** Passes every chunk and its place in the stream to `change`, which returns what is left of it. null holds the chunk back forever. */
function passing(change: (chunk: Buffer, at: number) => Buffer | null, delayMs = 0): Transform {
  let at = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const rest = change(chunk, at);
      at += chunk.length;
      if (rest === null) return;
      if (delayMs === 0) done(null, rest);
      else setTimeout(() => done(null, rest), delayMs).unref();
    },
  });
}
