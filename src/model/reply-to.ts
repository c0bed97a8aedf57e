/**
 * The recipient of a reply to a submission: the visitor, if they gave one address and nothing else. A text that
 * could be read as more is never used: it would let visitors add recipients to the owner's reply.
 */
import { isPlainAddress } from '../kernel/email-address.js';
import { membersOf } from '../kernel/json-outline.js';

/** Names of the field in lower case and without punctuation, the clearest first. */
const addressNames = [
  'replyto',
  'email',
  'emailaddress',
  'mail',
  'mailaddress',
  'youremail',
  'contactemail',
  'useremail',
  'fromemail',
  'emailfrom',
];
/** An address has at most 254 characters, each written with at most six. */
const maxSourceLength = 254 * 6 + 2;

/** `asked`: the value of the control field for it. */
export function replyToOf(data: string, asked: string | null = null): string | null {
  const wanted = asked?.trim() ?? '';
  if (isPlainAddress(wanted)) return wanted;
  const named = new Map<string, string | null>();
  const addresses: string[] = [];
  for (const { name, value } of membersOf(data)) {
    const address = addressIn(value);
    const plainName = name.toLowerCase().replace(/[^a-z]/g, '');
    if (addressNames.includes(plainName)) named.set(plainName, named.get(plainName) ?? address);
    if (address !== null) addresses.push(address);
  }
  // An address field without an address means that the visitor gave none: any other belongs to another person.
  if (named.size > 0) {
    return addressNames.map((name) => named.get(name) ?? null).find((address) => address !== null) ?? null;
  }
  return addresses.length === 1 ? (addresses[0] ?? null) : null;
}

function addressIn(source: string): string | null {
  if (!source.startsWith('"') || source.length > maxSourceLength) return null;
  const text = JSON.parse(source) as string;
  return isPlainAddress(text) ? text : null;
}
