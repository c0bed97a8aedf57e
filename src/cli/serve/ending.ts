/**
 * How a serving process ends. The first SIGTERM or SIGINT asks for a graceful stop, a second one ends at once; a stop
 * that hangs is cut; a fault that nobody caught ends the process, because its state is not known any more.
 */
import type { Logger } from '../../kernel/log.js';

export interface Ending {
  /** Resolves when the process should stop, with the exit code of a stop that goes well. */
  readonly asked: Promise<number>;
  /** Asks for the end as the first signal does; again changes nothing. */
  readonly end: () => void;
  /** Asks for the end because the service cannot go on. */
  readonly fail: (error: Error) => void;
  /** Lets go of the process: nothing here holds it or ends it any more. */
  release(): void;
}

const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof signalCodes;

export interface EndingOptions {
  /** Another process is interrupted with this one, and tells it what to do. */
  readonly isLed: boolean;
  readonly longestStopMs: number;
  /** How npm runs this process (`start`, `npx`, the name of a script); null without npm. */
  readonly npmEvent: string | null;
}

/** npm passes on what the terminal has sent to every process: a signal this soon after the first is the same one. */
const sameSignalMs = 1_000;
const parentEveryMs = 250;
/** Read as this file is loaded: a parent that ends during the start is missed as well. */
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
  // npm signals its shell, and not every shell passes that on: it ends and leaves this process behind. Not for other
  // scripts, which may mean to leave it running.
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
