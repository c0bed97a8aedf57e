/** The message of an error. If a connection fails at every address of a host, it is empty; the inner errors have the messages. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === '' && error instanceof AggregateError) {
    return [...new Set(error.errors.map(messageOf))].join('; ');
  }
  return error.message;
}

/** Mail servers quote the recipient's address, and logs outlive the erasure of a person. Only for texts of limited length. */
export const withoutAddresses = (text: string): string =>
  text.replace(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '***');
