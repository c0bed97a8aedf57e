/** Building blocks of the wire shapes. Formats are defined in `http/validation.ts`. */
import { type TSchema, Type } from 'typebox';

const names = new WeakMap<TSchema, string>();

/** Names a shape in the OpenAPI document, which then contains it once. The schema itself is unchanged: the validator compiles it whole. */
export function named<T extends TSchema>(name: string, schema: T): T {
  names.set(schema, name);
  return schema;
}

export const nameOf = (schema: TSchema): string | undefined => names.get(schema);

/** A body that is not JSON, in one of these media types. */
export class Media<Type extends string = string> {
  constructor(
    readonly types: readonly Type[],
    readonly schema: { readonly type: 'string'; readonly format?: 'binary'; readonly description?: string },
    readonly example: string,
    /** Its name in the OpenAPI document, if several operations share it. */
    readonly name: string | null = null,
  ) {}
}

/** The path parameter that most routes have. */
export const byId = (description: string) => Type.Object({ id: Type.String({ description }) });

export const id = (description: string) => Type.String({ format: 'uuid', description });
export const instant = (description: string) => Type.String({ format: 'date-time', description });

export const nullableText = (options: Record<string, unknown>) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options });

export const nullableInteger = (options: Record<string, unknown>) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...options });

export const nullableInstant = (description: string) => nullableText({ format: 'date-time', description });

/** An instant in a request. */
export const nullableMoment = (description: string) =>
  nullableText({ format: 'date-time', maxLength: 40, description });

/** Allows only the named fields: a typo in a request is an error, and a response never contains undocumented fields. */
export const exactly = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

/** The same, with a name. */
export const shape = <T extends Record<string, TSchema>>(name: string, fields: T) =>
  named(name, exactly(fields));

export const listOf = <T extends TSchema>(item: T) => exactly({ data: Type.Array(item) });

export const pageOf = <T extends TSchema>(
  item: T,
  description = 'Send it as `cursor` to get the next page; null on the last page.',
) => exactly({ data: Type.Array(item), next_cursor: nullableText({ description }) });

/** Without a limit the list is complete and has no cursor. */
export const maybePageOf = <T extends TSchema>(item: T) =>
  exactly({ data: Type.Array(item), next_cursor: Type.Optional(pageOf(item).properties.next_cursor) });

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
};

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
