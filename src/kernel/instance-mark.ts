/**
 * Lets this instance recognise its own deliveries when they come back through a proxy, a tunnel or an automation that repeats
 * headers. It is the same in all processes and after a restart. It reveals nothing about the secret it is derived from.
 */
import { deriveKey } from './secrets.js';

export const instanceHeader = 'x-inlet-instance';

export const instanceMark = (secret: string): string =>
  deriveKey(secret, 'instance-mark').toString('hex').slice(0, 32);
