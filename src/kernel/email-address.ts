/**
 * What counts as one e-mail address. Both forms are a single address without name, comma, space or line break:
 * no accepted text can end a header or name a second recipient.
 */

const maxLength = 254;

/** Deliberately the same narrow form that the settings accept. The part before the @ can contain any letters. */
const mailbox = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/iu;

export const isMailbox = (text: string): boolean => text.length <= maxLength && mailbox.test(text);

const atom = String.raw`[\w!#$%&'*+/=?^${'`'}{|}~-]+`;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const plain = new RegExp(String.raw`^(?=[^@]{1,64}@)${atom}(?:\.${atom})*@(?:${label}\.)+${label}$`, 'i');

/**
 * Stricter, for addresses that visitors enter: ASCII only and with a dotted domain. A non-ASCII letter in a header
 * makes a mail undeliverable if the server does not support SMTPUTF8.
 */
export const isPlainAddress = (text: string): boolean => text.length <= maxLength && plain.test(text);

/** Removes duplicates and addresses in `known`. Upper and lower case are equal. */
export function distinctAddresses(
  addresses: readonly string[],
  known: readonly string[] = [],
): readonly string[] {
  const taken = new Set(known.map((address) => address.toLowerCase()));
  return addresses.filter((address) => {
    const spelling = address.toLowerCase();
    return !taken.has(spelling) && taken.add(spelling);
  });
}
