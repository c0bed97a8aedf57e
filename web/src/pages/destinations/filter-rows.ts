/** Conditions on fields, one per row, and the filter made from them. Pure. */
import * as words from '../../words/destinations.js';

export type Match = 'all' | 'any';
/** The type of the compared value. Forms send text; JSON submissions can have the others. */
export type ValueType = 'text' | 'number' | 'boolean';

export interface FilterRow {
  readonly field: string;
  readonly operator: OperatorName;
  /** Comma-separated when there are several. */
  readonly value: string;
  readonly type: ValueType;
}

/** The filter being edited. Anything that rows cannot express is edited as JSON. */
export type FilterDraft =
  | { readonly mode: 'rows'; readonly match: Match; readonly rows: readonly FilterRow[] }
  | { readonly mode: 'json'; readonly text: string };

interface Operator {
  readonly name: string;
  readonly words: string;
  /** Whether the row has a value input. */
  readonly takes: 'value' | 'list' | 'nothing';
  /** The condition is wrapped in `$not`, so that a missing field matches. */
  readonly isNot: boolean;
  /** null: the value itself is the condition. */
  readonly key: string | null;
}

const operator = <Name extends string>(
  name: Name,
  label: string,
  key: string | null,
  { takes = 'value', isNot = false }: Partial<Pick<Operator, 'takes' | 'isNot'>> = {},
) => ({ name, words: label, key, takes, isNot });

export const operators = [
  operator('is', words.operatorIs, null),
  operator('is_not', words.operatorIsNot, null, { isNot: true }),
  operator('one_of', words.operatorOneOf, '$in', { takes: 'list' }),
  operator('not_one_of', words.operatorNotOneOf, '$in', { takes: 'list', isNot: true }),
  operator('contains', words.operatorContains, '$in'),
  operator('lacks', words.operatorLacks, '$in', { isNot: true }),
  operator('starts', words.operatorStarts, '$startsWith'),
  operator('ends', words.operatorEnds, '$endsWith'),
  operator('above', words.operatorAbove, '$gt'),
  operator('below', words.operatorBelow, '$lt'),
  operator('filled', words.operatorFilled, '$neq', { takes: 'nothing' }),
  operator('empty', words.operatorEmpty, '$neq', { takes: 'nothing', isNot: true }),
] as const;
export type OperatorName = (typeof operators)[number]['name'];

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const operatorOf = (name: OperatorName): Operator =>
  operators.find((each) => each.name === name) ?? operators[0];

export const newRow: FilterRow = { field: '', operator: 'is', value: '', type: 'text' };
export const noFilter: FilterDraft = { mode: 'rows', match: 'all', rows: [] };

const isComplete = ({ field, operator: name, value }: FilterRow): boolean =>
  field !== '' && (operatorOf(name).takes === 'nothing' || value.trim() !== '');

