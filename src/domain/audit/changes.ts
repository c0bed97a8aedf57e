/** What the audit log shows of a change: the fields that differ, under their API names, without secrets, and bounded in size. */

/** For all fields of one entry, as JSON. Forms have rules, network lists and templates: only the fields that are too long are left out. */
const maxBytes = 16 * 1024;
const maxFieldBytes = 2 * 1024;
const masked = '…';

/** Fields that say nothing about a change, or are elsewhere in the entry. */
const leftOut = new Set(['id', 'accountId', 'createdAt', 'updatedAt', 'health', 'isInFlight']);
const secret = /secret|password|token|hash|api_?key|credential|private_?key/i;

type Values = Readonly<Record<string, unknown>>;

const wireName = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isEmpty = (value: unknown): boolean => value === null || value === undefined;

function shownValue(field: string, value: unknown): unknown {
  if (isEmpty(value)) return null;
  if (secret.test(field)) return masked;
  if (typeof value === 'number' && /(At|Until)$/.test(field)) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map((item) => shownValue('', item));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [wireName(name), shownValue(name, inner)]),
    );
  return value;
}

/** Returns JSON text, or null when there is nothing to show. */
function textOf(values: Values, fields: readonly string[]): string | null {
  const shown: [string, unknown][] = [];
  let left = maxBytes;
  for (const field of fields) {
    const value = shownValue(field, values[field]);
    const size = Buffer.byteLength(JSON.stringify(value)) + field.length + 6;
    const fitting = size > maxFieldBytes || size > left ? '[too long]' : value;
    left -= Math.min(size, maxFieldBytes);
    if (left < 0) break;
    shown.push([wireName(field), fitting]);
  }
  return shown.length === 0 ? null : JSON.stringify(Object.fromEntries(shown));
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** For something created or deleted, all fields that have a value. For something changed, the fields that differ. */
export function changedValues(
  before: object | null,
  after: object | null,
): { readonly beforeValues: string | null; readonly afterValues: string | null } {
  const [old, next] = [(before ?? {}) as Values, (after ?? {}) as Values];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (field) => !leftOut.has(field) && !isSame(old[field], next[field]),
  );
  return {
    beforeValues: before && textOf(old, fields),
    afterValues: after && textOf(next, fields),
  };
}
