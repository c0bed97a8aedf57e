/** A field of a submission as a table shows it. */
import { membersOf } from '../../kernel/json-outline.js';

/** Text as it is, a list of texts joined, an empty string for null, everything else as JSON. */
export const shownText = (source: string | undefined): string => {
  if (source === undefined || source === 'null') return '';
  if (source.startsWith('"')) return JSON.parse(source) as string;
  if (!source.startsWith('[')) return source;
  const items = JSON.parse(source) as unknown[];
  return items.every((item) => typeof item === 'string') ? items.join(', ') : source;
};

/** Returns a field's value as written, or undefined when there is no such field. Of duplicate names the last counts, as in JSON. */
export function fieldSource(data: string, field: string): string | undefined {
  let source: string | undefined;
  for (const { name, value } of membersOf(data)) if (name === field) source = value;
  return source;
}
