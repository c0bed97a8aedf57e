/** Which fields a list of submissions shows: who, how to reach them and what they say first, then what most have. */
import { isNumeric } from '../../ui/value-kind.js';
import type { FormFull, Submission } from '../../wire.js';

/** Visitors choose the names of fields; a list to choose from must end. */
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

/** Whether it says who somebody is or how to reach them, which is short. */
export const isWho = (field: string): boolean => rankOf(field) < 3;

const isFilled = (value: unknown): boolean =>
  value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

/** How many of the rows fill each field, in the order in which the fields first appeared: the oldest row is the last. */
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

/** All fields of these submissions: the most telling of those that most rows fill, then the others by how many fill them. */
export function fieldsOf(rows: readonly Pick<Submission, 'data'>[]): readonly string[] {
  const counts = countsOf(rows);
  const countOf = (name: string): number => counts.get(name) ?? 0;
  const isCommon = (name: string): boolean => countOf(name) * 2 > rows.length;
  // Sorting keeps the order of equals.
  return [...counts.keys()]
    .sort((a, b) => {
      const byCount = countOf(b) - countOf(a);
      const byRank = rankOf(a) - rankOf(b);
      return isCommon(a) && isCommon(b) ? byRank || byCount : byCount || byRank;
    })
    .slice(0, maxFields);
}

/** Those whose values are numbers, as far as they have any. */
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

/** What the rules of a form call its fields. Names come from visitors, so nothing is inherited. */
export type Labels = Readonly<Record<string, string>>;

export const labelsOf = (form: Pick<FormFull, 'fields'> | null): Labels =>
  Object.fromEntries(
    (form?.fields ?? []).flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])),
  );

export const labelOf = (labels: Labels, field: string): string =>
  Object.hasOwn(labels, field) ? (labels[field] ?? field) : field;

/** What was chosen, else the first few. A chosen field that no row has any more keeps its place. */
export const columnsOf = (
  fields: readonly string[],
  chosen: readonly string[] | null,
  most = defaultColumns,
): readonly string[] => chosen ?? fields.slice(0, most);

/** A remembered choice, or null for anything that is none. */
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
