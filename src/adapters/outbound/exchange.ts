/**
 * One request and its response. Invariants: it ends once, at its deadline at the latest. Once the head has arrived, the
 * status is final, whatever happens to the body. No more is stored than will be shown.
 */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { fittingHeaders } from '../../kernel/fitting-headers.js';
import type { Progress } from './connect.js';
import { codeOf, headTooLarge, invalidResponse, SendFault, toFault } from './faults.js';
import type { OutboundLimits } from './limits.js';
import type { Link, LinkUser } from './link.js';
import type { Target } from './target.js';

/** On top of head and body: one extra chunk from the socket, and the framing of a chunked body. */
const extraReadBytes = 64 * 1024;
/** For all headers of a response together, because they are stored with every attempt. */
const maxHeaderChars = 2_048;

export interface Post {
  readonly target: Target;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: string[];
  readonly body: string;
  /** Null to use the limits. */
  readonly maxResponseBytes: number | null;
  readonly isSentOnce: boolean;
  /** On the clock of performance.now(). */
  readonly deadlineAt: number;
}

/** Resolves with the exchange when it has ended. Never rejects. */
export function postOver(dispatcher: Dispatcher, post: Post, limits: OutboundLimits): Promise<Exchange> {
  return new Promise((resolve) => {
    const exchange = new Exchange(post, limits, resolve);
    dispatcher.dispatch(exchange, exchange);
  });
}

/** Both undici's dispatch options and its response handler: a pool passes the options to its connections unchanged. */
export class Exchange implements Dispatcher.DispatchOptions, Dispatcher.DispatchHandler, LinkUser {
  readonly method: Post['method'];
  readonly path: string;
  readonly headers: string[];
  readonly body: string | null;
  hasEnded = false;
  /** Null while it waits for a free connection. */
  link: Link | null = null;
  progress: Progress = { dnsMs: null, connectMs: null, remoteAddress: null };
  /** Null without a response head. */
  status: number | null = null;
  /** Why there is no head: a SendFault or an internal error. */
  error: Error | null = null;
  firstByteMs: number | null = null;
  retryAfter: string | null = null;
  responseHeaders: Readonly<Record<string, string>> | null = null;
  readonly #target: Target;
  readonly #deadlineAt: number;
  #timer: NodeJS.Timeout;
  #isWhole = false;
  #controller: Dispatcher.DispatchController | null = null;
  #socket: Socket | null = null;
  #isFirstUse = true;
  #startedAt = 0;
  #bytesReadBefore = 0;
  #readBytes = 0;
  #keptBytes = 0;
  readonly #kept: Buffer[] = [];
  readonly #maxReadBytes: number;
  readonly #maxKeptBytes: number;

  constructor(
    { target, method, headers, body, deadlineAt, maxResponseBytes }: Post,
    private readonly limits: OutboundLimits,
    private readonly settle: (exchange: Exchange) => void,
  ) {
    this.path = target.path;
    this.method = method;
    this.headers = headers;
    this.body = method === 'GET' ? null : body;
    this.#maxReadBytes = maxResponseBytes ?? limits.maxReadBytes;
    this.#maxKeptBytes = maxResponseBytes ?? limits.maxKeptBytes;
    this.#target = target;
    this.#deadlineAt = deadlineAt;
    this.#timer = setTimeout(() => this.#onTime(), Math.max(1, deadlineAt - performance.now()));
  }

  /** A reused connection that the other side had closed: not a byte came back, so the request may be sent again. */
  get wasStale(): boolean {
    if (this.#isFirstUse || !(this.error instanceof SendFault) || this.error.fault !== 'reset') return false;
    return this.#socket?.bytesRead === this.#bytesReadBefore;
  }

  /** The first bytes of the response as text. */
  text(): string {
    const bytes = this.#kept.length === 1 ? (this.#kept[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#kept);
    // If the text was cut, half a character at the end must not show as a broken one.
    const isCut = !this.#isWhole || this.#readBytes > this.#keptBytes;
    return isCut ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { link } = this;
    if (this.hasEnded || link === null || link.socket === null) {
      controller.abort(new SendFault('timeout', 'ended before it was sent'));
      return;
    }
    this.#startedAt = performance.now();
    this.#socket = link.socket;
    this.#bytesReadBefore = link.socket.bytesRead;
    this.#isFirstUse = link.uses === 0;
    link.uses += 1;
    this.progress.remoteAddress = link.remoteAddress;
    link.mayReadUpTo = this.#bytesReadBefore + this.limits.maxHeadBytes + this.#maxReadBytes + extraReadBytes;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.hasEnded || status < 200) return;
    const now = performance.now();
    this.status = status;
    this.firstByteMs = now - this.#startedAt;
    this.retryAfter = [headers['retry-after']].flat()[0] ?? null;
    this.responseHeaders = fittingHeaders(headers, maxHeaderChars);
    if (now + this.limits.afterHeadMs >= this.#deadlineAt) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTime(), this.limits.afterHeadMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.hasEnded) return;
    this.#readBytes += chunk.length;
    const room = this.#maxKeptBytes - this.#keptBytes;
    if (room > 0) {
      // A copy, because the chunk is a view of a much larger buffer.
      const part = Buffer.from(chunk.length <= room ? chunk : chunk.subarray(0, room));
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    if (this.#readBytes > this.#maxReadBytes) this.onOverrun();
  }

  onResponseEnd(): void {
    this.#isWhole = true;
    this.#end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
  }

  onOverrun(): void {
    this.#cut(headTooLarge(this.#target.where));
  }

  #onTime(): void {
    this.#cut(this.#lateFault());
  }

  /** Describes what the exchange was waiting for at its deadline. */
  #lateFault(): SendFault {
    const { host, where, literal } = this.#target;
    if (this.link === null)
      return new SendFault('timeout', `All connections to ${where} were busy until the time was up`);
    if (!this.link.isOpening)
      return new SendFault('timeout', `${where} did not answer before the time was up`);
    return literal === null && this.progress.dnsMs === null
      ? new SendFault('dns_error', `The name ${host} was not resolved in time`)
      : new SendFault('connect_timeout', `${where} did not take the connection in time`);
  }

  /** Ends the exchange from our side. If the head has arrived, the status stays and the reason is dropped. */
  #cut(reason: Error): void {
    if (this.hasEnded) return;
    const { link } = this;
    this.#end(reason);
    if (this.#controller === null) link?.destroy(reason);
    else this.#controller.abort(reason);
  }

  #end(error: Error | null): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearTimeout(this.#timer);
    if (this.link?.user === this) this.link.user = null;
    if (this.status === null && error !== null) this.error = this.#fault(error);
    this.settle(this);
  }

  #fault(error: Error): Error {
    const { where } = this.#target;
    const socket = this.#socket;
    // undici has one code for a socket that closed and for a response that made undici close it. Only in the first case
    // did the other side end the connection.
    const isOurClose = codeOf(error) === 'UND_ERR_SOCKET' && socket !== null && !socket.readableEnded;
    if (isOurClose && socket.bytesRead > this.#bytesReadBefore)
      return invalidResponse(where, 'UND_ERR_SOCKET');
    return toFault(error, 'exchange', where);
  }
}
