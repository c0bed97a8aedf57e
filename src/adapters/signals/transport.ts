/**
 * What carries signals between processes: short texts, each to everybody who is connected just then. It connects in the
 * background, may lose any message, and hands a process its own messages too.
 */
import { type Attempt, type KeptConnection, keepConnected } from '../../kernel/kept-connection.js';
import { startHeartbeat } from './heartbeat.js';

export interface SignalTransport {
  /** The longest message that it takes. */
  readonly maxMessageBytes: number;
  /** Called once, before anything else. */
  start(listener: TransportListener): void;
  isUp(): boolean;
  /** Resolves when the message was handed over or is lost; never rejects, and ends within seconds. */
  send(message: string): Promise<void>;
  close(): Promise<void>;
}

export interface TransportListener {
  onMessage(message: string): void;
  /** It is up, now or again: what others sent before was not heard. */
  onUp(): void;
}

/** What operators see of a transport: an outage once, its end once. */
export interface TransportNews {
  /** The reason names no password. */
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
  /** Of this process alone, for its heartbeat. */
  readonly beatChannel: string;
  /** Listens to both channels, and then calls `heard` with everything that comes there. */
  readonly open: (attempt: Attempt, heard: (channel: string, text: string) => void) => Promise<Wire>;
}

/** A transport over a wire that is opened again whenever its heartbeat stops. */
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
      // A fault of the connection is reported there; of anything else a signal is lost.
      await kept?.current?.publish(channel, message).catch(() => {});
    },

    async close() {
      kept?.close();
    },
  };
}
