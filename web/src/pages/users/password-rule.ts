/** The server's rule for a new password: 10 to 128 bytes. Pure. */
import * as words from '../../words/users.js';

const minBytes = 10;
const maxBytes = 128;

/** Returns null when the password is allowed. */
export function passwordFault(password: string): string | null {
  const bytes = new TextEncoder().encode(password).length;
  if (bytes < minBytes) return words.atLeast(minBytes);
  return bytes > maxBytes ? words.atMost(maxBytes) : null;
}
