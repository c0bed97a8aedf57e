/**
 * One request and its answer over an open connection. What must stay true: it ends once, at its deadline at the latest;
 * from the head on the status stands, whatever becomes of the body; and no more is kept than will be shown.
 */
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection.js';
import type { Dated, Deadlines } from './deadlines.js';
import { codeOf, headTooLarge, invalidResponse, SendFault, toFault } from './faults.js';
import type { OutboundLimits } from './limits.js';
import type { Target } from './target.js';

/** Beside head and body: a chunk of the socket that came along, and the frames of a chunked body. */
const extraReadBytes = 64 * 1024;

export interface Post {
  readonly target: Target;
  readonly headers: string[];
  readonly body: string;
  /** On the clock of performance.now(). */
  readonly deadlineAt: number;
}

/** Resolves with the exchange when it has ended. Rejects never. */
export function postOver(
  connection: Connection,
  post: Post,
  limits: OutboundLimits,
  deadlines: Deadlines,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const exchange = new Exchange(connection, post, limits, deadlines, resolve);
    connection.client.dispatch(
      { method: 'POST', path: post.target.path, headers: post.headers, body: post.body },
      exchange,
    );
  });
}

export class Exchange implements Dispatcher.DispatchHandler, Dated {
  endsAt: number;
  /** Null without a head. */
  status: number | null = null;
  /** Why there is no head: a SendFault, or an error of our own. */
  error: Error | null = null;
  firstByteMs: number | null = null;
  /** The answer was read to its end. */
  isWhole = false;
  #hasEnded = false;
  #controller: Dispatcher.DispatchController | null = null;
  #startedAt: number | null = null;
  #bytesReadBefore = 0;
  #readBytes = 0;
  #keptBytes = 0;
  readonly #kept: Buffer[] = [];

  constructor(
    private readonly connection: Connection,
    private readonly post: Post,
    private readonly limits: OutboundLimits,
    private readonly deadlines: Deadlines,
    private readonly settle: (exchange: Exchange) => void,
  ) {
    connection.uses += 1;
    connection.onOverrun = () => this.#cut(headTooLarge(post.target.where));
    this.endsAt = post.deadlineAt;
    deadlines.watch(this);
  }

  /** A kept connection that the other side had closed: not a byte came back, so it is sent once more. */
  get wasStale(): boolean {
    if (this.connection.uses < 2 || this.status !== null || this.error === null) return false;
    if (!(this.error instanceof SendFault) || this.error.fault !== 'reset') return false;
    return this.#startedAt === null || this.connection.bytesRead === this.#bytesReadBefore;
  }

  /** The first bytes of the answer as text. */
  text(): string {
    const bytes = this.#kept.length === 1 ? (this.#kept[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#kept);
    // Where the text was cut, half a character must not show as a broken one.
    const isCut = !this.isWhole || this.#readBytes > this.#keptBytes;
    return isCut ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#startedAt = performance.now();
    this.#bytesReadBefore = this.connection.bytesRead;
    this.connection.allowToRead(this.limits.maxHeadBytes + this.limits.maxReadBytes + extraReadBytes);
    if (this.#hasEnded) controller.abort(new SendFault('timeout', 'ended before it was sent'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (this.#hasEnded || status < 200) return;
    const now = performance.now();
    this.status = status;
    this.firstByteMs = now - (this.#startedAt ?? now);
    this.endsAt = Math.min(now + this.limits.afterHeadMs, this.post.deadlineAt);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#readBytes += chunk.length;
    const room = this.limits.maxKeptBytes - this.#keptBytes;
    if (room > 0) {
      // A copy: the chunk is a window on a much larger buffer.
      const part = Buffer.from(chunk.length <= room ? chunk : chunk.subarray(0, room));
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    if (this.#readBytes > this.limits.maxReadBytes) this.#cut(headTooLarge(this.post.target.where));
  }

  onResponseEnd(): void {
    this.isWhole = true;
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  /** Ends the exchange from our side. With a head the status stays, and the reason is forgotten. */
  #cut(reason: Error): void {
    if (this.#hasEnded) return;
    this.#end(reason);
    if (this.#controller === null) this.connection.destroy(reason);
    else this.#controller.abort(reason);
  }

  onTime(): void {
    this.#cut(new SendFault('timeout', `${this.post.target.where} did not answer before the time was up`));
  }

  #end(error: Error | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.deadlines.unwatch(this);
    this.connection.onOverrun = null;
    if (this.status === null && error !== null) this.error = this.#fault(error);
    this.settle(this);
  }

  #fault(error: Error): Error {
    const { where } = this.post.target;
    // The client has one code for a socket that closed and for an answer that made it close the socket; only in the
    // first case had the other side ended.
    const isOurClose = codeOf(error) === 'UND_ERR_SOCKET' && !this.connection.socket.readableEnded;
    if (isOurClose && this.connection.bytesRead > this.#bytesReadBefore) {
      return invalidResponse(where, 'UND_ERR_SOCKET');
    }
    return toFault(error, 'exchange', where);
  }
}
