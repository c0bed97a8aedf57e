/** Finds one field in the data of a submission. */
import { membersOf } from '../../kernel/json-outline.js';

/** Returns a field's value as written, or undefined when there is no such field. Of duplicate names the last counts, as in JSON. */
export function fieldSource(data: string, field: string): string | undefined {
  let source: string | undefined;
  for (const { name, value } of membersOf(data)) if (name === field) source = value;
  return source;
}
