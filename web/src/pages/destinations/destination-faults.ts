/** The faults that the API named in a destination, each at the field it belongs to. Pure. */
import type { FieldFault } from '../../api.js';
import { entryAt } from '../../ui/list-entry.js';

const fieldOf = (path: string): string => {
  const [first = '', second] = path.split('.');
  return first === 'config' && second !== undefined ? `config.${second}` : first;
};

/** `config.headers.X-Foo` is a fault of `config.headers`, and says which. `config`: what was entered. */
export function destinationFaults(
  details: readonly FieldFault[],
  config: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const { path, message } of details) {
    const field = fieldOf(path);
    if (field === '') continue;
    const place = path.slice(field.length + 1);
    const named = entryAt(config[field.slice('config.'.length)], place) ?? place;
    faults[field] ??=
      place === '' ? message.charAt(0).toUpperCase() + message.slice(1) : `${named}: ${message}`;
  }
  return faults;
}
