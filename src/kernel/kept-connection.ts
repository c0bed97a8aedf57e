/**
 * One connection that is maintained in the background: opened, watched by its owner, and reopened with growing
 * waits for as long as it takes.
 *
 * Invariants: no caller waits for it (`current` is null while it is not known to work). There is never more than
 * one. Each outage is reported once, and its end once. Its errors never become unhandled rejections.
 */
export interface Attempt {
  /** Aborts when this connection is given up, also long after it was opened. The owner then closes it. */
  readonly signal: AbortSignal;
  /** Reports that the connection is lost or does not work. Only the first call counts. */
  readonly lose: (error: unknown) => void;
}

export interface KeptConnectionOptions<Connection> {
  /** Opens a connection and tests it. It counts as up when this resolves. */
  readonly open: (attempt: Attempt) => Promise<Connection>;
  readonly openTimeoutMs?: number;
  /** `wasDown`: an outage was reported before. */
  readonly onUp?: (connection: Connection, wasDown: boolean) => void;
  readonly onDown?: (error: Error) => void;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
}

export interface KeptConnection<Connection> {
  /** Null while the connection does not work, or not yet. */
  readonly current: Connection | null;
  /** Gives up the connection if it is the current one, and opens another. */
  lose(connection: Connection, error: unknown): void;
  close(): void;
}

/** After a connection has worked for this long, the waits start short again. */
const steadyAfterMs = 10_000;

export function keepConnected<Connection>(
  options: KeptConnectionOptions<Connection>,
): KeptConnection<Connection> {
  const { openTimeoutMs = 3_000, firstWaitMs = 250, longestWaitMs = 3_000 } = options;
  let up: { readonly connection: Connection; readonly lose: (error: unknown) => void } | null = null;
  let abandon: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isToldDown = false;
  let isClosed = false;

  function again(): void {
    // Jitter, so that many processes do not reconnect to a restarted server at the same moment.
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 10));
    failures += 1;
    timer = setTimeout(attempt, waitMs * (0.75 + Math.random() / 2));
    timer.unref();
  }

  function attempt(): void {
    const controller = new AbortController();
    let isOver = false;
    let upSince: number | null = null;
    const end = (): void => {
      isOver = true;
      clearTimeout(limit);
      up = null;
      abandon = null;
      controller.abort();
    };
    const lose = (error: unknown): void => {
      if (isOver) return;
      end();
      if (upSince !== null && performance.now() - upSince > steadyAfterMs) failures = 0;
      again();
      if (isToldDown) return;
      isToldDown = true;
      options.onDown?.(error instanceof Error ? error : new Error(String(error)));
    };
    const limit = setTimeout(() => lose(new Error(`no answer within ${openTimeoutMs} ms`)), openTimeoutMs);
    limit.unref();
    abandon = end;
    options.open({ signal: controller.signal, lose }).then((connection) => {
      if (isOver) return;
      clearTimeout(limit);
      upSince = performance.now();
      up = { connection, lose };
      const wasDown = isToldDown;
      isToldDown = false;
      options.onUp?.(connection, wasDown);
    }, lose);
  }

  attempt();
  return {
    get current() {
      return up === null ? null : up.connection;
    },
    lose(connection, error) {
      if (up?.connection === connection) up.lose(error);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      abandon?.();
    },
  };
}
