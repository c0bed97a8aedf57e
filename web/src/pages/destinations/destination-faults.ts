/** Maps the API's errors for a destination to the fields of its form. Pure. */
import type { FieldFault } from '../../api.js';
import { entryAt } from '../../ui/list-entry.js';

const fieldOf = (path: string): string => {
  const [first = '', second] = path.split('.');
  return first === 'config' && second !== undefined ? `config.${second}` : first;
};

/** `config.headers.X-Foo` becomes an error of `config.headers` that names the header. `config`: the entered values. */
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
