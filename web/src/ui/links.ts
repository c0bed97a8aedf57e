/** Which visitor texts may become links. */

const address = /^(?:https?:\/\/|mailto:)[^\s]+$/i;
const mailAddress = /^[^\s@<>"(),:;[\]\\]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;

/** The link target of a submitted text. Web and mail only, never `javascript:` or `data:`. */
export function linkOf(text: string): string | null {
  const trimmed = text.trim();
  if (mailAddress.test(trimmed)) return `mailto:${encodeURIComponent(trimmed).replaceAll('%40', '@')}`;
  if (!address.test(trimmed) || !URL.canParse(trimmed)) return null;
  const { protocol } = new URL(trimmed);
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? trimmed : null;
}
