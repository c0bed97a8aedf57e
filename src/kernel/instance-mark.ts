/**
 * By which this instance knows its own deliveries again, however they come back: through a proxy, a tunnel or an automation
 * that repeats headers. The same in all processes and after a restart; it tells nothing of the secret that it is made from.
 */
import { deriveKey } from './secrets.js';

export const instanceHeader = 'x-inlet-instance';

export const instanceMark = (secret: string): string =>
  deriveKey(secret, 'instance-mark').toString('hex').slice(0, 32);
