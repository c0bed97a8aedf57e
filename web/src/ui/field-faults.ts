/** Maps API errors to the fields they belong to. */
import { ApiError } from '../api.js';
import { entryAt } from './list-entry.js';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `allowed_origins.2` becomes an error of `allowed_origins` that names the entry. */
export function faultsByField(
  error: unknown,
  entered: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const faults: Record<string, string> = {};
  for (const { path, message } of error.details) {
    const [field = '', place = ''] = path.split('.');
    if (field === '') continue;
    const entry = entryAt(entered[field], place);
    faults[field] ??= entry === null ? capital(message) : `${entry}: ${message}`;
  }
  return faults;
}

/** Errors by full path, for lists of objects: `fields.2.min`. */
export const faultsByPath = (error: unknown): Record<string, string> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ path, message }) => [path, capital(message)]))
    : {};
