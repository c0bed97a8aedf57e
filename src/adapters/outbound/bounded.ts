/** Waits for `work`, but at most `maxMs`, and not after the send it belongs to has ended. */
export function bounded<T>(
  work: Promise<T>,
  maxMs: number,
  signal: AbortSignal,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const timer = setTimeout(() => fail(late()), maxMs);
    // Also handles a late result: an unhandled rejection would end the process.
    work.then((value) => {
      end();
      resolve(value);
    }, fail);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}