/** The input as the field's type, or as text when it does not parse. */
function typed(text: string, type: ValueType): string | number | boolean {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function contentOf({ operator: name, value, type }: FilterRow): unknown {
  const { key, takes } = operatorOf(name);
  if (takes === 'nothing') return { $neq: '' };
  if (takes === 'list') {
    const items = value.split(',').map((item) => item.trim());
    return { $in: items.filter((item) => item !== '').map((item) => typed(item, type)) };
  }
  // `$in` with a single value is a substring match, which takes text only.
  const wanted = key === '$in' ? value : typed(value, type);
  return key === null ? wanted : { [key]: wanted };
}

const ofFields = (fields: Json): Json => ({ submission: { data: fields } });

function conditionOf(row: FilterRow): Json {
  const condition = ofFields({ [row.field]: contentOf(row) });
  return operatorOf(row.operator).isNot ? { $not: condition } : condition;
}

/** Returns null when no row is complete: everything passes. */
function filterOfRows(rows: readonly FilterRow[], match: Match): Json | null {
  const complete = rows.filter(isComplete);
  const [first] = complete;
  if (first === undefined) return null;
  if (complete.length === 1) return conditionOf(first);
  const fields = new Set(complete.map(({ field }) => field));
  const isPlain = complete.every((row) => !operatorOf(row.operator).isNot);
  if (match === 'all' && isPlain && fields.size === complete.length)
    return ofFields(Object.fromEntries(complete.map((row) => [row.field, contentOf(row)])));
  return { [match === 'all' ? '$and' : '$or']: complete.map(conditionOf) };
}

export type FilterResult = { readonly filter: unknown } | { readonly problem: string };

/** The filter as the API accepts it. Incomplete rows are left out. */
export function filterOf(draft: FilterDraft): FilterResult {
  if (draft.mode === 'rows') return { filter: filterOfRows(draft.rows, draft.match) };
  if (draft.text.trim() === '') return { filter: null };
  try {
    return { filter: JSON.parse(draft.text) as unknown };
  } catch (error) {
    return { problem: words.notValidJson(error instanceof Error ? error.message : '') };
  }
}

/** Whether the filter excludes anything. */
export const isFiltered = (draft: FilterDraft): boolean => {
  const result = filterOf(draft);
  return 'filter' in result && result.filter !== null;
};

/** Why the draft cannot be saved, or null. An ignored incomplete row would let more through than it appears to. */
export function problemOf(draft: FilterDraft): string | null {
  const result = filterOf(draft);
  if ('problem' in result) return result.problem;
  return draft.mode === 'rows' && !draft.rows.every(isComplete) ? words.conditionIncomplete : null;
}

// From a stored filter to rows

const typeOf = (value: unknown): ValueType | null => {
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : null;
};

function rowOf(field: string, content: unknown, isNot: boolean): FilterRow | null {
  const [key = null, wanted = null, ...others] = isObject(content)
    ? Object.entries(content).flat()
    : [null, content];
  if (others.length > 0) return null;
  const items = Array.isArray(wanted) ? wanted : [wanted];
  const found = operators.find(
    (each) =>
      each.key === key &&
      each.isNot === isNot &&
      (each.takes === 'list') === Array.isArray(wanted) &&
      (each.takes !== 'nothing' || wanted === ''),
  );
  const type = typeOf(items[0]);
  if (found === undefined || type === null || items.some((item) => typeOf(item) !== type)) return null;
  return { field, operator: found.name, value: items.map(String).join(', '), type };
}

function rowsOf(condition: unknown): readonly (FilterRow | null)[] {
  if (!isObject(condition)) return [null];
  const isNot = isObject(condition.$not);
  const { submission } = isNot ? (condition.$not as Json) : condition;
  const fields = isObject(submission) ? submission.data : null;
  if (!isObject(fields)) return [null];
  return Object.entries(fields).map(([field, content]) => rowOf(field, content, isNot));
}

const asJson = (filter: unknown): FilterDraft => ({ mode: 'json', text: JSON.stringify(filter, null, 2) });

/** A stored filter as rows if they express exactly the same, else as JSON. */
export function draftOf(filter: unknown): FilterDraft {
  if (filter === null || filter === undefined) return noFilter;
  const many = isObject(filter) ? (filter.$and ?? filter.$or) : undefined;
  const match: Match = isObject(filter) && filter.$or !== undefined ? 'any' : 'all';
  const rows = (Array.isArray(many) ? many : [filter]).flatMap(rowsOf);
  if (rows.length === 0 || rows.includes(null)) return asJson(filter);
  const draft: FilterDraft = { mode: 'rows', match, rows: rows.filter((row) => row !== null) };
  const again = filterOf(draft);
  return 'filter' in again && JSON.stringify(again.filter) === JSON.stringify(filter)
    ? draft
    : asJson(filter);
}

export const textOf = (draft: FilterDraft): string => {
  const result = filterOf(draft);
  return 'problem' in result || result.filter === null ? '' : JSON.stringify(result.filter, null, 2);
};

/** The type that all values seen in a field share, else text. */
export function seenType(field: string, seen: readonly { readonly data: Json }[]): ValueType {
  const values = seen.flatMap(({ data }) => (Object.hasOwn(data, field) ? [data[field]] : []));
  const type = typeOf(values[0]) ?? 'text';
  return values.every((value) => typeOf(value) === type) ? type : 'text';
}
