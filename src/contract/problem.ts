import { type Static, Type } from 'typebox';
import { named } from './shapes.js';

/** The body of every error: `error`, `code`, and more fields for some errors. */
export const Problem = named(
  'Problem',
  Type.Object(
    {
      error: Type.String({ description: 'What went wrong, in English.' }),
      code: Type.String({
        pattern: '^[a-z][a-z0-9_]*$',
        description:
          'Names the error and never changes: programs go by it. docs/reference/errors.md lists all codes.',
      }),
      details: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: 'The field; empty: the request as a whole.' }),
            message: Type.String(),
          }),
          { maxItems: 50 },
        ),
      ),
      fields: Type.Optional(
        Type.Array(
          Type.Object({
            field: Type.String(),
            code: Type.String(),
            message: Type.String({ description: "In the visitor's language." }),
          }),
        ),
      ),
      detail: Type.Optional(Type.String()),
      retry_after: Type.Optional(Type.Integer({ description: 'Seconds.' })),
      upgrade_url: Type.Optional(Type.String()),
      your_ip: Type.Optional(Type.String()),
      limit: Type.Optional(Type.Integer()),
      limit_bytes: Type.Optional(Type.Integer()),
      limit_pixels: Type.Optional(Type.Integer()),
      file_size_bytes: Type.Optional(Type.Integer()),
    },
    { additionalProperties: true },
  ),
);
export type Problem = Static<typeof Problem>;
