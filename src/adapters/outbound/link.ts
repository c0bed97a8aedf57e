/** What undici's client does not expose about a connection: its socket, its current request, and how often it was used. */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { GuardedConnector, Progress } from './connect.js';
import type { Target } from './target.js';

export interface LinkListener {
  /** A socket is being opened. `closed` follows for each one. */
  opening(link: Link): void;
  closed(link: Link): void;
}

/** The request that uses the connection. One at a time. */
export interface LinkUser {
  progress: Progress;
  /** More bytes arrived than a response may have, of whatever kind. */
  onOverrun(): void;
}

export class Link {
  user: LinkUser | null = null;
  socket: Socket | null = null;
  remoteAddress: string | null = null;
  /** Requests started on this socket. */
  uses = 0;
  mayReadUpTo = Number.POSITIVE_INFINITY;
  #opening: AbortController | null = null;

  constructor(
    readonly target: Target,
    private readonly connector: GuardedConnector,
    private readonly listener: LinkListener,
  ) {}

  readonly connect: buildConnector.connector = (_options, callback) => {
    this.#open().then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  };

  get isOpening(): boolean {
    return this.#opening !== null;
  }

  /** A request that waits for the socket fails with `reason`. */
  destroy(reason: Error): void {
    this.#opening?.abort(reason);
    this.socket?.destroy();
  }

  async #open(): Promise<Socket> {
    const progress: Progress = { dnsMs: null, connectMs: null, remoteAddress: null };
    if (this.user !== null) this.user.progress = progress;
    this.#opening = new AbortController();
    this.listener.opening(this);
    try {
      const socket = await this.connector.open(this.target, this.#opening.signal, progress);
      this.#take(socket, progress.remoteAddress);
      return socket;
    } catch (error) {
      this.listener.closed(this);
      throw error;
    } finally {
      this.#opening = null;
    }
  }

  #take(socket: Socket, remoteAddress: string | null): void {
    this.socket = socket;
    this.remoteAddress = remoteAddress;
    this.uses = 0;
    // undici limits neither interim responses, nor the reason phrase, nor the bytes between chunks.
    socket.on('readable', () => {
      if (socket.bytesRead > this.mayReadUpTo) this.user?.onOverrun();
    });
    socket.once('close', () => {
      this.socket = null;
      this.listener.closed(this);
    });
  }
}
