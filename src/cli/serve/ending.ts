/**
 * How a serving process ends. The first SIGTERM or SIGINT requests a graceful stop, a second one ends it at once. A stop
 * that hangs is cut off. An uncaught error ends the process, because its state is no longer known.
 */
import type { Logger } from '../../kernel/log.js';

export interface Ending {
  /** Resolves when the process should stop, with the exit code of a successful stop. */
  readonly asked: Promise<number>;
  /** Requests a stop like the first signal; calling it again changes nothing. */
  readonly end: () => void;
  /** Requests a stop because the service cannot continue. */
  readonly fail: (error: Error) => void;
  /** Removes all handlers and timers, so that nothing here keeps the process running or ends it any more. */
  release(): void;
}

const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof signalCodes;

export interface EndingOptions {
  /** A leader gets the same SIGINT as this process, and tells it when to stop. */
  readonly isLed: boolean;
  readonly longestStopMs: number;
  /** How npm runs this process (`start`, `npx`, the name of a script); null without npm. */
  readonly npmEvent: string | null;
}

/** npm forwards a signal that the terminal sends to every process anyway: one this soon after the first is the same signal. */
const sameSignalMs = 1_000;
const parentEveryMs = 250;
/** Read when this file is loaded, so that a parent that ends during the start is noticed too. */
const firstParent = process.ppid;

export function watchForEnd(log: Logger, { isLed, longestStopMs, npmEvent }: EndingOptions): Ending {
  let answer: (code: number) => void = () => {};
  const asked = new Promise<number>((resolve) => {
    answer = resolve;
  });
  let cut: NodeJS.Timeout | null = null;
  let askedAt = 0;

  const ask = (code: number): void => {
    cut ??= setTimeout(() => {
      log.fatal({ afterMs: longestStopMs }, 'stopping took too long; ended by force');
      process.exit(1);
    }, longestStopMs);
    answer(code);
  };
  const onSignal = (signal: StopSignal): void => {
    if (isLed && signal === 'SIGINT') return;
    const now = performance.now();
    if (cut && npmEvent !== null && now - askedAt < sameSignalMs) return;
    if (cut) process.exit(signalCodes[signal]);
    askedAt = now;
    log.info({ signal }, 'stopping');
    ask(0);
  };
  // npm signals its shell, and not every shell forwards the signal: it ends and leaves this process behind. Not for other
  // scripts, which may leave it running on purpose.
  const watchParent = (): void => {
    if (process.ppid === firstParent) return;
    clearInterval(parentWatch);
    log.info('the npm process that started Inlet has ended; stopping');
    ask(0);
  };
  const hasParent = !isLed && (npmEvent === 'start' || npmEvent === 'npx');
  const parentWatch = hasParent ? setInterval(watchParent, parentEveryMs).unref() : undefined;
  const fail = (error: Error): void => {
    log.fatal({ err: error }, 'the database file can no longer be trusted; stopping');
    ask(1);
  };
  const onUncaught = (error: unknown): void => {
    log.fatal({ err: error }, 'unexpected fault');
    process.exit(1);
  };

  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('uncaughtException', onUncaught);
  process.on('unhandledRejection', onUncaught);
  return {
    asked,
    end: () => ask(0),
    fail,
    release() {
      if (cut) clearTimeout(cut);
      clearInterval(parentWatch);
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('uncaughtException', onUncaught);
      process.off('unhandledRejection', onUncaught);
    },
  };
}
