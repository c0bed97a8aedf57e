/**
 * Carries signals between processes: short texts, each to every process that is connected at that moment. It connects in
 * the background, may lose any message, and returns a process its own messages, too.
 */
import { type Attempt, type KeptConnection, keepConnected } from '../../kernel/kept-connection.js';
import { startHeartbeat } from './heartbeat.js';

export interface SignalTransport {
  readonly maxMessageBytes: number;
  /** Call once, before anything else. */
  start(listener: TransportListener): void;
  isUp(): boolean;
  /** Resolves when the message was handed over or is lost. Never rejects, and ends within seconds. */
  send(message: string): Promise<void>;
  close(): Promise<void>;
}

export interface TransportListener {
  onMessage(message: string): void;
  /** The transport is up, for the first time or again. What other processes sent before was missed. */
  onUp(): void;
}

/** What operators see of a transport: each outage once, and its end once. */
export interface TransportNews {
  /** The reason contains no password. */
  readonly onDown: (reason: string) => void;
  readonly onUp: () => void;
}

/** One connection, or two that belong together. */
export interface Wire {
  publish(channel: string, text: string): Promise<unknown>;
}

export interface WireOptions extends TransportNews {
  readonly maxMessageBytes: number;
  readonly openTimeoutMs: number;
  readonly channel: string;
  /** Used only by this process, for its heartbeat. */
  readonly beatChannel: string;
  /** Subscribes to both channels, then calls `heard` with everything that arrives there. */
  readonly open: (attempt: Attempt, heard: (channel: string, text: string) => void) => Promise<Wire>;
}

/** A transport over a wire that is reopened whenever its heartbeat stops. */
export function transportOver(options: WireOptions): SignalTransport {
  const { maxMessageBytes, openTimeoutMs, channel, beatChannel, onDown, onUp } = options;
  let kept: KeptConnection<Wire> | null = null;

  const open = async (attempt: Attempt, listener: TransportListener): Promise<Wire> => {
    let onBeat = (): void => {};
    const wire = await options.open(attempt, (from, text) => {
      if (from === beatChannel) onBeat();
      else listener.onMessage(text);
    });
    const heartbeat = startHeartbeat(attempt, () => wire.publish(beatChannel, ''));
    onBeat = heartbeat.onBeat;
    await heartbeat.first;
    return wire;
  };

  return {
    maxMessageBytes,

    start(listener) {
      kept = keepConnected<Wire>({
        open: (attempt) => open(attempt, listener),
        openTimeoutMs,
        onUp(_wire, wasDown) {
          if (wasDown) onUp();
          listener.onUp();
        },
        onDown: (error) => onDown(error.message),
      });
    },

    isUp: () => kept?.current != null,

    async send(message) {
      // Faults of the connection are reported there. Any other fault only loses a signal.
      await kept?.current?.publish(channel, message).catch(() => {});
    },

    async close() {
      kept?.close();
    },
  };
}
