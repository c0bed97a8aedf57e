/**
 * Gathers the name-value pairs of the two form encodings into the fields of a submission.
 * Names are data: they live in a Map, where neither `__proto__` nor "10" before "2" means anything.
 */
import { reservedFields, type SubmittedFields } from '../../../model/fields.js';

/** `name[]` is the field `name`; `[]` alone is a name like any other. */
export function plainName(name: string): string {
  return name.length > 2 && name.endsWith('[]') ? name.slice(0, -2) : name;
}

export class FieldCollector {
  /** An array for `name[]` and for whatever came twice. */
  readonly #values = new Map<string, string | string[]>();
  readonly #reserved = new Map<string, string>();

  add(name: string, value: string): void {
    const field = plainName(name);
    if (reservedFields.has(field)) {
      if (value !== '' && !this.#reserved.has(field)) this.#reserved.set(field, value);
      return;
    }
    const known = this.#values.get(field);
    if (Array.isArray(known)) known.push(value);
    else if (known !== undefined) this.#values.set(field, [known, value]);
    else this.#values.set(field, field === name ? value : [value]);
  }

  collected(): SubmittedFields {
    const members: string[] = [];
    for (const [name, value] of this.#values) {
      members.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
    }
    return { json: `{${members.join(',')}}`, reserved: this.#reserved };
  }
}
