/** What to do when transactions of several processes stand in each other's way. */
import { StoreUnavailable } from '../../../ports/store.js';

/** This transaction was undone whole because of another one. It may be tried again at once. */
export class StoreContended extends StoreUnavailable {}

const triesAtOnce = 4;

/** Runs work that is one whole transaction, again when it was undone because of another one. */
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
