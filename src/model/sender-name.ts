/** The visitor's name as given in a submission, for the subject of a mail. It is shown, but never trusted. */
import { membersOf } from '../kernel/json-outline.js';

/** Names of the fields in lower case and without punctuation, the clearest first. */
const wholeNames = ['name', 'fullname', 'yourname', 'contactname', 'sendername', 'nom', 'nombre', '姓名'];
const firstNames = ['firstname', 'fname', 'givenname', 'forename', 'vorname', 'prenom'];
const lastNames = ['lastname', 'lname', 'familyname', 'surname', 'nachname', 'apellido', 'apellidos'];
/** Of the JSON text. Anything longer is not a name. */
const maxSourceLength = 400;

export function senderNameOf(data: string): string | null {
  const found = new Map<string, string>();
  for (const { name, value } of membersOf(data)) {
    const plainName = name.toLowerCase().replace(/[^\p{L}]/gu, '');
    if (!value.startsWith('"') || value.length > maxSourceLength || found.has(plainName)) continue;
    const text = (JSON.parse(value) as string).trim();
    if (text !== '') found.set(plainName, text);
  }
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => found.get(name)).find((text) => text !== undefined);
  const parts = [first(firstNames), first(lastNames)].filter((part) => part !== undefined);
  return first(wholeNames) ?? (parts.length > 0 ? parts.join(' ') : null);
}
