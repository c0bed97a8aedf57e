/**
 * Reads the bytes of one request body: counts them, times them, and detects a client that disconnected.
 *
 * Invariants: the `receiver` gets exactly one of `end` and `fail`, and nothing after it. From then on, and after `stop`, the pump has no
 * listener and no timer; a body that is not at its end is left paused.
 */
import type { Readable } from 'node:stream';
import { type Refusal, refuse } from '../../../model/errors.js';

/** The part of an incoming request that its body needs. */
export type BodySource = Readable & {
  readonly complete?: boolean;
  readonly headers?: { readonly 'content-length'?: string | undefined };
};

/** How slowly a body may arrive. Time in which we paused the client does not count. */
export interface BodyPace {
  readonly idleTimeoutMs: number;
  /** The average over each period of this length counts: single bytes now and then would never trigger the idle timer. */
  readonly graceMs: number;
  readonly minBytesPerSecond: number;
  /** The whole body, at any pace. */
  readonly maxMs: number;
}

export const defaultPace: BodyPace = {
  idleTimeoutMs: 20_000,
  graceMs: 30_000,
  minBytesPerSecond: 1024,
  maxMs: 15 * 60_000,
};

/** Text is buffered in memory: a minute is enough for a mebibyte on any usable connection. */
export const textPace: BodyPace = { ...defaultPace, maxMs: 60_000 };

export interface BodyProgress {
  readonly bytes: number;
  /** How long the client took for them. */
  readonly clientMs: number;
}

export interface BodyReceiver {
  chunk(bytes: Buffer): void;
  end(): void;
  /** A plain Error is an internal error: the `receiver` itself threw. */
  fail(reason: Refusal | 'aborted' | Error): void;
}

/**
 * Each chunk takes 4 µs, however small: a mebibyte sent byte by byte took four seconds. Up to this many chunks may be small, for devices
 * that write character by character.
 */
const freePieces = 4_096;
const leastPieceBytes = 16;

/** A body of at most this many bytes usually arrives in one chunk with its head. */
const onePieceBytes = 16 * 1024;

/** Pumps that started in this turn of the event loop. Those whose body has not ended by the end of the turn are watched. */
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
    // Most small bodies end within this turn and need neither a timer nor to be watched, which took 6 % of the path.
    if (Number(source.headers?.['content-length']) <= onePieceBytes) {
      if (begun.push(this) === 1) setImmediate(watchThose);
    } else {
      this.watch();
    }
  }

  /** From now on a client that disconnects or stalls is detected. One that disconnected before is detected at once. */
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

  /** From now on this pace applies. */
  changePace(pace: BodyPace): void {
    this.pace = pace;
  }

  /** Returns null when nothing more is expected from the client. */
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

  /** `error` and a `close` before the end mean the same: the client is no longer there to read a response. */
  readonly #onGone = (): void => this.#fail('aborted');

  /** While the body is paused the timer may fire without effect. `release` restarts it. */
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

  /** We run in an event listener: an error that the `receiver` throws would otherwise end the process. */
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
