/** Building blocks of the wire shapes. Formats are defined in `http/validation.ts`. */
import { type TSchema, Type } from 'typebox';

export const id = (description: string) => Type.String({ format: 'uuid', description });
export const instant = (description: string) => Type.String({ format: 'date-time', description });

export const nullableText = (options: Record<string, unknown>) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const nullableInteger = (options: Record<string, unknown>) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options });

export const nullableInstant = (description: string) => nullableText({ format: 'date-time', description });

/** Only the named fields: a typing mistake in a request is seen, and an answer never carries more than it promises. */
export const exactly = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

export const listOf = <T extends TSchema>(item: T) => exactly({ data: Type.Array(item) });

export const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'What people call it; blanks around it are dropped.',
});

export const webhookUrl = nullableText({
  format: 'http-url',
  maxLength: 2048,
  description: 'Receives every new submission, signed and retried.',
});

export const originList = Type.Array(Type.String({ format: 'origin-host', maxLength: 300 }), {
  maxItems: 100,
  description: 'Host names whose pages may submit; `*.example.com` covers subdomains. Empty: everyone.',
});

export const emailList = Type.Array(Type.String({ format: 'email', maxLength: 254 }), { maxItems: 20 });
