/** The interface of all setting types, and the general ones: texts and choices. */

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly wrong: string };

export interface SettingType<T> {
  /** Completes "expected …" in a fault, and is the "Value" of a setting in the documentation. */
  readonly expects: string;
  /**
   * `wrong` completes the sentence `NAME "text" …`. It never repeats the text itself: the text may be a
   * secret, and only the loader knows whether it can be shown.
   */
  parse(text: string): Parsed<T>;
}

export const valid = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const invalid = (wrong: string): Parsed<never> => ({ ok: false, wrong });

/** Text that is used as written if `fits` accepts it. */
export const text = (
  expects: string,
  fits: (value: string) => boolean,
  wrong: string,
): SettingType<string> => ({
  expects,
  parse: (value) => (fits(value) ? valid(value) : invalid(wrong)),
});

/** A token that fits in an Authorization header. */
export const bearer = (min: number, max: number): SettingType<string> => ({
  expects: `${min} to ${max} printable ASCII characters without spaces`,
  parse: (value) =>
    value.length >= min && value.length <= max && /^[!-~]*$/.test(value)
      ? valid(value)
      : invalid('is too short, too long or has other characters'),
});

/** Text of a limited length, counted in code points. */
export const textOfLength = (min: number, max: number, expects: string): SettingType<string> => ({
  expects,
  parse(value) {
    const length = [...value].length;
    if (length < min) return invalid('is too short');
    return length > max ? invalid('is too long') : valid(value);
  },
});

/** The length is counted in bytes, because bytes are what is hashed. */
export const password = ({ min, max }: { min: number; max: number }): SettingType<string> => ({
  expects: `${min} to ${max} bytes`,
  parse(value) {
    const bytes = Buffer.byteLength(value);
    if (bytes < min) return invalid('is too short');
    return bytes > max ? invalid('is too long') : valid(value);
  },
});

/** One of a few words; upper and lower case are equal. */
export function choice<const Word extends string>(...words: readonly Word[]): SettingType<Word> {
  const expects = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return {
    expects,
    parse(value) {
      const word = words.find((candidate) => candidate === value.toLowerCase());
      return word === undefined ? invalid('is not one of the choices') : valid(word);
    },
  };
}
