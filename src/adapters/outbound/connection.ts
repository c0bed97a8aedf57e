/**
 * One open socket and the HTTP client that speaks over it; one request at a time. The client may never open a socket of
 * its own: what it is given was judged, anything else was not.
 */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';
import type { OutboundLimits } from './limits.js';
import type { Target } from './target.js';

/** The socket was gone before the request was written. Must not be a code of undici's, which it would answer by trying on. */
class StaleConnection extends Error {
  readonly code = 'STALE_CONNECTION';
}

const nothing = (): void => {};

export class Connection {
  readonly client: Client;
  /** Requests that were begun on it. */
  uses = 0;
  /** Called when more bytes came than an answer may have, whatever they are. */
  onOverrun: (() => void) | null = null;
  #mayReadUpTo = Number.POSITIVE_INFINITY;

  constructor(
    readonly socket: Socket,
    readonly remoteAddress: string | null,
    target: Target,
    limits: OutboundLimits,
  ) {
    let isHandedOver = false;
    this.client = new Client(target.origin, {
      connect: (_options, callback) => {
        const isFirst = !isHandedOver;
        isHandedOver = true;
        // Not at once: the client would overlook a socket that is there before its own call returns.
        queueMicrotask(() => (isFirst ? callback(null, socket) : callback(new StaleConnection(), null)));
      },
      maxHeaderSize: limits.maxHeadBytes,
      keepAliveTimeout: limits.idleMs,
      keepAliveMaxTimeout: limits.idleMs,
      // One deadline covers everything; it is the sender's.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // The client bounds neither interim answers, nor the reason phrase, nor what stands between chunks.
    socket.on('readable', () => {
      if (socket.bytesRead > this.#mayReadUpTo) this.onOverrun?.();
    });
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  allowToRead(maxBytes: number): void {
    this.#mayReadUpTo = this.socket.bytesRead + maxBytes;
  }

  /** `reason` is what a request under way ends with. */
  destroy(reason: Error | null = null): void {
    this.client.destroy(reason, nothing);
    // The client does not know a socket yet that it was not asked to use.
    this.socket.destroy();
  }
}
