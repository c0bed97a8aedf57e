/** What a new password must be, as the server has it: from 10 to 128 bytes. Pure. */
const minBytes = 10;
const maxBytes = 128;

/** null: it may be used. */
export function passwordFault(password: string): string | null {
  const bytes = new TextEncoder().encode(password).length;
  if (bytes < minBytes) return `At least ${minBytes} characters`;
  return bytes > maxBytes ? `At most ${maxBytes} characters` : null;
}
