/** What is known of a connection beside what undici's client knows: its socket, who uses it, and how often it was used. */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { GuardedConnector, Progress } from './connect.js';
import type { Target } from './target.js';

export interface LinkListener {
  /** A socket is being opened. `closed` follows for each. */
  opening(link: Link): void;
  closed(link: Link): void;
}

/** The request that a connection is used for; one at a time. */
export interface LinkUser {
  progress: Progress;
  /** More bytes came than a response may have, whatever they are. */
  onOverrun(): void;
}

export class Link {
  user: LinkUser | null = null;
  socket: Socket | null = null;
  remoteAddress: string | null = null;
  /** Requests that were begun on this socket. */
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

  /** `reason` is what a request that waits for the socket ends with. */
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
    // The client bounds neither interim answers, nor the reason phrase, nor what stands between chunks.
    socket.on('readable', () => {
      if (socket.bytesRead > this.mayReadUpTo) this.user?.onOverrun();
    });
    socket.once('close', () => {
      this.socket = null;
      this.listener.closed(this);
    });
  }
}
