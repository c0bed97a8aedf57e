/**
 * What carries signals between processes: short texts, each to everybody who is connected just then. It connects in the
 * background, may lose any message, and hands a process its own messages too or not, as it likes.
 */
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

/** What operators are told of a transport: an outage once, its end once. */
export interface TransportNews {
  /** The reason names no password. */
  readonly onDown: (reason: string) => void;
  readonly onUp: () => void;
}
