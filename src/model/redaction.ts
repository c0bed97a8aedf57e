/** Removes the values of some fields from what is stored of a submission. Pure. */
import { membersOf } from '../kernel/json-outline.js';

export const redactedText = '[redacted]';

/** Shorter values are replaced only as whole texts, because they also occur within other words. */
const minPartLength = 4;

/** All texts and numbers in a value, as texts. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' || value === redactedText ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(textsOf);
}

export interface RedactedData {
  readonly data: string;
  /** The values that were removed. */
  readonly values: readonly string[];
}

/** Other fields stay as they were written, byte for byte. */
export function redactData(data: string, names: ReadonlySet<string>): RedactedData {
  const members = [...membersOf(data)];
  if (!members.some(({ name }) => names.has(name))) return { data, values: [] };
  const values = members
    .filter(({ name }) => names.has(name))
    .flatMap(({ value }) => textsOf(JSON.parse(value)));
  const sources = members.map(({ name, source }) =>
    names.has(name) ? `${JSON.stringify(name)}:"${redactedText}"` : source,
  );
  return { data: `{${sources.join(',')}}`, values };
}

function redactPart(text: string, values: readonly string[]): string {
  if (values.includes(text)) return redactedText;
  return values
    .filter((value) => value.length >= minPartLength)
    .reduce((rest, value) => rest.replaceAll(value, redactedText), text);
}

/** `isData`: the members of this object are the fields of the submission. */
function redactValue(
  value: unknown,
  names: ReadonlySet<string>,
  values: readonly string[],
  isData: boolean,
): unknown {
  if (typeof value === 'string') return redactPart(value, values);
  if (typeof value === 'number') return values.includes(String(value)) ? redactedText : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, names, values, false));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isData && names.has(name) ? redactedText : redactValue(item, names, values, name === 'data'),
    ]),
  );
}

/** Redacts a text that was made from the submission, such as a webhook body. Returns it as is when nothing has to be removed. */
export function redactText(text: string, names: ReadonlySet<string>, values: readonly string[]): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return redactPart(text, values);
  }
  if (parsed === null || typeof parsed !== 'object') return redactPart(text, values);
  const redacted = redactValue(parsed, names, values, false);
  return JSON.stringify(redacted) === JSON.stringify(parsed) ? text : JSON.stringify(redacted);
}
