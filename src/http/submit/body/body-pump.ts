/**
 * Draws the bytes of one request body: counts them, times them, and notices a client that left.
 *
 * What must stay true: the receiver hears exactly one of `end` and `fail`, and nothing after it. From then on, and
 * after `stop`, the pump holds no listener and no timer; a body that is not at its end is left paused.
 */
import type { Readable } from 'node:stream';
import { type Refusal, refuse } from '../../../model/errors.js';

/** An incoming request, as far as its body goes. */
export type BodySource = Readable & {
  readonly complete?: boolean;
  readonly headers?: { readonly 'content-length'?: string | undefined };
};

/** How slowly a body may come. Time in which we ourselves held the client back does not count. */
export interface BodyPace {
  readonly idleTimeoutMs: number;
  /** In each stretch of this length the average counts: a drip of single bytes would beat the idle timer for ever. */
  readonly graceMs: number;
  readonly minBytesPerSecond: number;
  /** The whole body, however it comes. */
  readonly maxMs: number;
}

export const defaultPace: BodyPace = {
  idleTimeoutMs: 20_000,
  graceMs: 30_000,
  minBytesPerSecond: 1024,
  maxMs: 15 * 60_000,
};

/** Text is held in memory while it comes: a minute is enough for a mebibyte on any line that deserves the name. */
export const textPace: BodyPace = { ...defaultPace, maxMs: 60_000 };

export interface BodyProgress {
  readonly bytes: number;
  /** How long the client took for them. */
  readonly clientMs: number;
}

export interface BodyReceiver {
  chunk(bytes: Buffer): void;
  end(): void;
  /** A plain Error is an internal error: the receiver itself threw. */
  fail(reason: Refusal | 'aborted' | Error): void;
}

/**
 * Each piece takes 4 µs, however few bytes are in it: a mebibyte sent byte by byte took four seconds. Those of a device that
 * writes letter by letter are welcome, so many.
 */
const freePieces = 4_096;
const leastPieceBytes = 16;

/** A body of at most this many bytes usually comes in one piece with its head. */
const onePieceBytes = 16 * 1024;

/** Looked at again at the end of this turn of the event loop: those bodies that have not ended by then are watched. */
let begun: BodyPump[] = [];

function watchThose(): void {
  const pumps = begun;
  begun = [];
  for (const pump of pumps) pump.watch();
}

export class BodyPump {
  #receivedBytes = 0;
  #pieces = 0;
  #running = false;
  #held = false;
  #watched = false;
  #timer: NodeJS.Timeout | undefined;
  #waitingSince = 0;
  #waitedMs = 0;
  #stretchStartMs = 0;
  #stretchStartBytes = 0;

  constructor(
    private readonly source: BodySource,
    private readonly maxBytes: number,
    private pace: BodyPace,
    private readonly receiver: BodyReceiver,
  ) {}

  start(): void {
    const { source } = this;
    if (source.destroyed) {
      this.receiver.fail('aborted');
      return;
    }
    this.#running = true;
    source.on('end', this.#onEnd);
    source.on('data', this.#onData);
    if (source.complete !== true) this.#waitingSince = performance.now();
    // Most small bodies end within this turn and need neither a clock nor to be watched: that was 6 % of the path.
    if (Number(source.headers?.['content-length']) <= onePieceBytes) {
      if (begun.push(this) === 1) setImmediate(watchThose);
    } else {
      this.watch();
    }
  }

  /** From now on a client that leaves or stops is noticed. One that left before is noticed at once. */
  watch(): void {
    const { source } = this;
    if (!this.#running || this.#watched) return;
    if (source.destroyed) {
      this.#fail('aborted');
      return;
    }
    this.#watched = true;
    source.on('error', this.#onGone);
    source.on('close', this.#onGone);
    if (source.complete !== true) this.#timer = setTimeout(this.#onIdle, this.pace.idleTimeoutMs);
  }

  /** From here on the body may take this long. */
  changePace(pace: BodyPace): void {
    this.pace = pace;
  }

  /** null: nothing more is expected from the client. */
  progress(): BodyProgress | null {
    if (!this.#running || this.source.complete === true) return null;
    return { bytes: this.#receivedBytes, clientMs: this.#clientMs() };
  }

  /** Lets the socket fill up, so that the client is slowed down. */
  hold(): void {
    if (!this.#running || this.#held) return;
    this.#held = true;
    this.#waitedMs += performance.now() - this.#waitingSince;
    this.source.pause();
  }

  release(): void {
    if (!this.#running || !this.#held) return;
    this.#held = false;
    this.#waitingSince = performance.now();
    this.#timer?.refresh();
    this.source.resume();
  }

  stop(): void {
    if (!this.#running) return;
    this.#detach();
    this.source.pause();
  }

  readonly #onData = (bytes: Buffer): void => {
    this.#receivedBytes += bytes.length;
    this.#pieces += 1;
    if (this.#pieces > freePieces && this.#pieces * leastPieceBytes > this.#receivedBytes) {
      this.#fail(refuse.bodyInCrumbs());
    } else if (this.#receivedBytes > this.maxBytes) {
      this.#fail(refuse.tooManyBytes('body', this.maxBytes));
    } else if (this.#timer !== undefined && this.#isTooSlow()) {
      this.#fail(refuse.bodyTooSlow());
    } else {
      this.#timer?.refresh();
      try {
        this.receiver.chunk(bytes);
      } catch (error) {
        this.#receiverThrew(error);
      }
    }
  };

  readonly #onEnd = (): void => {
    this.#detach();
    try {
      this.receiver.end();
    } catch (error) {
      this.#receiverThrew(error);
    }
  };

  /** `error` and a `close` before the end mean the same: nobody is there to read a response. */
  readonly #onGone = (): void => this.#fail('aborted');

  /** While the body is held the timer may run out unheard; `release` starts it again. */
  readonly #onIdle = (): void => {
    if (!this.#held) this.#fail(refuse.bodyTooSlow());
  };

  #clientMs(): number {
    return this.#held ? this.#waitedMs : this.#waitedMs + performance.now() - this.#waitingSince;
  }

  #isTooSlow(): boolean {
    const waitedMs = this.#clientMs();
    if (waitedMs > this.pace.maxMs) return true;
    const stretchMs = waitedMs - this.#stretchStartMs;
    if (stretchMs <= this.pace.graceMs) return false;
    const stretchBytes = this.#receivedBytes - this.#stretchStartBytes;
    this.#stretchStartMs = waitedMs;
    this.#stretchStartBytes = this.#receivedBytes;
    return stretchBytes * 1000 < this.pace.minBytesPerSecond * stretchMs;
  }

  /** We run inside an event: what the receiver throws would otherwise end the process. */
  #receiverThrew(error: unknown): void {
    this.#fail(error instanceof Error ? error : new Error(String(error)));
  }

  #fail(reason: Refusal | 'aborted' | Error): void {
    this.stop();
    this.receiver.fail(reason);
  }

  #detach(): void {
    this.#running = false;
    this.source.off('end', this.#onEnd);
    this.source.off('data', this.#onData);
    if (!this.#watched) return;
    clearTimeout(this.#timer);
    this.source.off('error', this.#onGone);
    this.source.off('close', this.#onGone);
  }
}
