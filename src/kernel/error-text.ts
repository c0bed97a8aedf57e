/** What an error says. A connection that failed at every address of a name has an empty message, and the real ones inside. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === '' && error instanceof AggregateError) {
    return [...new Set(error.errors.map(messageOf))].join('; ');
  }
  return error.message;
}

/** Mail servers repeat the address that they speak of, and a log outlives the person who is erased. For texts of a bounded length. */
export const withoutAddresses = (text: string): string =>
  text.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '***');
