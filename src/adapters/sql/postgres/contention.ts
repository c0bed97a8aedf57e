/** Retries transactions that conflict with those of other processes. */
import { StoreUnavailable } from '../../../ports/store.js';

/** This transaction was rolled back because of another one. It can be retried at once. */
export class StoreContended extends StoreUnavailable {}

const triesAtOnce = 4;

/** Runs work that is one whole transaction, and retries it when it was rolled back because of another one. */
export async function despiteContention<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === triesAtOnce || !(error instanceof StoreContended)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries));
    }
  }
}
