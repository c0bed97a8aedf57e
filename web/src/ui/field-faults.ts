/** The faults that the API named, each at the field it belongs to. */
import { ApiError } from '../api.js';

/** `allowed_origins.2` is a fault of `allowed_origins`. */
export function faultsByField(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const faults: Record<string, string> = {};
  for (const { path, message } of error.details) {
    const [field = '', index] = path.split('.');
    if (field === '') continue;
    const place = index !== undefined && /^\d+$/.test(index) ? `Entry ${Number(index) + 1} ` : '';
    const words = `${place}${message}`;
    faults[field] ??= words.charAt(0).toUpperCase() + words.slice(1);
  }
  return faults;
}
