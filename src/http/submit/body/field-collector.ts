/**
 * Collects the name-value pairs of the two form encodings into the fields of a submission. Names are data: in a Map, neither `__proto__`
 * nor numeric names such as "10" and "2" have a special meaning.
 */
import { isReserved, type SubmittedFields } from '../../../model/fields.js';

/** `name[]` is the field `name`; `[]` alone is a name like any other. */
export function plainName(name: string): string {
  return name.length > 2 && name.endsWith('[]') ? name.slice(0, -2) : name;
}

/** Characters that JSON.stringify escapes, and surrogates, of which it escapes lone ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;
const shortLength = 64;

/** JSON.stringify takes three times as long for short texts, as most fields are. */
const quoted = (text: string): string =>
  text.length > shortLength || needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;

export class FieldCollector {
  /** An array for `name[]` and for every repeated name. */
  readonly #values = new Map<string, string | string[]>();
  readonly #reserved = new Map<string, string>();

  add(name: string, value: string): void {
    const field = plainName(name);
    if (isReserved(field)) {
      if (value !== '' && !this.#reserved.has(field)) this.#reserved.set(field, value);
      return;
    }
    const known = this.#values.get(field);
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined) this.#values.set(field, [known, value]);
    else this.#values.set(field, field === name ? value : [value]);
  }

  collected(): SubmittedFields {
    let members = '';
    for (const [name, value] of this.#values) {
      const separator = members === '' ? '' : ',';
      members += `${separator}${quoted(name)}:${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`;
    }
    return { json: `{${members}}`, values: null, reserved: this.#reserved };
  }
}
