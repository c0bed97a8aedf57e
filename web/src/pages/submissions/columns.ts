/** The default columns of a submission list: name, contact and message first, then the most common fields. */
import { isNumeric } from '../../ui/value-kind.js';
import type { FormFull, Submission } from '../../wire.js';

/** Visitors choose field names, so the list needs a limit. */
const maxFields = 60;
export const defaultColumns = 3;

const ranks: readonly RegExp[] = [
  /^(full|your|contact|customer|visitor|display)?[ _.-]*name$|^name\b|^nom$|^naam$|^nombre$|^who$/i,
  /^(first|given|fore|last|family|sur)[ _.-]*name$/i,
  /e-?mail|^mail$|^reply[ _.-]*to$/i,
  /^(your|the)?[ _.-]*(message|comments?|body|text|nachricht|mensaje|bericht|feedback|question|enquiry|inquiry|description|details|note)s?$/i,
  /message|comment|question|feedback/i,
  /^(subject|topic|title|betreff)$/i,
  /^(company|organi[sz]ation|phone|tel|telephone|mobile)$/i,
];

const rankOf = (field: string): number => {
  const rank = ranks.findIndex((shape) => shape.test(field));
  return rank < 0 ? ranks.length : rank;
};

/** Whether the field holds a name or contact data, which is short. */
export const isWho = (field: string): boolean => rankOf(field) < 3;

const isFilled = (value: unknown): boolean =>
  value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

/** The number of rows that fill each field, in the order in which the fields first appeared. The oldest row is last. */
function countsOf(rows: readonly Pick<Submission, 'data'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { data } of [...rows].reverse()) {
    let seen = 0;
    for (const name in data) {
      seen += 1;
      if (seen > maxFields) break;
      counts.set(name, (counts.get(name) ?? 0) + Number(isFilled(data[name])));
    }
  }
  return counts;
}

/** All fields of these submissions: those filled by most rows by their rank, then the others by how many rows fill them. */
export function fieldsOf(rows: readonly Pick<Submission, 'data'>[]): readonly string[] {
  const counts = countsOf(rows);
  const countOf = (name: string): number => counts.get(name) ?? 0;
  const isCommon = (name: string): boolean => countOf(name) * 2 > rows.length;
  // The sort is stable.
  return [...counts.keys()]
    .sort((a, b) => {
      const byCount = countOf(b) - countOf(a);
      const byRank = rankOf(a) - rankOf(b);
      return isCommon(a) && isCommon(b) ? byRank || byCount : byCount || byRank;
    })
    .slice(0, maxFields);
}

/** The fields whose values are all numbers. */
export const numbersIn = (
  fields: readonly string[],
  rows: readonly Pick<Submission, 'data'>[],
): readonly string[] =>
  fields.filter((field) => {
    const values = rows
      .map(({ data }) => data[field])
      .filter((value) => value !== undefined && isFilled(value));
    return values.length > 0 && values.every(isNumeric);
  });

/** The labels from the form's field rules. Field names are untrusted, so lookups must ignore inherited properties. */
export type Labels = Readonly<Record<string, string>>;

export const labelsOf = (form: Pick<FormFull, 'fields'> | null): Labels =>
  Object.fromEntries(
    (form?.fields ?? []).flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])),
  );

export const labelOf = (labels: Labels, field: string): string =>
  Object.hasOwn(labels, field) ? (labels[field] ?? field) : field;

/** The chosen columns, else the first few fields. A chosen field stays even if no row has it. */
export const columnsOf = (
  fields: readonly string[],
  chosen: readonly string[] | null,
  most = defaultColumns,
): readonly string[] => chosen ?? fields.slice(0, most);

/** A stored choice, or null if it is invalid. */
export function readChoice(text: string | null): readonly string[] | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
      ? value.slice(0, 12)
      : null;
  } catch {
    return null;
  }
}
