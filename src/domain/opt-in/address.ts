/** The address that a submission gives for its confirmation. Pure. */
import { isPlainAddress } from '../../kernel/email-address.js';
import type { Form } from '../../model/form.js';
import type { Violation } from '../../model/violation.js';
import { isFilled } from '../fields/judge-value.js';

function valueIn(data: string, field: string): unknown {
  const values = JSON.parse(data) as Readonly<Record<string, unknown>>;
  return Object.hasOwn(values, field) ? values[field] : undefined;
}

/** Returns null unless there is exactly one address that a mail can go to. */
export function addressIn(data: string, field: string): string | null {
  const value = valueIn(data, field);
  const address = typeof value === 'string' ? value.trim() : '';
  return isPlainAddress(address) ? address : null;
}

/** Returns why the form cannot ask for a confirmation, or null when nothing prevents it. */
export function addressViolation({ doubleOptIn, fields }: Form, data: string): Violation | null {
  if (doubleOptIn === null || addressIn(data, doubleOptIn.field) !== null) return null;
  const { field } = doubleOptIn;
  const label = fields.find(({ name }) => name === field)?.label ?? field;
  const code = isFilled(valueIn(data, field)) ? 'type_email' : 'required';
  return { field, label, code, limit: null, entry: 'write' };
}
