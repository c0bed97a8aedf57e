/**
 * One connection that is kept up in the background: opened, watched by its owner, and opened again with
 * growing waits for as long as it takes.
 *
 * What must stay true: nobody waits for it (`current` is null while it is not known to work); there is never more
 * than one; each outage is reported once, and its end once; no fault of it is ever an unhandled rejection.
 */
export interface Attempt {
  /** Aborts when this connection is given up, also long after it was opened: its owner then ends it. */
  readonly signal: AbortSignal;
  /** Says that it is gone, or does not work. Only the first word counts. */
  readonly lose: (error: unknown) => void;
}

export interface KeptConnectionOptions<Connection> {
  /** Opens one and tries it out: it counts as up when this resolves. */
  readonly open: (attempt: Attempt) => Promise<Connection>;
  readonly openTimeoutMs?: number;
  /** `wasDown`: an outage was reported before. */
  readonly onUp?: (connection: Connection, wasDown: boolean) => void;
  readonly onDown?: (error: Error) => void;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
}

export interface KeptConnection<Connection> {
  /** null: it does not work, or not yet. */
  readonly current: Connection | null;
  /** Gives the connection up, if it is the one in use, and opens another. */
  lose(connection: Connection, error: unknown): void;
  close(): void;
}

/** One that worked for this long starts over with short waits. */
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
    // Spread, so that many processes do not come back to a restarted server in one moment.
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
